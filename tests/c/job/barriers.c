// 10000 barriers of more ranks than cores: microseconds each, not milliseconds. The limit is far
// above what is needed, so that a loaded machine does not matter.
// ranks: 2 8 16
// timeout: 60
// mpich: it polls
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    double start = MPI_Wtime();
    for (int i = 0; i < 10000; i++)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        printf("%d ranks: %.1f us per barrier\n", size, (MPI_Wtime() - start) * 100);
    return check_done();
}
