// All ranks change the same elements at once: sums, fetch-and-op, compare-and-swap, minima, pairs
// and complex numbers never lose an update, whichever flavour the window has and whoever owns it.
// ranks: 2 4
// timeout: 60
#include "flavor.h"
#include <complex.h>

enum { ROUNDS = 300, BYTES = 4096 };

static void sums(MPI_Win win, char *mine)
{
    signed char one1 = 1;
    short one2 = 1;
    int one4 = 1;
    long one8 = 1, seen;
    double half = 0.5;
    float quarter = 0.25F;
    double complex unit = 1.0 + 2.0 * I;
    long double extended = 1.0L;
    int target = size - 1;
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Accumulate(&one4, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one8, &seen, MPI_LONG, target, 8, MPI_SUM, win));
        OK(MPI_Accumulate(&half, 1, MPI_DOUBLE, target, 16, 1, MPI_DOUBLE, MPI_SUM, win));
        OK(MPI_Accumulate(&quarter, 1, MPI_FLOAT, target, 24, 1, MPI_FLOAT, MPI_SUM, win));
        OK(MPI_Accumulate(&unit, 1, MPI_C_DOUBLE_COMPLEX, target, 32, 1, MPI_C_DOUBLE_COMPLEX,
                          MPI_SUM, win));
        OK(MPI_Accumulate(&extended, 1, MPI_LONG_DOUBLE, target, 48, 1, MPI_LONG_DOUBLE, MPI_SUM,
                          win));
        OK(MPI_Accumulate(&one2, 1, MPI_SHORT, target, 64, 1, MPI_SHORT, MPI_SUM, win));
        // Neighbours of two bytes, in one word: 66 and 68 belong to different ranks' turns.
        OK(MPI_Accumulate(&one2, 1, MPI_SHORT, target, 66 + 2 * (rank % 2), 1, MPI_SHORT, MPI_SUM,
                          win));
        if (i < 30)
            OK(MPI_Accumulate(&one1, 1, MPI_SIGNED_CHAR, target, 72, 1, MPI_SIGNED_CHAR, MPI_SUM,
                              win));
        // Misaligned on purpose.
        OK(MPI_Accumulate(&one4, 1, MPI_INT, target, 81, 1, MPI_INT, MPI_SUM, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == target) {
        long double total;
        int misaligned;
        memcpy(&total, mine + 48, sizeof total);
        memcpy(&misaligned, mine + 81, sizeof misaligned);
        CHECK_EQ(*(int *)mine, ROUNDS * size);
        CHECK_EQ(*(long *)(mine + 8), ROUNDS * size);
        CHECK_NEAR(*(double *)(mine + 16), 0.5 * ROUNDS * size, 0);
        CHECK_NEAR(*(float *)(mine + 24), 0.25 * ROUNDS * size, 0);
        CHECK_NEAR(((double *)(mine + 32))[0], 1.0 * ROUNDS * size, 0);
        CHECK_NEAR(((double *)(mine + 32))[1], 2.0 * ROUNDS * size, 0);
        CHECK_NEAR(total, 1.0 * ROUNDS * size, 0);
        CHECK_EQ(*(short *)(mine + 64), ROUNDS * size);
        CHECK_EQ(*(short *)(mine + 66), ROUNDS * ((size + 1) / 2));
        CHECK_EQ(*(short *)(mine + 68), ROUNDS * (size / 2));
        CHECK_EQ(mine[72], 30 * size);
        CHECK_EQ(misaligned, ROUNDS * size);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

// Different operations at one place: every ticket is seen once.
static void tickets(MPI_Win win, char *mine)
{
    int one = 1, got, target = 0;
    int *count = (int *)(mine + 1024);
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, target, 512, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
        CHECK(got >= 0 && got < ROUNDS * size);
        OK(MPI_Accumulate(&one, 1, MPI_INT, got % size, 1024 + got / size % 500 * 4, 1, MPI_INT,
                          MPI_SUM, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < ROUNDS; i++)
        CHECK_EQ(count[i], 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

// A lock made of compare-and-swap protects a counter that is not atomic.
static void spin_lock(MPI_Win win, char *mine)
{
    int zero = 0, mark = rank + 1, got, value, target = size - 1;
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 40; i++) {
        do {
            OK(MPI_Compare_and_swap(&mark, &zero, &got, MPI_INT, target, 600, win));
            OK(MPI_Win_flush(target, win));
            if (got)
                usleep(50);
        } while (got != 0);
        OK(MPI_Get(&value, 1, MPI_INT, target, 604, 1, MPI_INT, win));
        OK(MPI_Win_flush(target, win));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT, target, 604, 1, MPI_INT, win));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Fetch_and_op(&zero, &got, MPI_INT, target, 600, MPI_REPLACE, win));
        OK(MPI_Win_flush(target, win));
        CHECK_EQ(got, mark);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == target)
        CHECK_EQ(*(int *)(mine + 604), 40 * size);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

// Sums and exchanges mixed at one place: what was taken out and what is left is all there was.
static void mixture(MPI_Win win, char *mine)
{
    long taken = 0, got, one = 1, zero = 0, all = 0;
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, 704, 1, MPI_LONG, MPI_SUM, win));
        if (i % 7 == rank % 7) {
            OK(MPI_Fetch_and_op(&zero, &got, MPI_LONG, 0, 704, MPI_REPLACE, win));
            OK(MPI_Win_flush(0, win));
            taken += got;
        }
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Allreduce(&taken, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_EQ(all + *(long *)(mine + 704), (long)ROUNDS * size);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void pairs(MPI_Win win, char *mine)
{
    struct {
        double value;
        int index;
    } best = {0, -1}, *there = (void *)(mine + 800);
    struct {
        int value, index;
    } small = {0, -1}, *other = (void *)(mine + 832);
    if (rank == 0) {
        there->value = other->value = 1 << 20;
        there->index = other->index = -1;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 100; i++) {
        best.value = small.value = (i * 37 + rank * 11) % 101 + rank;
        best.index = small.index = rank * 1000 + i;
        OK(MPI_Accumulate(&best, 1, MPI_DOUBLE_INT, 0, 800, 1, MPI_DOUBLE_INT, MPI_MINLOC, win));
        OK(MPI_Accumulate(&small, 1, MPI_2INT, 0, 832, 1, MPI_2INT, MPI_MINLOC, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        int value = 1 << 20, index = -1;
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < 100; i++) {
                int v = (i * 37 + r * 11) % 101 + r, at = r * 1000 + i;
                if (v < value || (v == value && at < index))
                    value = v, index = at;
            }
        }
        CHECK_EQ((int)there->value, value);
        CHECK_EQ(there->index, index);
        CHECK_EQ(other->value, value);
        CHECK_EQ(other->index, index);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        char *mine;
        MPI_Win win = make_window(flavor, BYTES, 1, &mine);
        sums(win, mine);
        tickets(win, mine);
        spin_lock(win, mine);
        mixture(win, mine);
        pairs(win, mine);
        free_window(flavor, &win, mine);
    }
    return check_done();
}
