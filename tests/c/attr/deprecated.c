// MPI_Keyval_create, MPI_Attr_put, MPI_Attr_get, MPI_Attr_delete: the old names of attributes.
// ranks: 1
#include "check.h"

static int deletes;

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int key, flag = 0, data = 4, *got = NULL;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Keyval_create(MPI_NULL_COPY_FN, on_delete, &key, NULL));
    OK(MPI_Attr_put(comm, key, &data));
    OK(MPI_Attr_get(comm, key, &got, &flag));
    CHECK_EQ(flag, 1);
    CHECK(got == &data);
    // The new names see the same attribute.
    OK(MPI_Comm_get_attr(comm, key, &got, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Attr_delete(comm, key));
    CHECK_EQ(deletes, 1);
    OK(MPI_Attr_get(comm, key, &got, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Keyval_free(&key));
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
    OK(MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &got, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Comm_free(&comm));
    return check_done();
}
