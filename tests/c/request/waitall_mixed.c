// MPI_Waitall over null, inactive, send and receive requests; empty statuses where due.
// ranks: 1 2 4
#include "check.h"

static void check_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    CHECK_EQ(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status->MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_EQ(count, 0);
    OK(MPI_Test_cancelled(status, &cancelled));
    CHECK_EQ(cancelled, 0);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int in = -1, out = rank, unused = 0;
    MPI_Request requests[5] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                               MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[5];
    OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(5, requests, statuses));
    for (int i = 0; i < 5; i++)
        check_empty(&statuses[i]);
    OK(MPI_Irecv(&in, 1, MPI_INT, previous_rank(), 0, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Send_init(&unused, 1, MPI_INT, next_rank(), 5, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Isend(&out, 1, MPI_INT, next_rank(), 0, MPI_COMM_WORLD, &requests[3]));
    MPI_Request inactive = requests[2];
    OK(MPI_Waitall(5, requests, statuses));
    check_empty(&statuses[0]);
    check_empty(&statuses[2]);
    check_empty(&statuses[4]);
    CHECK_EQ(statuses[1].MPI_SOURCE, previous_rank());
    CHECK_EQ(in, previous_rank());
    CHECK_SAME(requests[1], MPI_REQUEST_NULL);
    CHECK_SAME(requests[2], inactive);
    CHECK_SAME(requests[3], MPI_REQUEST_NULL);
    OK(MPI_Request_free(&requests[2]));
    // MPI_Wait on a null request.
    MPI_Request null = MPI_REQUEST_NULL;
    OK(MPI_Wait(&null, &statuses[0]));
    check_empty(&statuses[0]);
    int flag = 0;
    OK(MPI_Test(&null, &flag, &statuses[0]));
    CHECK_EQ(flag, 1);
    check_empty(&statuses[0]);
    return check_done();
}
