// MPI_Reduce_local: predefined and user operations, order of the arguments, count 0, and
// MPI_Op_create_c.
// ranks: 1
#include "check.h"

static void left_minus_right(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

static void large_minus(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    CHECK_SAME(*type, MPI_INT);
    for (MPI_Count i = 0; i < *len; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int a[4] = {10, 20, 30, 40}, b[4] = {1, 2, 3, 4};
    OK(MPI_Reduce_local(a, b, 4, MPI_INT, MPI_SUM));
    CHECK_EQ(b[3], 44);
    CHECK_EQ(a[3], 40);
    MPI_Op op;
    OK(MPI_Op_create(left_minus_right, 0, &op));
    OK(MPI_Reduce_local(a, b, 3, MPI_INT, op));
    CHECK_EQ(b[0], 10 - 11);
    CHECK_EQ(b[3], 44);
    OK(MPI_Reduce_local(a, b, 0, MPI_INT, op));
    CHECK_EQ(b[0], -1);
    OK(MPI_Op_free(&op));
    OK(MPI_Op_create_c(large_minus, 0, &op));
    OK(MPI_Reduce_local(a, b, 4, MPI_INT, op));
    CHECK_EQ(b[0], 11);
    OK(MPI_Reduce_local_c(a, b, 4, MPI_INT, op));
    CHECK_EQ(b[0], -1);
    int sum[4];
    OK(MPI_Allreduce(a, sum, 4, MPI_INT, op, MPI_COMM_SELF));
    CHECK_EQ(sum[3], 40);
    OK(MPI_Op_free(&op));
    // REPLACE and NO_OP are for windows only, in reductions they are erroneous or defined; but
    // asking whether predefined ones commute is legal.
    int commutes = 0;
    OK(MPI_Op_commutative(MPI_MAXLOC, &commutes));
    CHECK_EQ(commutes, 1);
    OK(MPI_Op_commutative(MPI_SUM, &commutes));
    CHECK_EQ(commutes, 1);
    return check_done();
}
