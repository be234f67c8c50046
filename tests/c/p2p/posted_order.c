// Receives are matched in the order they were posted, wildcards included.
// ranks: 2
#include "check.h"

enum { N = 60 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (rank == 1) {
        MPI_Request requests[N];
        MPI_Status statuses[N];
        int values[N];
        for (int i = 0; i < N; i++) {
            int source = i % 3 == 0 ? MPI_ANY_SOURCE : 0, tag = i % 2 ? MPI_ANY_TAG : 4;
            OK(MPI_Irecv(&values[i], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &requests[i]));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Waitall(N, requests, statuses));
        for (int i = 0; i < N; i++) {
            CHECK_EQ(values[i], i);
            CHECK_EQ(statuses[i].MPI_SOURCE, 0);
            CHECK_EQ(statuses[i].MPI_TAG, 4);
        }
    } else {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < N; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 1, 4, MPI_COMM_WORLD));
    }
    return check_done();
}
