// Both sides send far more than any ring holds before they receive anything: sends that are not
// blocking never deadlock, and what was sent first arrives first.
// ranks: 2 4
// timeout: 60
#include "check.h"

enum { N = 6000, BYTES = 1000 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    char *out = malloc((size_t)N * BYTES), in[BYTES];
    MPI_Request *requests = malloc(N * sizeof *requests);
    for (int i = 0; i < N; i++) {
        int n = i % 10 == 0 ? BYTES : i % 50;
        pattern_fill(out + (size_t)i * BYTES, n, rank + i);
        OK(MPI_Isend(out + (size_t)i * BYTES, n, MPI_BYTE, next_rank(), i % 7, MPI_COMM_WORLD,
                     &requests[i]));
    }
    for (int i = 0; i < N; i++) {
        MPI_Status status;
        int n = i % 10 == 0 ? BYTES : i % 50, count = -1;
        OK(MPI_Recv(in, BYTES, MPI_BYTE, previous_rank(), i % 3 ? i % 7 : MPI_ANY_TAG,
                    MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, n);
        CHECK_EQ(status.MPI_TAG, i % 7);
        CHECK_PATTERN(in, n, previous_rank() + i);
    }
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    free(out);
    free(requests);
    return check_done();
}
