// A posted wildcard receive never sees the messages of collectives, nor those of other
// communicators, and collectives pass while it waits.
// ranks: 2 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int value = -1, sum = 0, one = 1, flag = -1, all[8];
    MPI_Request wild, request;
    MPI_Status status;
    MPI_Comm copy;
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &wild));
    for (int i = 0; i < 20; i++) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, size);
        OK(MPI_Ibcast(&sum, 1, MPI_INT, i % size, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    }
    static char big[100000];
    OK(MPI_Bcast(big, sizeof big, MPI_BYTE, 0, MPI_COMM_WORLD));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, next_rank(), 0, &sum, 1, MPI_INT, previous_rank(), 0, copy,
                    MPI_STATUS_IGNORE));
    OK(MPI_Test(&wild, &flag, &status));
    CHECK_EQ(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&rank, 1, MPI_INT, next_rank(), 42, MPI_COMM_WORLD));
    OK(MPI_Wait(&wild, &status));
    CHECK_EQ(value, previous_rank());
    CHECK_EQ(status.MPI_TAG, 42);
    OK(MPI_Comm_free(&copy));
    return check_done();
}
