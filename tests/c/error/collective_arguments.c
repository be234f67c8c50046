// Bad arguments of collectives that a rank can see alone: root, count, type, operation, buffer.
// ranks: 1 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    const MPI_Comm W = MPI_COMM_WORLD;
    int a[4] = {0}, b[64];
    MPI_Request request;
    CHECK_CLASS(MPI_Bcast(a, 1, MPI_INT, size, W), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(a, 1, MPI_INT, -1, W), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(a, -1, MPI_INT, 0, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, W), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, size, W), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, W), MPI_ERR_OP);
    if (is_starling()) { // MPICH 5.0.2 takes the first, and asserts on the second
        CHECK_CLASS(MPI_Allreduce(a, b, -1, MPI_INT, MPI_SUM, W), MPI_ERR_COUNT);
        CHECK_CLASS(MPI_Allreduce(a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, W), MPI_ERR_TYPE);
    }
    // Operations that are not defined on the type.
    CHECK_CLASS(MPI_Allreduce(a, b, 1, MPI_FLOAT, MPI_BAND, W), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_MINLOC, W), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_SUM, W), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(a, b, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX, W), MPI_ERR_OP);
    CHECK_CLASS(MPI_Scan(a, b, 1, MPI_DOUBLE, MPI_BXOR, W), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(a, b, 1, MPI_FLOAT, MPI_BOR), MPI_ERR_OP);
    MPI_Datatype pair;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    CHECK_CLASS(MPI_Allreduce(a, b, 1, pair, MPI_SUM, W), MPI_ERR_OP);
    OK(MPI_Type_free(&pair));
    CHECK_CLASS(MPI_Gather(a, -1, MPI_INT, b, 1, MPI_INT, 0, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Scatter(b, 1, MPI_INT, a, 1, MPI_INT, size + 1, W), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Allgather(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, W), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Alltoall(a, 1, MPI_INT, b, -1, MPI_INT, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, W), MPI_ERR_BUFFER); // aliased
    CHECK_CLASS(MPI_Ibcast(a, 1, MPI_INT, size, W, &request), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Iallreduce(a, b, 1, MPI_INT, MPI_OP_NULL, W, &request), MPI_ERR_OP);
    CHECK_CLASS(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, W), MPI_ERR_TOPOLOGY);
    int sum = 0, one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W));
    CHECK_EQ(sum, size);
    return check_done();
}
