// Predefined types without a name: Fortran's by precision and range, pairs by value and index.
// They need no commit, cannot be freed, and come back as what they are.
// ranks: 1
#include "check.h"

static void fortran(void)
{
    MPI_Datatype real, same, complex, integer, pack, inner[1];
    int i[2], n = -1, a = -1, t = -1, combiner = -1;
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real));
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &same));
    CHECK_SAME(real, same);
    OK(MPI_Type_create_f90_complex(MPI_UNDEFINED, 30, &complex));
    OK(MPI_Type_create_f90_integer(9, &integer));
    OK(MPI_Type_size(real, &n));
    CHECK_EQ(n, 8);
    OK(MPI_Type_size(complex, &n));
    CHECK_EQ(n, 8);
    OK(MPI_Type_size(integer, &n));
    CHECK_EQ(n, 4);
    OK(MPI_Type_get_envelope(real, &n, &a, &t, &combiner));
    CHECK(n == 2 && a == 0 && t == 0 && combiner == MPI_COMBINER_F90_REAL);
    OK(MPI_Type_get_contents(real, 2, 0, 0, i, NULL, NULL));
    CHECK(i[0] == 15 && i[1] == MPI_UNDEFINED);
    OK(MPI_Type_get_envelope(integer, &n, &a, &t, &combiner));
    CHECK(n == 1 && a == 0 && t == 0 && combiner == MPI_COMBINER_F90_INTEGER);
    double x[2] = {1.5, 2.5}, y[2] = {10, 20};
    OK(MPI_Reduce_local(x, y, 2, real, MPI_SUM));
    CHECK(y[0] == 11.5 && y[1] == 22.5);
    int k[2] = {3, 9}, m[2] = {5, 4};
    OK(MPI_Reduce_local(k, m, 2, integer, MPI_MAX));
    CHECK(m[0] == 5 && m[1] == 9);
    if (is_starling()) {
        CHECK_CLASS(MPI_Reduce_local(x, y, 2, real, MPI_BAND), MPI_ERR_OP);
        CHECK_CLASS(MPI_Type_free(&same), MPI_ERR_TYPE);
        CHECK_SAME(same, real);
        CHECK_NE(MPI_Type_create_f90_integer(100, &same), MPI_SUCCESS);
        CHECK_NE(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &same), MPI_SUCCESS);
    }
    OK(MPI_Type_contiguous(3, real, &pack));
    OK(MPI_Type_get_contents(pack, 1, 0, 1, i, NULL, inner));
    CHECK_SAME(inner[0], real);
    OK(MPI_Type_free(&pack));
}

static void pairs(void)
{
    MPI_Datatype pair = MPI_BYTE;
    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    CHECK_SAME(pair, MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &pair));
    CHECK_SAME(pair, MPI_DATATYPE_NULL);
    // Pairs that the standard does not name are not there.
    OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_LONG, &pair));
    CHECK_SAME(pair, MPI_DATATYPE_NULL);
}

static void by_size(void)
{
    MPI_Datatype type;
    OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
    CHECK_SAME(type, MPI_REAL8);
    OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type));
    CHECK_SAME(type, MPI_INTEGER2);
    OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type));
    CHECK_SAME(type, MPI_COMPLEX8);
    CHECK_NE(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type), MPI_SUCCESS);
    CHECK_NE(MPI_Type_match_size(7, 4, &type), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    fortran();
    pairs();
    by_size();
    return check_done();
}
