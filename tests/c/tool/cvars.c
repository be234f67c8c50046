// Control variables before MPI_Init: their descriptions, values, and that none can be written.
// ranks: 1
// env: STARLING_EAGER_LIMIT=4K
// env: STARLING_CMA=0
// mpich: the variables are ours
#include "check.h"

static unsigned long read_number(const char *name)
{
    int index = -1, count = 0;
    unsigned long value = 0;
    MPI_T_cvar_handle handle;
    T_OK(MPI_T_cvar_get_index(name, &index));
    T_OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK_EQ(count, 1);
    T_OK(MPI_T_cvar_read(handle, &value));
    T_FAILS(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
    T_FAILS(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
    MPI_T_cvar_handle stale = handle;
    T_OK(MPI_T_cvar_handle_free(&handle));
    CHECK_SAME(handle, MPI_T_CVAR_HANDLE_NULL);
    T_FAILS(MPI_T_cvar_read(stale, &value), MPI_T_ERR_INVALID_HANDLE);
    T_FAILS(MPI_T_cvar_handle_free(&stale), MPI_T_ERR_INVALID_HANDLE);
    return value;
}

static void describe_all(void)
{
    int n = -1;
    T_OK(MPI_T_cvar_get_num(&n));
    CHECK_GE(n, 5);
    for (int i = 0; i < n; i++) {
        char name[100], desc[1000], piece[4] = "...";
        int name_len = sizeof name, desc_len = sizeof desc, verbosity = -1, bind = -1, scope = -1;
        int index = -1, needed = 0, cut = 3;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum items = MPI_T_ENUM_NULL;
        T_OK(MPI_T_cvar_get_info(i, name, &name_len, &verbosity, &type, &items, desc, &desc_len,
                                 &bind, &scope));
        CHECK_EQ(name_len, strlen(name) + 1);
        CHECK_EQ(desc_len, strlen(desc) + 1);
        CHECK(desc_len > 10);
        CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
        CHECK_EQ(scope, MPI_T_SCOPE_CONSTANT);
        CHECK_GE(verbosity, MPI_T_VERBOSITY_USER_BASIC);
        CHECK(type == MPI_UNSIGNED_LONG || type == MPI_CHAR ||
              (type == MPI_INT && items != MPI_T_ENUM_NULL));
        T_OK(MPI_T_cvar_get_index(name, &index));
        CHECK_EQ(index, i);
        // Only the length, nothing at all, and less room than needed.
        T_OK(MPI_T_cvar_get_info(i, NULL, &needed, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK_EQ(needed, name_len);
        T_OK(MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        T_OK(MPI_T_cvar_get_info(i, piece, &cut, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
        CHECK_EQ(cut, name_len);
        CHECK(strlen(piece) == 2 && strncmp(piece, name, 2) == 0);
    }
    T_FAILS(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            MPI_T_ERR_INVALID_INDEX);
}

static void check_switch(void)
{
    int index = -1, n = -1, value = -1, length = 20, count = -1;
    char name[20];
    MPI_T_enum items = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle;
    T_OK(MPI_T_cvar_get_index("cma", &index));
    T_OK(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, &items, NULL, NULL, NULL, NULL));
    T_OK(MPI_T_enum_get_info(items, &n, name, &length));
    CHECK_EQ(n, 2);
    CHECK_EQ(length, strlen(name) + 1);
    T_OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    int read = 7;
    T_OK(MPI_T_cvar_read(handle, &read));
    CHECK_EQ(read, 0);
    for (int i = 0; i < n; i++) {
        length = sizeof name;
        T_OK(MPI_T_enum_get_item(items, i, &value, name, &length));
        if (value == read)
            CHECK_STR(name, "off");
    }
    T_FAILS(MPI_T_enum_get_item(items, n, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
    T_FAILS(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, name, &length), MPI_T_ERR_INVALID_HANDLE);
    T_OK(MPI_T_cvar_handle_free(&handle));
}

int main(int argc, char **argv)
{
    int provided = -1, index = -1, n = -1, count = -1;
    MPI_T_cvar_handle handle;
    T_FAILS(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    T_FAILS(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    T_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_GE(provided, MPI_THREAD_SINGLE);
    describe_all();
    CHECK_EQ(read_number("eager_limit"), 4096);
    CHECK_EQ(read_number("ring_slots"), 64);
    check_switch();
    T_FAILS(MPI_T_cvar_get_index("no_such_variable", &index), MPI_T_ERR_INVALID_NAME);
    T_FAILS(MPI_T_cvar_get_index(NULL, &index), MPI_T_ERR_INVALID);
    T_FAILS(MPI_T_cvar_handle_alloc(1000, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    T_OK(MPI_T_cvar_handle_alloc(0, NULL, &handle, &count));
    T_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    check_init(&argc, &argv);
    T_OK(MPI_T_finalize());
    CHECK_EQ(read_number("eager_limit"), 4096);
    check_done();
    // Open still, after MPI_Finalize; the last close takes the handles away.
    CHECK_EQ(read_number("eager_limit"), 4096);
    T_OK(MPI_T_finalize());
    T_FAILS(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    T_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    T_FAILS(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
    T_OK(MPI_T_finalize());
    return check_failures > 0;
}
