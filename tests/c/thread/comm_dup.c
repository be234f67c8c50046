// Threads duplicate, split and free communicators at the same time, each from its own parent.
// ranks: 1 2 4
#include "check.h"
#include <pthread.h>

enum { THREADS = 3, TURNS = 30 };
static MPI_Comm parents[THREADS];

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, sum, one = 1;
    for (int i = 0; i < TURNS; i++) {
        MPI_Comm copy, part;
        OK(MPI_Comm_dup(parents[me], &copy));
        OK(MPI_Comm_split(copy, rank % 2, rank, &part));
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part));
        CHECK_EQ(sum, (size + 1 - rank % 2) / 2);
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy));
        CHECK_EQ(sum, size);
        OK(MPI_Comm_free(&part));
        OK(MPI_Comm_free(&copy));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&parents[i]));
    return check_done();
}
