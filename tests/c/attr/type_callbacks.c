// Attributes of datatypes: copied by MPI_Type_dup, deleted by MPI_Type_free.
// ranks: 1
#include "check.h"

static int deletes;

static int on_copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)extra;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int key, dup_key, flag = 0;
    void *value = NULL;
    MPI_Datatype type, copy;
    OK(MPI_Type_create_keyval(on_copy, on_delete, &key, NULL));
    OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup_key, NULL));
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
    OK(MPI_Type_set_attr(type, key, (void *)7));
    OK(MPI_Type_set_attr(type, dup_key, (void *)70));
    OK(MPI_Type_dup(type, &copy));
    OK(MPI_Type_get_attr(copy, key, &value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ((intptr_t)value, 8);
    OK(MPI_Type_get_attr(copy, dup_key, &value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ((intptr_t)value, 70);
    OK(MPI_Type_free(&copy));
    CHECK_EQ(deletes, 1);
    OK(MPI_Type_delete_attr(type, key));
    CHECK_EQ(deletes, 2);
    OK(MPI_Type_get_attr(type, key, &value, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Type_free(&type));
    CHECK_EQ(deletes, 2);
    // Predefined types can carry attributes too.
    OK(MPI_Type_set_attr(MPI_INT, key, (void *)1));
    OK(MPI_Type_get_attr(MPI_INT, key, &value, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Type_delete_attr(MPI_INT, key));
    OK(MPI_Type_free_keyval(&key));
    OK(MPI_Type_free_keyval(&dup_key));
    return check_done();
}
