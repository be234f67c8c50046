// Threads use one window at the same time, wait in windows of their own, and mix both with
// messages.
// ranks: 2
// timeout: 60
#include "flavor.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100 };

static MPI_Win common, own[THREADS];
static MPI_Comm comms[THREADS];
static int *shared, *parts[THREADS];

static void *work(void *argument)
{
    int id = (int)(intptr_t)argument, one = 1, got, value;
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Accumulate(&one, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, MPI_SUM, common));
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 1, MPI_SUM, common));
        OK(MPI_Win_flush(0, common));
        CHECK(got >= 0 && got < ROUNDS * THREADS * size);
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, id % size, 0, own[id]));
        OK(MPI_Get(&value, 1, MPI_INT, id % size, 0, 1, MPI_INT, own[id]));
        OK(MPI_Win_flush(id % size, own[id]));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT, id % size, 0, 1, MPI_INT, own[id]));
        OK(MPI_Win_unlock(id % size, own[id]));
        if (i % 10 == 0) {
            OK(MPI_Win_fence(0, own[id]));
            OK(MPI_Put(&i, 1, MPI_INT, next_rank(), 1, 1, MPI_INT, own[id]));
            OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, own[id]));
            CHECK_EQ(parts[id][1], i);
            OK(MPI_Sendrecv(&i, 1, MPI_INT, next_rank(), id, &got, 1, MPI_INT, previous_rank(),
                            id, comms[id], MPI_STATUS_IGNORE));
            CHECK_EQ(got, i);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_init_threads(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        pthread_t threads[THREADS];
        common = make_window(flavor, 64, sizeof(int), &shared);
        for (int i = 0; i < THREADS; i++) {
            own[i] = make_window(flavor, 64, sizeof(int), &parts[i]);
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
        }
        OK(MPI_Win_lock_all(0, common));
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        OK(MPI_Win_unlock_all(common));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_EQ(shared[0], ROUNDS * THREADS);
        if (rank == 0)
            CHECK_EQ(shared[1], ROUNDS * THREADS * size);
        for (int i = 0; i < THREADS; i++) {
            if (i % size == rank)
                CHECK_EQ(parts[i][0], ROUNDS * size);
            free_window(flavor, &own[i], parts[i]);
            OK(MPI_Comm_free(&comms[i]));
        }
        free_window(flavor, &common, shared);
    }
    return check_done();
}
