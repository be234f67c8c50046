// MPI_ERRORS_ABORT ends the processes of the communicator; on the world, everybody.
// ranks: 2 4
// expect-exit: nonzero
// timeout: 20
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT));
    int value = 0;
    if (rank == size - 1)
        MPI_Send(&value, 1, MPI_INT, -8, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("FAIL: still here\n");
    return 0;
}
