// A communicator freed while operations on it are pending lives until they are complete.
// ranks: 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static char out[200000], in[200000];
    MPI_Comm comm;
    MPI_Request requests[3];
    int sum = 0, one = 1;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    pattern_fill(out, sizeof out, rank);
    OK(MPI_Irecv(in, sizeof in, MPI_BYTE, previous_rank(), 0, comm, &requests[0]));
    OK(MPI_Isend(out, sizeof out, MPI_BYTE, next_rank(), 0, comm, &requests[1]));
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]));
    OK(MPI_Comm_free(&comm));
    CHECK_SAME(comm, MPI_COMM_NULL);
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_PATTERN(in, sizeof in, previous_rank());
    CHECK_EQ(sum, size);
    // The same for a type and an operation.
    MPI_Datatype type;
    OK(MPI_Type_contiguous(10, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Irecv(in, 20000, type, previous_rank(), 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, 20000, type, next_rank(), 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Type_free(&type));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PATTERN(in, sizeof in, previous_rank());
    return check_done();
}
