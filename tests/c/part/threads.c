// Threads mark partitions of one request ready, while the main thread waits for it.
// ranks: 2
// cflags: -pthread
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, PARTS = 32, COUNT = 1000, ROUNDS = 10 };

static MPI_Request request;
static int data[PARTS * COUNT], current;

static void *work(void *number)
{
    int first = *(int *)number * (PARTS / THREADS);
    for (int p = first; p < first + PARTS / THREADS; p++) {
        for (int i = p * COUNT; i < (p + 1) * COUNT; i++)
            data[i] = i + current;
        OK(MPI_Pready(p, request));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    if (rank == 0)
        OK(MPI_Psend_init(data, PARTS, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request));
    else
        OK(MPI_Precv_init(data, 1, PARTS * COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request));
    for (current = 0; current < ROUNDS; current++) {
        OK(MPI_Start(&request));
        for (int i = 0; rank == 0 && i < THREADS; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, work, &numbers[i]);
        }
        MPI_Request waited = request;
        OK(MPI_Wait(&waited, MPI_STATUS_IGNORE));
        for (int i = 0; rank == 0 && i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; rank == 1 && i < PARTS * COUNT; i++)
            CHECK_EQ(data[i], i + current);
    }
    OK(MPI_Request_free(&request));
    return check_done();
}
