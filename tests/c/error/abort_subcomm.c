// MPI_Abort on a smaller communicator ends at least its members; here it is all that are left.
// ranks: 2 4
// expect-exit: 9
// timeout: 20
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm all;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all));
    if (rank == 0)
        MPI_Abort(all, 9);
    int nothing;
    MPI_Recv(&nothing, 1, MPI_INT, rank, 1, all, MPI_STATUS_IGNORE);
    printf("FAIL: still here\n");
    return 0;
}
