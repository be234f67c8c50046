// Commit twice, types built from uncommitted and freed types, dup of both kinds, receives that
// were posted before the type was freed.
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype inner, outer, copy, raw;
    int out[12], in[12] = {0}, count = -1;
    for (int i = 0; i < 12; i++)
        out[i] = i + 1;
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &inner)); // never committed
    OK(MPI_Type_contiguous(2, inner, &outer));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_commit(&outer));
    OK(MPI_Type_commit(&outer));
    OK(MPI_Type_dup(outer, &copy)); // a copy of a committed type is committed
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Irecv(in, 2, copy, 1 - rank, 0, MPI_COMM_WORLD, &request));
    OK(MPI_Type_free(&copy));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(out, 1, outer, 1 - rank, 0, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, outer, &count));
    CHECK_EQ(count, 1);
    static const int wanted[6] = {1, 0, 3, 4, 0, 6};
    for (int i = 0; i < 6; i++)
        CHECK_EQ(in[i], wanted[i]);
    OK(MPI_Type_contiguous(2, MPI_INT, &raw));
    OK(MPI_Type_dup(raw, &copy)); // and of an uncommitted one is not
    CHECK_CLASS(MPI_Send(out, 1, copy, 1 - rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    OK(MPI_Type_commit(&copy));
    OK(MPI_Sendrecv(out, 1, copy, 1 - rank, 1, in, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                    &status));
    CHECK_EQ(in[1], 2);
    OK(MPI_Type_free(&copy));
    OK(MPI_Type_free(&raw));
    OK(MPI_Type_free(&outer));
    return check_done();
}
