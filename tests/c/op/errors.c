// What is not an operation, or not one for a type, is refused before anything is sent.
// ranks: 1 2
// mpich: it lets some undefined combinations pass
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    double x[2] = {1, 2}, y[2] = {3, 4};
    MPI_Datatype pair;
    MPI_Op op = MPI_OP_NULL, stale;
    OK(MPI_Type_contiguous(2, MPI_DOUBLE, &pair));
    CHECK_CLASS(MPI_Reduce_local(x, y, 1, pair, MPI_SUM), MPI_ERR_TYPE); // not committed
    OK(MPI_Type_commit(&pair));
    CHECK_CLASS(MPI_Reduce_local(x, y, 1, pair, MPI_SUM), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_MINLOC), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, 2, MPI_DOUBLE_INT, MPI_SUM), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_OP_NULL), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_REPLACE), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, 2, MPI_DOUBLE, (MPI_Op)MPI_INT), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(x, y, -1, MPI_DOUBLE, MPI_SUM), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_local(x, x, 2, MPI_DOUBLE, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(NULL, y, 2, MPI_DOUBLE, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_NE(MPI_Op_create(NULL, 1, &op), MPI_SUCCESS);
    CHECK(y[0] == 3 && y[1] == 4);
    op = MPI_SUM;
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_SAME(op, MPI_SUM);
    MPI_User_function *function = (MPI_User_function *)(void *)main;
    OK(MPI_Op_create(function, 1, &op));
    stale = op;
    OK(MPI_Op_free(&op));
    int commutes;
    CHECK_CLASS(MPI_Op_commutative(stale, &commutes), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_free(&stale), MPI_ERR_OP);
    OK(MPI_Type_free(&pair));
    return check_done();
}
