// Hundreds of non-blocking collectives outstanding on two communicators at once, tested in an
// order of each rank's own.
// ranks: 1 2 4 8
#include "check.h"

enum { N = 150 };
static int out[N], sums[N], values[N][3], flags[2 * N];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm copy;
    MPI_Request requests[2 * N];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    for (int i = 0; i < N; i++) {
        out[i] = rank + i;
        for (int k = 0; k < 3; k++)
            values[i][k] = rank == i % size ? i * 3 + k : -1;
        OK(MPI_Iallreduce(&out[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Ibcast(values[i], 3, MPI_INT, i % size, copy, &requests[N + i]));
    }
    for (int left = 2 * N, at = rank * 37; left > 0; at++) {
        int i = at % (2 * N), done = 0;
        if (flags[i])
            continue;
        OK(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE));
        flags[i] = done;
        left -= done;
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += sums[i] != size * (size - 1) / 2 + size * i;
        for (int k = 0; k < 3; k++)
            wrong += values[i][k] != i * 3 + k;
    }
    CHECK_EQ(wrong, 0);
    OK(MPI_Comm_free(&copy));
    return check_done();
}
