// Performance variables: they count what happens, in sessions and through handles.
// ranks: 2
// mpich: the variables are ours
#include "check.h"

static MPI_T_pvar_session session;

static MPI_T_pvar_handle handle_of(const char *name)
{
    int index = -1, count = -1;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    T_OK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index));
    T_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK_EQ(count, 1);
    return handle;
}

static unsigned long value_of(MPI_T_pvar_handle handle)
{
    unsigned long value = ~0ul;
    T_OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

static void describe_all(void)
{
    int n = -1;
    T_OK(MPI_T_pvar_get_num(&n));
    CHECK_GE(n, 5);
    for (int i = 0; i < n; i++) {
        char name[100], desc[500];
        int name_len = sizeof name, desc_len = sizeof desc, verbosity, class, bind, readonly;
        int continuous, atomic, index = -1;
        MPI_Datatype type;
        MPI_T_enum items;
        T_OK(MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &class, &type, &items, desc,
                                 &desc_len, &bind, &readonly, &continuous, &atomic));
        CHECK_EQ(class, MPI_T_PVAR_CLASS_COUNTER);
        CHECK_SAME(type, MPI_UNSIGNED_LONG);
        CHECK_SAME(items, MPI_T_ENUM_NULL);
        CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
        CHECK_EQ(readonly, 1);
        CHECK_EQ(continuous, 1);
        CHECK_EQ(atomic, 0);
        T_OK(MPI_T_pvar_get_index(name, class, &index));
        CHECK_EQ(index, i);
        T_FAILS(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_TIMER, &index),
                MPI_T_ERR_INVALID_NAME);
    }
    T_FAILS(MPI_T_pvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    T_OK(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL));
}

static void refused(void)
{
    MPI_T_pvar_handle handle = handle_of("messages_inline"), stale;
    MPI_T_pvar_session other, gone;
    unsigned long value = 1;
    int count;
    T_FAILS(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    T_FAILS(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    T_FAILS(MPI_T_pvar_write(session, handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
    T_FAILS(MPI_T_pvar_reset(session, handle), MPI_T_ERR_PVAR_NO_WRITE);
    T_FAILS(MPI_T_pvar_readreset(session, handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    T_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    T_OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    T_OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    T_FAILS(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    // A handle belongs to its session.
    T_OK(MPI_T_pvar_session_create(&other));
    T_FAILS(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
    gone = other;
    T_OK(MPI_T_pvar_session_free(&other));
    CHECK_SAME(other, MPI_T_PVAR_SESSION_NULL);
    T_FAILS(MPI_T_pvar_session_free(&gone), MPI_T_ERR_INVALID_SESSION);
    T_FAILS(MPI_T_pvar_read(gone, handle, &value), MPI_T_ERR_INVALID_SESSION);
    T_FAILS(MPI_T_pvar_handle_alloc(gone, 0, NULL, &stale, &count), MPI_T_ERR_INVALID_SESSION);
    T_FAILS(MPI_T_pvar_handle_alloc(session, -1, NULL, &stale, &count), MPI_T_ERR_INVALID_INDEX);
    stale = handle;
    T_OK(MPI_T_pvar_handle_free(session, &handle));
    CHECK_SAME(handle, MPI_T_PVAR_HANDLE_NULL);
    T_FAILS(MPI_T_pvar_handle_free(session, &stale), MPI_T_ERR_INVALID_HANDLE);
}

int main(int argc, char **argv)
{
    int provided;
    T_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    T_OK(MPI_T_pvar_session_create(&session));
    describe_all();
    MPI_T_pvar_handle small = handle_of("messages_inline");
    MPI_T_pvar_handle unexpected = handle_of("unexpected_messages");
    check_init(&argc, &argv);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    unsigned long before = value_of(small), unexpected_before = value_of(unexpected);
    if (rank == 0) {
        for (int i = 0; i < 10; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        CHECK_EQ(value_of(small) - before, 10);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    } else {
        // The messages are there before the barrier's, and nobody waits for them.
        OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_GE(value_of(unexpected) - unexpected_before, 10);
        for (int i = 0, got = -1; i < 10; i++) {
            OK(MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(got, i);
        }
    }
    refused();
    T_OK(MPI_T_pvar_session_free(&session));
    T_OK(MPI_T_finalize());
    return check_done();
}
