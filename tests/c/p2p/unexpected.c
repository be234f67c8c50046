// Ten thousand messages arrive before any receive is posted; they are then taken from the end
// of the tags to the front, so that every search is as long as it can be at first.
// ranks: 2 4
#include "check.h"

enum { N = 10000 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int partner = rank ^ 1;
    MPI_Request *requests = malloc(N * sizeof *requests);
    int *values = malloc(N * sizeof *values);
    if (rank % 2 == 0) {
        for (int i = 0; i < N; i++) {
            values[i] = i * 3;
            OK(MPI_Isend(&values[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &requests[i]));
        }
        OK(MPI_Send(NULL, 0, MPI_INT, partner, N, MPI_COMM_WORLD));
        OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    } else {
        OK(MPI_Recv(NULL, 0, MPI_INT, partner, N, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < N / 2; i++)
            OK(MPI_Recv(&values[N - 1 - i], 1, MPI_INT, partner, N - 1 - i, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        for (int i = 0; i < N / 2; i++)
            OK(MPI_Irecv(&values[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Waitall(N / 2, requests, MPI_STATUSES_IGNORE));
        int wrong = 0;
        for (int i = 0; i < N; i++)
            wrong += values[i] != i * 3;
        CHECK_EQ(wrong, 0);
    }
    free(requests);
    free(values);
    return check_done();
}
