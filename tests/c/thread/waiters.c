// One thread waits in a receive while another sends to the own rank: a blocked wait must let
// others in. Then several threads wait for different requests that arrive in another order.
// ranks: 1 2
#include "check.h"
#include <pthread.h>

enum { WAITERS = 5 };
static MPI_Request requests[WAITERS];
static int values[WAITERS];

static void *wait_one(void *arg)
{
    int i = (int)(intptr_t)arg;
    MPI_Status status;
    OK(MPI_Wait(&requests[i], &status));
    CHECK_EQ(status.MPI_TAG, i);
    CHECK_EQ(values[i], i * 11);
    return NULL;
}

static void *receive(void *arg)
{
    int value = -1;
    (void)arg;
    OK(MPI_Recv(&value, 1, MPI_INT, rank, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 1234);
    return NULL;
}

static void *probe(void *arg)
{
    MPI_Message message;
    MPI_Status status;
    int value = -1;
    (void)arg;
    OK(MPI_Mprobe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &message, &status));
    OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    CHECK_EQ(value, 5678);
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    pthread_t thread, other, threads[WAITERS];
    int value = 1234, probed = 5678;
    CHECK_EQ(pthread_create(&thread, NULL, receive, NULL), 0);
    CHECK_EQ(pthread_create(&other, NULL, probe, NULL), 0);
    usleep(20000);
    OK(MPI_Ssend(&value, 1, MPI_INT, rank, 50, MPI_COMM_WORLD));
    OK(MPI_Send(&probed, 1, MPI_INT, rank, 60, MPI_COMM_WORLD));
    pthread_join(thread, NULL);
    pthread_join(other, NULL);
    for (int i = 0; i < WAITERS; i++) {
        OK(MPI_Irecv(&values[i], 1, MPI_INT, previous_rank(), i, MPI_COMM_WORLD, &requests[i]));
        CHECK_EQ(pthread_create(&threads[i], NULL, wait_one, (void *)(intptr_t)i), 0);
    }
    usleep(20000);
    for (int i = WAITERS - 1; i >= 0; i--) {
        int out = i * 11;
        OK(MPI_Send(&out, 1, MPI_INT, next_rank(), i, MPI_COMM_WORLD));
        usleep(2000);
    }
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    return check_done();
}
