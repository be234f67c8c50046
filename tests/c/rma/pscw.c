// Post, start, complete, wait and test: rings, one to all, all to one, groups that differ between
// epochs, exposure and access at the same time.
// ranks: 2 3 4
#include "flavor.h"

enum { WORDS = 64 };

static MPI_Group group_of(int n, const int *ranks)
{
    MPI_Group world, part;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, n, ranks, &part));
    OK(MPI_Group_free(&world));
    return part;
}

static void ring(MPI_Win win, int *mine)
{
    MPI_Group left = group_of(1, (int[]){previous_rank()});
    MPI_Group right = group_of(1, (int[]){next_rank()});
    for (int round = 0; round < 50; round++) {
        int value = rank * 1000 + round;
        OK(MPI_Win_post(left, round % 2 ? MPI_MODE_NOSTORE : 0, win));
        OK(MPI_Win_start(right, 0, win));
        OK(MPI_Put(&value, 1, MPI_INT, next_rank(), round % WORDS, 1, MPI_INT, win));
        OK(MPI_Win_complete(win));
        if (round % 3 == 0) {
            int flag = 0;
            while (!flag)
                OK(MPI_Win_test(win, &flag));
        } else {
            OK(MPI_Win_wait(win));
        }
        CHECK_EQ(mine[round % WORDS], previous_rank() * 1000 + round);
    }
    OK(MPI_Group_free(&left));
    OK(MPI_Group_free(&right));
}

static void all_to_one(MPI_Win win, int *mine)
{
    for (int root = 0; root < size; root++) {
        int others[64], n = 0, value = 7 * rank + root;
        for (int r = 0; r < size; r++)
            if (r != root)
                others[n++] = r;
        MPI_Group rest = group_of(n, others), one = group_of(1, &root);
        if (rank == root) {
            OK(MPI_Win_post(rest, 0, win));
            OK(MPI_Win_wait(win));
            for (int r = 0; r < size; r++)
                if (r != root)
                    CHECK_EQ(mine[r], 7 * r + root);
        } else {
            OK(MPI_Win_start(one, 0, win));
            OK(MPI_Put(&value, 1, MPI_INT, root, rank, 1, MPI_INT, win));
            OK(MPI_Win_complete(win));
        }
        OK(MPI_Group_free(&rest));
        OK(MPI_Group_free(&one));
    }
}

static void one_to_all(MPI_Win win, int *mine)
{
    MPI_Group everybody;
    int got[64];
    OK(MPI_Win_get_group(win, &everybody));
    for (int root = 0; root < size; root++) {
        MPI_Group one = group_of(1, &root);
        mine[0] = rank * 3 + root;
        OK(MPI_Win_post(one, 0, win));
        if (rank == root) {
            OK(MPI_Win_start(everybody, 0, win));
            for (int r = 0; r < size; r++)
                OK(MPI_Get(&got[r], 1, MPI_INT, r, 0, 1, MPI_INT, win));
            OK(MPI_Win_complete(win));
            for (int r = 0; r < size; r++)
                CHECK_EQ(got[r], r * 3 + root);
        }
        OK(MPI_Win_wait(win));
        OK(MPI_Group_free(&one));
    }
    OK(MPI_Group_free(&everybody));
}

static void nobody(MPI_Win win)
{
    int flag = 0;
    OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_test(win, &flag));
    CHECK_EQ(flag, 1);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        int *mine;
        MPI_Win win = make_window(flavor, WORDS * sizeof(int), sizeof(int), &mine);
        ring(win, mine);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        all_to_one(win, mine);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        one_to_all(win, mine);
        nobody(win);
        free_window(flavor, &win, mine);
    }
    return check_done();
}
