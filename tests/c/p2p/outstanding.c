// Thousands of requests between all pairs at once, posted receives before and after the sends.
// ranks: 2 4 8
#include "check.h"

enum { N = 300 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int total = N * size;
    MPI_Request *requests = malloc(2 * total * sizeof *requests);
    int(*in)[3] = malloc(total * sizeof *in), (*out)[3] = malloc(total * sizeof *out);
    int at = 0;
    for (int i = 0; i < N; i++)
        for (int peer = 0; peer < size && i % 2; peer++)
            OK(MPI_Irecv(in[i * size + peer], 3, MPI_INT, peer, i, MPI_COMM_WORLD,
                         &requests[at++]));
    for (int i = 0; i < N; i++) {
        for (int peer = 0; peer < size; peer++) {
            int *v = out[i * size + peer];
            v[0] = rank, v[1] = peer, v[2] = i;
            OK(MPI_Isend(v, 3, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[at++]));
        }
    }
    for (int i = 0; i < N; i++)
        for (int peer = 0; peer < size && i % 2 == 0; peer++)
            OK(MPI_Irecv(in[i * size + peer], 3, MPI_INT, peer, i, MPI_COMM_WORLD,
                         &requests[at++]));
    CHECK_EQ(at, 2 * total);
    OK(MPI_Waitall(at, requests, MPI_STATUSES_IGNORE));
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        for (int peer = 0; peer < size; peer++) {
            int *v = in[i * size + peer];
            wrong += v[0] != peer || v[1] != rank || v[2] != i;
        }
    }
    CHECK_EQ(wrong, 0);
    free(requests);
    free(in);
    free(out);
    return check_done();
}
