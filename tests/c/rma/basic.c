// Put, get and accumulate between fences, on windows of every flavour; ranges of a window.
// ranks: 1 2 4
#include "flavor.h"

enum { N = 64 };

static void put_and_get(int *mine, MPI_Win win)
{
    int value = 1000 + rank, got = -1, row[8], back[8];
    for (int i = 0; i < N; i++)
        mine[i] = rank * 100 + i;
    for (int i = 0; i < 8; i++)
        row[i] = rank * 10 + i;
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    OK(MPI_Put(&value, 1, MPI_INT, next_rank(), 3, 1, MPI_INT, win));
    OK(MPI_Put(row, 8, MPI_INT, next_rank(), 8, 8, MPI_INT, win));
    OK(MPI_Get(&got, 1, MPI_INT, previous_rank(), 40, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(got, previous_rank() * 100 + 40);
    CHECK_EQ(mine[3], 1000 + previous_rank());
    CHECK_EQ(mine[2], rank * 100 + 2);
    CHECK_EQ(mine[4], rank * 100 + 4);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(mine[8 + i], previous_rank() * 10 + i);
    CHECK_EQ(mine[16], rank * 100 + 16);
    OK(MPI_Get(back, 8, MPI_INT, next_rank(), 8, 8, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK(memcmp(back, row, sizeof row) == 0);
}

static void accumulate(int *mine, MPI_Win win)
{
    int one = 1, high = rank, old[2] = {-1, -1}, in[2] = {rank + 1, rank + 2};
    memset(mine, 0, N * sizeof(int));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 50; i++)
        OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Accumulate(&high, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_MAX, win));
    OK(MPI_Win_fence(0, win));
    if (rank == 0) {
        CHECK_EQ(mine[0], 50 * size);
        CHECK_EQ(mine[1], size - 1);
    }
    OK(MPI_Get_accumulate(in, 2, MPI_INT, old, 2, MPI_INT, next_rank(), 10, 2, MPI_INT,
                          MPI_REPLACE, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(old[0], 0);
    CHECK_EQ(old[1], 0);
    CHECK_EQ(mine[10], previous_rank() + 1);
    OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, old, 2, MPI_INT, next_rank(), 10, 2,
                          MPI_INT, MPI_NO_OP, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(old[0], rank + 1);
    CHECK_EQ(old[1], rank + 2);
    OK(MPI_Fetch_and_op(&one, old, MPI_INT, rank, 11, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(mine[11], previous_rank() + 3);
    CHECK_EQ(old[0], previous_rank() + 2);
}

static void outside(MPI_Win win)
{
    int value[4] = {0};
    OK(MPI_Win_fence(0, win));
    CHECK_CLASS(MPI_Put(value, 4, MPI_INT, 0, N - 3, 4, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(value, 1, MPI_INT, 0, N, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Accumulate(value, 1, MPI_INT, 0, 1 << 30, 1, MPI_INT, MPI_SUM, win),
                MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(value, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
    OK(MPI_Put(value, 0, MPI_INT, 0, N, 0, MPI_INT, win));
    OK(MPI_Put(value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        int *mine;
        MPI_Win win = make_window(flavor, N * sizeof(int), sizeof(int), &mine);
        put_and_get(mine, win);
        accumulate(mine, win);
        if (is_starling())
            outside(win);
        free_window(flavor, &win, mine);
        CHECK_SAME(win, MPI_WIN_NULL);
    }
    return check_done();
}
