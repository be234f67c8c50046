// Names of types: predefined ones have theirs, others have none until they are given one; dup
// and a used-again handle do not inherit it; long ones are cut.
// ranks: 1
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype type, copy;
    char name[MPI_MAX_OBJECT_NAME], large[3 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    OK(MPI_Type_get_name(MPI_DOUBLE_INT, name, &length));
    CHECK_STR(name, "MPI_DOUBLE_INT");
    CHECK_EQ(length, 14);
    OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK_STR(name, "MPI_DATATYPE_NULL");
    for (int i = 0; i < 200; i++) {
        OK(MPI_Type_contiguous(2, MPI_INT, &type));
        OK(MPI_Type_get_name(type, name, &length));
        CHECK_STR(name, "");
        CHECK_EQ(length, 0);
        OK(MPI_Type_set_name(type, "two words"));
        OK(MPI_Type_dup(type, &copy));
        OK(MPI_Type_get_name(copy, name, &length));
        CHECK_STR(name, "");
        OK(MPI_Type_get_name(type, name, &length));
        CHECK_STR(name, "two words");
        OK(MPI_Type_free(&type));
        OK(MPI_Type_free(&copy));
    }
    memset(large, 'n', sizeof large);
    large[sizeof large - 1] = 0;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_set_name(type, large));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQ(strlen(name), MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Type_set_name(type, ""));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK_STR(name, "");
    CHECK_NE(MPI_Type_set_name(type, NULL), MPI_SUCCESS);
    CHECK_CLASS(MPI_Type_set_name(MPI_DATATYPE_NULL, "n"), MPI_ERR_TYPE);
    OK(MPI_Type_free(&type));
    return check_done();
}
