// Several threads receive from any source with one tag; every message is taken exactly once.
// ranks: 2 4
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, EACH = 400 };
static int seen[4 * EACH];

static void *take(void *arg)
{
    (void)arg;
    for (;;) {
        int value = -1;
        OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (value < 0)
            return NULL;
        __atomic_add_fetch(&seen[value], 1, __ATOMIC_RELAXED);
    }
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    if (rank == 0) {
        pthread_t threads[THREADS];
        int stop = -1, wrong = 0;
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(pthread_create(&threads[i], NULL, take, NULL), 0);
        OK(MPI_Barrier(MPI_COMM_WORLD)); // all have sent
        for (int i = 0; i < THREADS; i++)
            OK(MPI_Send(&stop, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        int left = 0, value;
        MPI_Status status;
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &left, &status));
        while (left) { // the stop signs may overtake messages of other ranks
            OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
            seen[value]++;
            OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &left, &status));
        }
        for (int i = EACH; i < size * EACH; i++)
            wrong += seen[i] != 1;
        CHECK_EQ(wrong, 0);
    } else {
        for (int i = 0; i < EACH; i++) {
            int value = rank * EACH + i;
            OK(MPI_Ssend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return check_done();
}
