// MPI_ERRORS_ARE_FATAL, the default: the job ends with a message that names the call.
// ranks: 1 2 4
// expect-exit: nonzero
// expect-stderr: MPI_Send
// timeout: 20
#include "check.h"

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = 0;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("FAIL: still here\n");
    return 0;
}
