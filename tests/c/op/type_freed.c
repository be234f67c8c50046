// The type and the operation of a reduction that is on its way may be freed; the user's function
// can still ask about the type it is given.
// ranks: 1 2 3 4
#include "check.h"

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int bytes = -1;
    CHECK_EQ(MPI_Type_size(*type, &bytes), MPI_SUCCESS);
    CHECK_EQ(bytes, 12);
    for (int i = 0; i < 3 * *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int mine[6] = {1, 2, 3, rank, 5, 6}, sum[6] = {0}, n = -1;
    MPI_Datatype type, stale;
    MPI_Request request;
    MPI_Op op;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(add, 1, &op));
    OK(MPI_Iallreduce(mine, sum, 2, type, op, MPI_COMM_WORLD, &request));
    stale = type;
    OK(MPI_Type_free(&type));
    OK(MPI_Op_free(&op));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(sum[0], size);
    CHECK_EQ(sum[3], size * (size - 1) / 2);
    CHECK_EQ(sum[5], 6 * size);
    if (is_starling()) // no handle is left over
        CHECK_CLASS(MPI_Type_size(stale, &n), MPI_ERR_TYPE);
    return check_done();
}
