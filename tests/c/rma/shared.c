// Shared windows: one block by default, apart on request, queries, loads and stores by others,
// processes without memory, all three other flavours' answers to the query.
// ranks: 1 2 4
#include "flavor.h"

static void layout(int apart)
{
    MPI_Info info;
    MPI_Win win;
    char *base, *at, *expected = NULL;
    MPI_Aint bytes;
    int unit, mine = 40 + 8 * rank;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false"));
    OK(MPI_Win_allocate_shared(mine, 1 + rank, info, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Info_free(&info));
    for (int r = 0; r < size; r++) {
        OK(MPI_Win_shared_query(win, r, &bytes, &unit, &at));
        CHECK_EQ(bytes, 40 + 8 * r);
        CHECK_EQ(unit, 1 + r);
        if (r == rank)
            CHECK(at == base);
        if (!apart && expected)
            CHECK(at == expected);
        expected = at + bytes;
    }
    OK(MPI_Win_lock_all(0, win));
    memset(base, 'a' + rank, mine);
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    for (int r = 0; r < size; r++) {
        OK(MPI_Win_shared_query(win, r, &bytes, &unit, &at));
        for (int i = 0; i < bytes; i++)
            CHECK_EQ(at[i], 'a' + r);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    // A store of another process is seen by the owner, and by a get.
    OK(MPI_Win_shared_query(win, next_rank(), &bytes, &unit, &at));
    at[bytes - 1] = 'A' + rank;
    OK(MPI_Win_sync(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    CHECK_EQ(base[mine - 1], 'A' + previous_rank());
    char got;
    int last = (40 + 8 * next_rank() - 1) / (1 + next_rank());
    OK(MPI_Get(&got, 1, MPI_CHAR, next_rank(), last, 1, MPI_CHAR, win));
    OK(MPI_Win_flush(next_rank(), win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_shared_query(win, next_rank(), &bytes, &unit, &at));
    CHECK_EQ(got, at[last * unit]);
    OK(MPI_Win_free(&win));
}

static void only_last(void)
{
    MPI_Win win;
    double *base, *at;
    MPI_Aint bytes, wide;
    int unit;
    int last = size - 1;
    OK(MPI_Win_allocate_shared(rank == last ? 80 : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                               &win));
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &at));
    CHECK_EQ(bytes, 80);
    CHECK_EQ(unit, 8);
    OK(MPI_Win_shared_query_c(win, last, &bytes, &wide, &base));
    CHECK_EQ(wide, 8);
    CHECK(base == at);
    OK(MPI_Win_fence(0, win));
    if (rank == 0)
        for (int i = 0; i < 10; i++)
            at[i] = i;
    OK(MPI_Win_fence(0, win));
    CHECK_NEAR(at[9], 9, 0);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate_shared(0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &at));
    CHECK_EQ(bytes, 0);
    CHECK(at == NULL);
    OK(MPI_Win_free(&win));
}

static void others(void)
{
    MPI_Win win;
    MPI_Aint bytes;
    int unit;
    char memory[16], *at;
    if (!is_starling())
        return;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Win_shared_query(win, 0, &bytes, &unit, &at), MPI_ERR_RMA_FLAVOR);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(memory, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_shared_query(win, rank, &bytes, &unit, &at));
    CHECK(at == memory && bytes == 16);
    if (size > 1) {
        OK(MPI_Win_shared_query(win, next_rank(), &bytes, &unit, &at));
        CHECK(at == NULL && bytes == 0);
    }
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    layout(0);
    layout(1);
    only_last();
    others();
    return check_done();
}
