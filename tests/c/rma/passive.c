// The target computes and calls nothing of MPI while others lock it, write, read and accumulate:
// it sees the result by looking at its memory.
// ranks: 2 4
// mpich: its targets have to call MPI
#include "flavor.h"
#include <time.h>

enum { WORDS = 1024 };

// Waits without MPI until the word is not less than `value`; gives up after ten seconds.
static int watch(volatile int *word, int value)
{
    struct timespec nap = {0, 200000};
    for (int i = 0; i < 50000 && __atomic_load_n(word, __ATOMIC_ACQUIRE) < value; i++)
        nanosleep(&nap, NULL);
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void origin(MPI_Win win)
{
    int data[WORDS - 2], back[WORDS - 2], one = 1, got;
    for (int i = 0; i < WORDS - 2; i++)
        data[i] = rank * 5000 + i;
    for (int round = 0; round < 20; round++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Put(data, WORDS - 2, MPI_INT, 0, 2, WORDS - 2, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Get(back, WORDS - 2, MPI_INT, 0, 2, WORDS - 2, MPI_INT, win));
        OK(MPI_Win_unlock(0, win));
        CHECK(memcmp(data, back, sizeof data) == 0);
    }
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 1, MPI_SUM, win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_unlock(0, win));
    CHECK(got >= 0 && got < size - 1);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        int *mine;
        MPI_Win win = make_window(flavor, WORDS * sizeof(int), sizeof(int), &mine);
        if (rank > 0)
            origin(win);
        else
            CHECK_EQ(watch(mine, size - 1), size - 1);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == 0) {
            int writer = mine[2] / 5000;
            CHECK(writer > 0 && writer < size);
            for (int i = 0; i < WORDS - 2; i++)
                CHECK_EQ(mine[2 + i], writer * 5000 + i);
        }
        free_window(flavor, &win, mine);
    }
    return check_done();
}
