// The profiling interface: a program that defines MPI_X itself is called, and reaches the library
// through PMPI_X; calls that the library makes internally do not come by.
// ranks: 1 2 4
#include "check.h"

static int sends, allreduces;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    allreduces++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Request request;
    int got = -1, sum = 0, one = 1;
    OK(MPI_Irecv(&got, 1, MPI_INT, previous_rank(), 0, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&rank, 1, MPI_INT, next_rank(), 0, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(got, previous_rank());
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size);
    MPI_Comm copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Barrier(copy));
    OK(MPI_Comm_free(&copy));
    CHECK_EQ(sends, 1);
    CHECK_EQ(allreduces, 1);
    OK(MPI_Pcontrol(1));
    OK(MPI_Pcontrol(0, "some", "more", 3));
    return check_done();
}
