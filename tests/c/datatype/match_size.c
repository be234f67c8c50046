// MPI_Type_match_size, MPI_Type_get_value_index, and the types of Fortran kinds.
// ranks: 1
#include "check.h"

static void match(int class, int bytes)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int got = -1;
    OK(MPI_Type_match_size(class, bytes, &type));
    OK(MPI_Type_size(type, &got));
    CHECK_EQ(got, bytes);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int integers[] = {1, 2, 4, 8}, reals[] = {4, 8}, complexes[] = {8, 16};
    for (int i = 0; i < 4; i++)
        match(MPI_TYPECLASS_INTEGER, integers[i]);
    for (int i = 0; i < 2; i++) {
        match(MPI_TYPECLASS_REAL, reals[i]);
        match(MPI_TYPECLASS_COMPLEX, complexes[i]);
    }
    MPI_Datatype type;
    CHECK_NE(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &type), MPI_SUCCESS);
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type));
    CHECK_SAME(type, MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &type));
    CHECK_SAME(type, MPI_2INT);
    return check_done();
}
