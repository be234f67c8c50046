// Several threads of each rank exchange messages at once, told apart by tags, with small and
// large messages, blocking and not.
// ranks: 1 2 4
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 100 };

static void *talk(void *arg)
{
    int me = (int)(intptr_t)arg;
    static const int sizes[] = {0, 4, 40, 41, 1000, 8193, 40000};
    char *out = malloc(40000), *in = malloc(40000);
    for (int i = 0; i < TURNS; i++) {
        int n = sizes[(i + me) % 7], count = -1;
        MPI_Status status;
        MPI_Request requests[2];
        pattern_fill(out, n, rank * 10 + me + i);
        if (i % 2) {
            OK(MPI_Sendrecv(out, n, MPI_BYTE, next_rank(), me, in, 40000, MPI_BYTE,
                            previous_rank(), me, MPI_COMM_WORLD, &status));
        } else {
            OK(MPI_Irecv(in, 40000, MPI_BYTE, previous_rank(), me, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Isend(out, n, MPI_BYTE, next_rank(), me, MPI_COMM_WORLD, &requests[1]));
            OK(MPI_Wait(&requests[0], &status));
            OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        }
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, n);
        CHECK_PATTERN(in, n, previous_rank() * 10 + me + i);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, talk, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return check_done();
}
