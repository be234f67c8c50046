// Floating-point sums repeat to the last bit, and all ranks get the same bits.
// ranks: 2 3 4 8
#include "check.h"

enum { N = 3000 };
static double mine[N], first[N], again[N];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    unsigned long long state = 12345 + rank;
    for (int i = 0; i < N; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        mine[i] = (double)(state >> 11) * pow(2, (int)(state % 60) - 80);
    }
    static const int sizes[] = {1, 5, 100, N};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        OK(MPI_Allreduce(mine, first, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        for (int turn = 0; turn < 10; turn++) {
            if (turn % size == rank)
                usleep(1000);
            OK(MPI_Allreduce(mine, again, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
            CHECK(memcmp(first, again, n * sizeof(double)) == 0);
        }
        memcpy(again, first, n * sizeof(double));
        OK(MPI_Bcast(again, n, MPI_DOUBLE, 0, MPI_COMM_WORLD));
        CHECK(memcmp(first, again, n * sizeof(double)) == 0);
    }
    return check_done();
}
