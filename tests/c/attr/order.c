// Copy callbacks run in the order in which attributes were set, delete callbacks in reverse; those
// of MPI_COMM_SELF in MPI_Finalize; a key that was freed twice or is still in use; callbacks that
// change attributes themselves.
// ranks: 1
#include "check.h"

static char order[40];
static int in_finalize, deleted_at_the_end;

static void note(void *extra)
{
    size_t n = strlen(order);
    order[n] = *(char *)extra;
    order[n + 1] = 0;
}

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    note(extra);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    note(extra);
    if (in_finalize) {
        int flag = 0;
        MPI_Initialized(&flag);
        if (flag && order[deleted_at_the_end] == "cba"[deleted_at_the_end])
            deleted_at_the_end++;
    }
    return MPI_SUCCESS;
}

static int other_key;

static int delete_other(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    return MPI_Comm_delete_attr(comm, other_key);
}

static void both_ways(const int *keys)
{
    MPI_Comm comm, copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_set_attr(comm, keys[i], NULL));
    OK(MPI_Comm_dup(comm, &copy));
    if (is_starling()) // the standard leaves both orders open
        CHECK_STR(order, "abc");
    order[0] = 0;
    OK(MPI_Comm_free(&copy));
    if (is_starling())
        CHECK_STR(order, "cba");
    OK(MPI_Comm_free(&comm));
    order[0] = 0;
}

static void freed_keys(void)
{
    MPI_Comm comm;
    int key, copy, flag = 0, n = 7;
    void *value = NULL;
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_attr(comm, key, &n));
    copy = key;
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_get_attr(comm, copy, &value, &flag)); // it lives while attributes use it
    CHECK(flag && value == &n);
    OK(MPI_Comm_delete_attr(comm, copy));
    if (is_starling())
        CHECK_CLASS(MPI_Comm_get_attr(comm, copy, &value, &flag), MPI_ERR_KEYVAL);
    OK(MPI_Comm_free(&comm));
}

static void wrong_kinds(void)
{
    int on_type, on_win, flag;
    void *value;
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &on_type, NULL));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &on_win, NULL));
    if (is_starling()) {
        CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_SELF, on_type, NULL), MPI_ERR_KEYVAL);
        CHECK_CLASS(MPI_Type_get_attr(MPI_INT, on_win, &value, &flag), MPI_ERR_KEYVAL);
        CHECK_CLASS(MPI_Comm_free_keyval(&on_win), MPI_ERR_KEYVAL);
        CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_SELF, 12345, &value, &flag), MPI_ERR_KEYVAL);
        CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_SELF, -1, &value, &flag), MPI_ERR_KEYVAL);
        CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_TAG_UB, NULL, &flag), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Win_get_attr(MPI_WIN_NULL, on_win, &value, &flag), MPI_ERR_WIN);
    }
    OK(MPI_Type_free_keyval(&on_type));
    OK(MPI_Win_free_keyval(&on_win));
}

static void callbacks_that_delete(void)
{
    MPI_Comm comm;
    int key;
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_other, &key, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &other_key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_set_attr(comm, other_key, NULL));
    OK(MPI_Comm_set_attr(comm, key, NULL));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_free_keyval(&other_key));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static char names[3] = {'a', 'b', 'c'};
    int keys[3];
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_create_keyval(on_copy, on_delete, &keys[i], &names[i]));
    both_ways(keys);
    freed_keys();
    wrong_kinds();
    if (is_starling()) // MPICH 5.0.2 walks a list that the callback changes
        callbacks_that_delete();
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], NULL));
    order[0] = 0;
    in_finalize = 1;
    int code = check_done();
    if (deleted_at_the_end != 3) {
        fprintf(stderr, "FAIL in MPI_Finalize the order was %s\n", order);
        return 1;
    }
    return code;
}
