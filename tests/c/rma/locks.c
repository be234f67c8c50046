// Exclusive locks exclude, shared ones let each other in, nobody starves; lock-all, flushes,
// several targets at once, locks without a check, locks on oneself.
// ranks: 1 2 4
// timeout: 60
#include "flavor.h"

enum { WORDS = 64, ROUNDS = 100 };

static void add(MPI_Win win, int target)
{
    int value;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    OK(MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    OK(MPI_Win_flush(target, win));
    value++;
    OK(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock(target, win));
}

// Both halves are written under an exclusive lock, so readers never see them differ.
static void readers(MPI_Win win, int target)
{
    int halves[2];
    for (int i = 0; i < ROUNDS; i++) {
        if ((i + rank) % 4 == 0) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            halves[0] = halves[1] = rank * ROUNDS + i;
            OK(MPI_Put(&halves[0], 1, MPI_INT, target, 8, 1, MPI_INT, win));
            OK(MPI_Put(&halves[1], 1, MPI_INT, target, 40, 1, MPI_INT, win));
        } else {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
            OK(MPI_Get(&halves[0], 1, MPI_INT, target, 8, 1, MPI_INT, win));
            OK(MPI_Get(&halves[1], 1, MPI_INT, target, 40, 1, MPI_INT, win));
            OK(MPI_Win_flush_local(target, win));
            CHECK_EQ(halves[0], halves[1]);
        }
        OK(MPI_Win_unlock(target, win));
    }
}

static void several(MPI_Win win, int *mine)
{
    int value = rank + 1;
    for (int r = 0; r < size; r++)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, r, r % 2 ? MPI_MODE_NOCHECK : 0, win));
    for (int r = 0; r < size; r++)
        OK(MPI_Put(&value, 1, MPI_INT, r, 16 + rank, 1, MPI_INT, win));
    OK(MPI_Win_flush_all(win));
    OK(MPI_Win_flush_local_all(win));
    for (int r = 0; r < size; r++)
        OK(MPI_Win_unlock(r, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_EQ(mine[16 + r], r + 1);
}

// An exclusive lock held by one makes the shared ones of lock-all wait.
static void against_all(MPI_Win win)
{
    int value;
    for (int i = 0; i < 30; i++) {
        if (i % size == rank) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            for (int k = 0; k < 2; k++) {
                value = 100 + i;
                OK(MPI_Put(&value, 1, MPI_INT, 0, 50 + k, 1, MPI_INT, win));
            }
            OK(MPI_Win_unlock(0, win));
        } else {
            int two[2] = {-1, -2};
            OK(MPI_Win_lock_all(i % 2 ? MPI_MODE_NOCHECK : 0, win));
            OK(MPI_Get(two, 2, MPI_INT, 0, 50, 2, MPI_INT, win));
            OK(MPI_Win_sync(win));
            OK(MPI_Win_unlock_all(win));
            if (i % 2 == 0)
                CHECK_EQ(two[0], two[1]);
        }
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        int *mine;
        MPI_Win win = make_window(flavor, WORDS * sizeof(int), sizeof(int), &mine);
        for (int i = 0; i < ROUNDS; i++)
            add(win, i % size);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        int turns = ROUNDS / size + (rank < ROUNDS % size);
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        CHECK_EQ(mine[0], turns * size);
        OK(MPI_Win_unlock(rank, win));
        readers(win, size - 1);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        several(win, mine);
        against_all(win);
        free_window(flavor, &win, mine);
    }
    return check_done();
}
