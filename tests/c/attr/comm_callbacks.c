// Attributes of communicators: copy and delete callbacks on dup, free, overwrite and delete.
// ranks: 1 2
#include "check.h"

static int copies, deletes;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    copies++;
    CHECK_EQ(*(int *)extra, 5);
    *(void **)out = (char *)in + 1;
    *flag = (intptr_t)in != 100; // 100 is not copied
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    deletes++;
    CHECK_EQ(*(int *)extra, 5);
    return MPI_SUCCESS;
}

static intptr_t get(MPI_Comm comm, int key)
{
    void *value = NULL;
    int flag = 0;
    OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? (intptr_t)value : -1;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int extra = 5, key, plain, dup;
    MPI_Comm comm, copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(on_copy, on_delete, &key, &extra));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup, NULL));
    CHECK_EQ(get(comm, key), -1);
    OK(MPI_Comm_set_attr(comm, key, (void *)10));
    OK(MPI_Comm_set_attr(comm, plain, (void *)20));
    OK(MPI_Comm_set_attr(comm, dup, (void *)30));
    CHECK_EQ(get(comm, key), 10);
    CHECK_EQ(get(MPI_COMM_WORLD, key), -1);
    OK(MPI_Comm_set_attr(comm, key, (void *)11)); // deletes the old value
    CHECK_EQ(deletes, 1);
    OK(MPI_Comm_dup(comm, &copy));
    CHECK_EQ(copies, 1);
    CHECK_EQ(get(copy, key), 12);
    CHECK_EQ(get(copy, plain), -1);
    CHECK_EQ(get(copy, dup), 30);
    OK(MPI_Comm_free(&copy));
    CHECK_EQ(deletes, 2);
    OK(MPI_Comm_set_attr(comm, key, (void *)100));
    CHECK_EQ(deletes, 3);
    OK(MPI_Comm_dup(comm, &copy));
    CHECK_EQ(get(copy, key), -1);
    OK(MPI_Comm_free(&copy));
    CHECK_EQ(deletes, 3);
    // Split makes a new communicator without attributes.
    OK(MPI_Comm_split(comm, 0, rank, &copy));
    CHECK_EQ(get(copy, dup), -1);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_delete_attr(comm, key));
    CHECK_EQ(deletes, 4);
    CHECK_EQ(get(comm, key), -1);
    // A freed key lives on with the attributes that use it.
    OK(MPI_Comm_set_attr(comm, key, (void *)1));
    OK(MPI_Comm_free_keyval(&key));
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
    OK(MPI_Comm_free(&comm));
    CHECK_EQ(deletes, 5);
    OK(MPI_Comm_free_keyval(&plain));
    OK(MPI_Comm_free_keyval(&dup));
    return check_done();
}
