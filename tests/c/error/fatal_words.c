// What a person reads when a message is truncated: sender, receiver, tag and both sizes.
// ranks: 2
// expect-exit: nonzero
// expect-stderr: MPI_Recv
// expect-stderr: (?i)truncat
// expect-stderr: rank 0|from 0|source 0
// expect-stderr: rank 1
// expect-stderr: 7031
// expect-stderr: 400
// expect-stderr: 120
// mpich: it swaps the sizes
// timeout: 20
#include "check.h"

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int values[100] = {0};
    if (rank == 0)
        MPI_Send(values, 100, MPI_INT, 1, 7031, MPI_COMM_WORLD);
    else
        MPI_Recv(values, 30, MPI_INT, 0, 7031, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("FAIL: still here\n");
    return 0;
}
