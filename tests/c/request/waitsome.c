// MPI_Waitsome and MPI_Testsome: indices and statuses belong together; all are seen once.
// ranks: 2 4
#include "check.h"

enum { N = 50 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Request requests[N], none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int values[N], seen[N] = {0}, indices[N], done = 0, count = 0;
    MPI_Status statuses[N];
    OK(MPI_Waitsome(3, none, &count, indices, statuses));
    CHECK_EQ(count, MPI_UNDEFINED);
    OK(MPI_Testsome(3, none, &count, indices, MPI_STATUSES_IGNORE));
    CHECK_EQ(count, MPI_UNDEFINED);
    for (int i = 0; i < N; i++)
        OK(MPI_Irecv(&values[i], 1, MPI_INT, previous_rank(), i, MPI_COMM_WORLD, &requests[i]));
    OK(MPI_Testsome(N, requests, &count, indices, statuses));
    CHECK_EQ(count, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int k = 0; k < N; k++) {
        int i = k * 7 % N, value = i + rank;
        OK(MPI_Send(&value, 1, MPI_INT, next_rank(), i, MPI_COMM_WORLD));
    }
    for (int turn = 0; done < N; turn++) {
        if (turn % 2)
            OK(MPI_Waitsome(N, requests, &count, indices, statuses));
        else
            OK(MPI_Testsome(N, requests, &count, indices, statuses));
        CHECK_GE(count, turn % 2);
        for (int k = 0; k < count; k++) {
            int i = indices[k];
            CHECK_EQ(seen[i], 0);
            seen[i] = 1;
            CHECK_EQ(statuses[k].MPI_TAG, i);
            CHECK_EQ(values[i], i + previous_rank());
            CHECK_SAME(requests[i], MPI_REQUEST_NULL);
        }
        done += count;
    }
    OK(MPI_Waitsome(N, requests, &count, indices, statuses));
    CHECK_EQ(count, MPI_UNDEFINED);
    return check_done();
}
