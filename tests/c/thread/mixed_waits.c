// One thread per kind of blocking call on one communicator each: receive, probe, collective,
// wait-any; a slow partner; nobody keeps the others from going on.
// ranks: 2 4
#include "check.h"
#include <pthread.h>

enum { TURNS = 50 };
static MPI_Comm comms[4];

static void *with_recv(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        int got = -1;
        OK(MPI_Sendrecv(&i, 1, MPI_INT, next_rank(), 0, &got, 1, MPI_INT, previous_rank(), 0,
                        comms[0], MPI_STATUS_IGNORE));
        CHECK_EQ(got, i);
    }
    return NULL;
}

static void *with_probe(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        MPI_Request request;
        MPI_Message message;
        int got = -1;
        OK(MPI_Isend(&i, 1, MPI_INT, next_rank(), 0, comms[1], &request));
        OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[1], &message, MPI_STATUS_IGNORE));
        OK(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(got, i);
    }
    return NULL;
}

static void *with_collectives(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        int sum = -1;
        if (rank == i % size)
            usleep(300);
        OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comms[2]));
        CHECK_EQ(sum, i * size);
    }
    return NULL;
}

static void *with_waitany(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        int got[3] = {-1, -1, -1}, index = -1;
        MPI_Request requests[3];
        for (int k = 0; k < 3; k++)
            OK(MPI_Irecv(&got[k], 1, MPI_INT, previous_rank(), k, comms[3], &requests[k]));
        for (int k = 2; k >= 0; k--)
            OK(MPI_Send(&k, 1, MPI_INT, next_rank(), k, comms[3]));
        for (int k = 0; k < 3; k++) {
            OK(MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE));
            CHECK(index >= 0 && index < 3 && got[index] == index);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    void *(*const work[4])(void *) = {with_recv, with_probe, with_collectives, with_waitany};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work[i], NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        OK(MPI_Comm_free(&comms[i]));
    return check_done();
}
