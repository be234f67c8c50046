// A copy or delete callback that fails makes dup, free and delete fail, and the object stays.
// ranks: 1
#include "check.h"

static int fail_copy, fail_delete;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return fail_copy ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return fail_delete ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int key, flag = 0, n = 0;
    void *value = NULL;
    MPI_Comm comm, copy = MPI_COMM_NULL;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_create_keyval(on_copy, on_delete, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, &n));
    fail_copy = 1;
    CHECK_NE(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    fail_copy = 0;
    fail_delete = 1;
    CHECK_NE(MPI_Comm_delete_attr(comm, key), MPI_SUCCESS);
    OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    CHECK_EQ(flag, 1);
    CHECK(value == &n);
    CHECK_NE(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_NE((intptr_t)comm, (intptr_t)MPI_COMM_NULL);
    fail_delete = 0;
    OK(MPI_Comm_size(comm, &n));
    CHECK_EQ(n, 1);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&key));
    return check_done();
}
