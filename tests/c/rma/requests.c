// Operations with requests: waits in every form, large counts, operations on nobody; only allowed
// between locks.
// ranks: 1 2 4
#include "flavor.h"

enum { WORDS = 256 };

static void all_kinds(MPI_Win win, int *mine)
{
    MPI_Request requests[4];
    MPI_Status status;
    int in[16], out[16], old[16], one[16], flag = 0, index = -1;
    for (int i = 0; i < 16; i++)
        in[i] = rank * 16 + i, out[i] = old[i] = -1, one[i] = 1;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(in, 16, MPI_INT, next_rank(), 0, 16, MPI_INT, win, &requests[0]));
    OK(MPI_Wait(&requests[0], &status));
    CHECK_SAME(requests[0], MPI_REQUEST_NULL);
    OK(MPI_Win_flush(next_rank(), win));
    OK(MPI_Rget(out, 16, MPI_INT, next_rank(), 0, 16, MPI_INT, win, &requests[0]));
    OK(MPI_Raccumulate(one, 16, MPI_INT, next_rank(), 16, 16, MPI_INT, MPI_SUM, win,
                       &requests[1]));
    OK(MPI_Rget_accumulate(one, 16, MPI_INT, old, 16, MPI_INT, next_rank(), 32, 16, MPI_INT,
                           MPI_SUM, win, &requests[2]));
    OK(MPI_Rput(in, 16, MPI_INT, MPI_PROC_NULL, 0, 16, MPI_INT, win, &requests[3]));
    OK(MPI_Waitany(4, requests, &index, &status));
    CHECK(index >= 0 && index < 4);
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK(memcmp(in, out, sizeof in) == 0);
    for (int i = 0; i < 16; i++)
        CHECK_EQ(old[i], 0);
    OK(MPI_Rget_c(out, 16, MPI_INT, next_rank(), 32, 16, MPI_INT, win, &requests[0]));
    while (!flag)
        OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    for (int i = 0; i < 16; i++)
        CHECK_EQ(out[i], 1);
    OK(MPI_Rput(in, 0, MPI_INT, next_rank(), 0, 0, MPI_INT, win, &requests[0]));
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 16; i++) {
        CHECK_EQ(mine[i], previous_rank() * 16 + i);
        CHECK_EQ(mine[16 + i], 1);
        CHECK_EQ(mine[32 + i], 1);
    }
}

static void not_between_fences(MPI_Win win)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 0;
    OK(MPI_Win_fence(0, win));
    if (is_starling())
        CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, rank, 200, 1, MPI_INT, win, &request),
                    MPI_ERR_RMA_SYNC);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        int *mine;
        MPI_Win win = make_window(flavor, WORDS * sizeof(int), sizeof(int), &mine);
        all_kinds(win, mine);
        not_between_fences(win);
        free_window(flavor, &win, mine);
    }
    return check_done();
}
