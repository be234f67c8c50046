// MPI_Testall is all or nothing: no request changes until every one is complete.
// ranks: 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int a = -1, b = -1, flag = -1;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    requests[2] = MPI_REQUEST_NULL;
    OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
    CHECK_EQ(flag, 1);
    OK(MPI_Irecv(&a, 1, MPI_INT, previous_rank(), 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&b, 1, MPI_INT, previous_rank(), 2, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Send(&rank, 1, MPI_INT, next_rank(), 1, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 100; i++) {
        OK(MPI_Testall(3, requests, &flag, statuses));
        CHECK_EQ(flag, 0);
        CHECK_NE((intptr_t)requests[0], (intptr_t)MPI_REQUEST_NULL);
        CHECK_NE((intptr_t)requests[1], (intptr_t)MPI_REQUEST_NULL);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&size, 1, MPI_INT, next_rank(), 2, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        OK(MPI_Testall(3, requests, &flag, statuses));
    CHECK_EQ(a, previous_rank());
    CHECK_EQ(b, size);
    CHECK_EQ(statuses[0].MPI_TAG, 1);
    CHECK_EQ(statuses[1].MPI_TAG, 2);
    CHECK_EQ(statuses[2].MPI_SOURCE, MPI_ANY_SOURCE);
    for (int i = 0; i < 3; i++)
        CHECK_SAME(requests[i], MPI_REQUEST_NULL);
    return check_done();
}
