// MPI_Is_thread_main tells the thread that initialised from another; levels are ordered.
// ranks: 1 2
#include "check.h"
#include <pthread.h>

static void *other(void *flag)
{
    CHECK_EQ(MPI_Is_thread_main(flag), MPI_SUCCESS);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK_LT(MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED);
    CHECK_LT(MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED);
    CHECK_LT(MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE);
    check_init_threads(&argc, &argv);
    int here = -1, there = -1;
    OK(MPI_Is_thread_main(&here));
    CHECK_EQ(here, 1);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, other, &there), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(there, 0);
    return check_done();
}
