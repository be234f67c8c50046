// All ranks send blocking messages of all sizes to one that takes them in turns, late.
// ranks: 2 4 8
#include "check.h"

enum { N = 150 };
static char buf[70000];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 8, 40, 100, 5000, 8192, 8193, 70000};
    if (rank == 0) {
        usleep(20000);
        for (int i = 0; i < N; i++) {
            for (int from = size - 1; from > 0; from--) {
                MPI_Status status;
                int n = sizes[(i + from) % 8], count = -1;
                OK(MPI_Recv(buf, sizeof buf, MPI_BYTE, from, i, MPI_COMM_WORLD, &status));
                OK(MPI_Get_count(&status, MPI_BYTE, &count));
                CHECK_EQ(count, n);
                CHECK_PATTERN(buf, n, i + from);
            }
        }
    } else {
        for (int i = 0; i < N; i++) {
            int n = sizes[(i + rank) % 8];
            pattern_fill(buf, n, i + rank);
            OK(MPI_Send(buf, n, MPI_BYTE, 0, i, MPI_COMM_WORLD));
        }
    }
    return check_done();
}
