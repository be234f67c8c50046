// Each thread has a communicator of its own and runs collectives on it, in its own pace.
// ranks: 1 2 4
#include "check.h"
#include <pthread.h>

enum { THREADS = 3, TURNS = 60, N = 700 };
static MPI_Comm comms[THREADS];

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    MPI_Comm comm = comms[me];
    for (int i = 0; i < TURNS; i++) {
        int mine[N], got[N], all[4], wrong = 0;
        for (int k = 0; k < N; k++)
            mine[k] = rank + k + me * 1000;
        OK(MPI_Allreduce(mine, got, N, MPI_INT, MPI_SUM, comm));
        for (int k = 0; k < N; k++)
            wrong += got[k] != size * (size - 1) / 2 + size * (k + me * 1000);
        int value = rank == i % size ? i + me : -1;
        OK(MPI_Bcast(&value, 1, MPI_INT, i % size, comm));
        wrong += value != i + me;
        OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm));
        for (int r = 0; r < size; r++)
            wrong += all[r] != r;
        MPI_Request request;
        OK(MPI_Ibarrier(comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(wrong, 0);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&comms[i]));
    return check_done();
}
