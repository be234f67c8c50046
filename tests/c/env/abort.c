// MPI_Abort ends every rank, also those that wait, and its code is the job's.
// ranks: 1 2 4
// expect-exit: 42
// timeout: 20
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (rank == size - 1) {
        usleep(20000);
        MPI_Abort(MPI_COMM_WORLD, 42);
    }
    int nothing;
    MPI_Recv(&nothing, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(!"the rank goes on after MPI_Abort");
    return 0;
}
