// Long and short accumulates meet at the same elements: nothing is lost, whichever flavour the
// window has; compare-and-swap and misaligned elements beside them.
// ranks: 2 4
// timeout: 60
#include "flavor.h"

enum { WORDS = 8192, ROUNDS = 40, SHORTS = 100 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        char *mine;
        MPI_Win win = make_window(flavor, 8 * WORDS + 64, 1, &mine);
        static long ones[WORDS], totals[WORDS];
        long one = 1, old, swapped = 0, all;
        int small = 1, target = size - 1, wrong = 0;
        for (int i = 0; i < WORDS; i++)
            ones[i] = 1, totals[i] = 0;
        OK(MPI_Win_lock_all(0, win));
        for (int round = 0; round < ROUNDS; round++) {
            if ((round + rank) % 4 == 0) {
                OK(MPI_Accumulate(ones, WORDS, MPI_LONG, target, 0, WORDS, MPI_LONG, MPI_SUM,
                                  win));
                for (int i = 0; i < WORDS; i++)
                    totals[i]++;
            }
            for (int i = 0; i < SHORTS; i++) {
                int at = i % 3 ? i : (round * SHORTS + i * 37) % WORDS;
                OK(MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 8 * at, MPI_SUM, win));
                totals[at]++;
                // Takes one more where it is quick enough.
                long next, expected;
                OK(MPI_Win_flush(target, win));
                next = old + 2, expected = old + 1;
                OK(MPI_Compare_and_swap(&next, &expected, &old, MPI_LONG, target, 8 * at, win));
                OK(MPI_Win_flush(target, win));
                if (old == expected)
                    totals[at]++, swapped++;
                OK(MPI_Accumulate(&small, 1, MPI_INT, target, 8 * WORDS + 3, 1, MPI_INT, MPI_SUM,
                                  win));
            }
        }
        OK(MPI_Win_unlock_all(win));
        OK(MPI_Allreduce(MPI_IN_PLACE, totals, WORDS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        OK(MPI_Allreduce(&swapped, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        CHECK_LT(0, all);
        if (rank == target) {
            int misaligned;
            memcpy(&misaligned, mine + 8 * WORDS + 3, sizeof misaligned);
            CHECK_EQ(misaligned, size * ROUNDS * SHORTS);
            for (int i = 0; i < WORDS; i++)
                wrong += ((long *)mine)[i] != totals[i];
            CHECK_EQ(wrong, 0);
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        free_window(flavor, &win, mine);
    }
    return check_done();
}
