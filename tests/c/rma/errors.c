// What is wrong is refused with the right class, and the window works on: arguments, epochs that
// are missing, open twice or mixed, operations, datatypes, handles.
// ranks: 1 2
// mpich: it checks less
#include "flavor.h"

static int value, other, memory[64];

static void arguments(MPI_Win win)
{
    MPI_Datatype raw;
    MPI_Op op;
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &raw));
    OK(MPI_Op_create((MPI_User_function *)abort, 1, &op));
    OK(MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, -17, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Get(&value, 1, MPI_INT, 0, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Get(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get(memory, 1, raw, 0, 0, 1, raw, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Put(memory, 4, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Get(memory, 2, MPI_INT, 0, 0, 4, MPI_INT, win), MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, op, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win),
                MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAXLOC, win),
                MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win),
                MPI_ERR_OP);
    CHECK_CLASS(MPI_Fetch_and_op(&value, &other, raw, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Compare_and_swap(&value, &value, &other, MPI_FLOAT, 0, 0, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Compare_and_swap(&value, &value, NULL, MPI_INT, 0, 0, win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Win_flush(size, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, NULL), MPI_ERR_ARG);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Type_free(&raw));
    OK(MPI_Op_free(&op));
    CHECK_CLASS(MPI_Win_fence(1, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOSUCCEED, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_lock_all(-1, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_lock(7, 0, 0, win), MPI_ERR_LOCKTYPE);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT);
}

static void missing(MPI_Win win)
{
    int flag;
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win),
                MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Fetch_and_op(&value, &other, MPI_INT, 0, 0, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Compare_and_swap(&value, &value, &other, MPI_INT, 0, 0, win),
                MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
}

static void mixed(MPI_Win *win)
{
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, *win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_start(MPI_GROUP_EMPTY, 0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(*win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_free(win), MPI_ERR_RMA_SYNC);
    CHECK(*win != MPI_WIN_NULL);
    if (size > 1) {
        CHECK_CLASS(MPI_Win_unlock(1, *win), MPI_ERR_RMA_SYNC);
        CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, *win), MPI_ERR_RMA_SYNC);
        CHECK_CLASS(MPI_Win_flush(1, *win), MPI_ERR_RMA_SYNC);
    }
    OK(MPI_Win_unlock(0, *win));
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, *win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_lock_all(0, *win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(*win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock_all(*win));
    OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, *win));
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_EMPTY, 0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_free(win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_wait(*win));
    OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, *win));
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, *win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_complete(*win));
    OK(MPI_Win_fence(0, *win));
    OK(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, *win));
    CHECK_CLASS(MPI_Win_lock_all(0, *win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_free(win), MPI_ERR_RMA_SYNC);
    // A fence that nobody used does not stand in the way of locks.
    OK(MPI_Win_fence(0, *win));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, *win));
    OK(MPI_Win_unlock(rank, *win));
}

static void making(void)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base;
    MPI_Info info;
    CHECK_CLASS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_create(memory, 8, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Win_allocate(-8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, NULL, &win), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, (MPI_Win)MPI_COMM_WORLD), MPI_ERR_WIN);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "no_locks", "true"));
    OK(MPI_Win_create(memory, 8, 1, info, MPI_COMM_WORLD, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    MPI_Win copy = win;
    OK(MPI_Win_free(&win));
    CHECK_CLASS(MPI_Win_fence(0, copy), MPI_ERR_WIN);
    // More memory than there is: an error on all, and MPI works on.
    CHECK_CLASS(MPI_Win_allocate(rank == size - 1 ? (MPI_Aint)1 << 45 : 64, 1, MPI_INFO_NULL,
                                 MPI_COMM_WORLD, &base, &win),
                MPI_ERR_NO_MEM);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        int *mine;
        MPI_Win win = make_window(flavor, 256, sizeof(int), &mine);
        arguments(win);
        missing(win);
        mixed(&win);
        CHECK_EQ(mine[0], 0);
        free_window(flavor, &win, mine);
    }
    making();
    return check_done();
}
