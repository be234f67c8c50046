// MPI_Waitany and MPI_Testany: each request once, MPI_UNDEFINED at the end, inactive ones skipped.
// ranks: 2 4
#include "check.h"

enum { N = 20 };

static void waitany(void)
{
    MPI_Request requests[N + 2];
    int values[N], seen[N] = {0}, unused;
    for (int i = 0; i < N; i++)
        OK(MPI_Irecv(&values[i], 1, MPI_INT, previous_rank(), i, MPI_COMM_WORLD, &requests[i]));
    requests[N] = MPI_REQUEST_NULL;
    OK(MPI_Recv_init(&unused, 1, MPI_INT, previous_rank(), 77, MPI_COMM_WORLD,
                     &requests[N + 1]));
    for (int i = N - 1; i >= 0; i--) {
        int value = rank * 100 + i;
        OK(MPI_Send(&value, 1, MPI_INT, next_rank(), i, MPI_COMM_WORLD));
    }
    for (int i = 0; i < N; i++) {
        int index = -1;
        MPI_Status status;
        OK(MPI_Waitany(N + 2, requests, &index, &status));
        CHECK(index >= 0 && index < N && !seen[index]);
        if (index < 0 || index >= N)
            return;
        seen[index] = 1;
        CHECK_EQ(status.MPI_TAG, index);
        CHECK_EQ(values[index], previous_rank() * 100 + index);
        CHECK_SAME(requests[index], MPI_REQUEST_NULL);
    }
    int index = 0;
    MPI_Status status;
    OK(MPI_Waitany(N + 2, requests, &index, &status));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    OK(MPI_Request_free(&requests[N + 1]));
}

static void testany(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index = 5, flag = 0, value = -1;
    MPI_Status status;
    OK(MPI_Testany(2, requests, &index, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    OK(MPI_Testany(0, NULL, &index, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    OK(MPI_Irecv(&value, 1, MPI_INT, previous_rank(), 3, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Testany(2, requests, &index, &flag, &status));
    CHECK_EQ(flag, 0);
    CHECK_EQ(index, MPI_UNDEFINED);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&rank, 1, MPI_INT, next_rank(), 3, MPI_COMM_WORLD));
    for (flag = 0; !flag;)
        OK(MPI_Testany(2, requests, &index, &flag, &status));
    CHECK_EQ(index, 1);
    CHECK_EQ(value, previous_rank());
    CHECK_EQ(status.MPI_SOURCE, previous_rank());
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    waitany();
    testany();
    return check_done();
}
