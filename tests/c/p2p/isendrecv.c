// MPI_Isendrecv and MPI_Isendrecv_replace, several at once.
// ranks: 1 2 4
// The status is that of the receive; MPICH 5.0.2 leaves it empty, so only we are asked for it.
#include "check.h"

enum { N = 6, LENGTH = 30000 };
static int out[N][LENGTH], in[N][LENGTH], place[LENGTH];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Request requests[N + 1];
    MPI_Status statuses[N + 1];
    for (int i = 0; i < N; i++) {
        int n = i * (LENGTH / N);
        for (int k = 0; k < n; k++)
            out[i][k] = rank * 100000 + i * 1000 + k;
        OK(MPI_Isendrecv(out[i], n, MPI_INT, next_rank(), i, in[i], n, MPI_INT, previous_rank(),
                         i, MPI_COMM_WORLD, &requests[i]));
    }
    for (int k = 0; k < LENGTH; k++)
        place[k] = rank + k;
    OK(MPI_Isendrecv_replace(place, LENGTH, MPI_INT, previous_rank(), 99, next_rank(), 99,
                             MPI_COMM_WORLD, &requests[N]));
    OK(MPI_Waitall(N + 1, requests, statuses));
    for (int i = 0; i < N; i++) {
        int n = i * (LENGTH / N), wrong = 0, count = -1;
        for (int k = 0; k < n; k++)
            wrong += in[i][k] != previous_rank() * 100000 + i * 1000 + k;
        CHECK_EQ(wrong, 0);
        if (!is_starling())
            continue;
        CHECK_EQ(statuses[i].MPI_SOURCE, previous_rank());
        CHECK_EQ(statuses[i].MPI_TAG, i);
        OK(MPI_Get_count(&statuses[i], MPI_INT, &count));
        CHECK_EQ(count, n);
    }
    int wrong = 0;
    for (int k = 0; k < LENGTH; k++)
        wrong += place[k] != next_rank() + k;
    CHECK_EQ(wrong, 0);
    if (is_starling())
        CHECK_EQ(statuses[N].MPI_SOURCE, next_rank());
    return check_done();
}
