// MPI_Request_get_status and its any, all and some forms look without freeing.
// ranks: 2
#include "check.h"

static void one(void)
{
    int value = -1, flag = -1, count = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    OK(MPI_Request_get_status(request, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    OK(MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Request_get_status(request, &flag, &status));
    CHECK_EQ(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status(request, &flag, &status));
    CHECK_EQ(value, 1 - rank);
    for (int i = 0; i < 2; i++) {
        OK(MPI_Request_get_status(request, &flag, &status));
        CHECK_EQ(flag, 1);
        CHECK_EQ(status.MPI_SOURCE, 1 - rank);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQ(count, 1);
    }
    CHECK_NE((intptr_t)request, (intptr_t)MPI_REQUEST_NULL);
    OK(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_TAG, 1);
}

static void many(void)
{
    int values[3], flag = -1, index = -1, count = -1, indices[3];
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int i = 0; i < 3; i++)
        OK(MPI_Irecv(&values[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]));
    OK(MPI_Request_get_status_any(3, requests, &index, &flag, statuses));
    CHECK_EQ(flag, 0);
    OK(MPI_Request_get_status_all(3, requests, &flag, statuses));
    CHECK_EQ(flag, 0);
    OK(MPI_Request_get_status_some(3, requests, &count, indices, statuses));
    CHECK_EQ(count, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&rank, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status_any(3, requests, &index, &flag, statuses));
    CHECK_EQ(index, 2);
    CHECK_EQ(statuses[0].MPI_TAG, 2);
    OK(MPI_Request_get_status_some(3, requests, &count, indices, statuses));
    CHECK_EQ(count, 1);
    CHECK_EQ(indices[0], 2);
    OK(MPI_Request_get_status_all(3, requests, &flag, statuses));
    CHECK_EQ(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++)
        OK(MPI_Send(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status_all(3, requests, &flag, statuses));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(statuses[i].MPI_TAG, i);
    OK(MPI_Waitall(3, requests, statuses));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    one();
    many();
    return check_done();
}
