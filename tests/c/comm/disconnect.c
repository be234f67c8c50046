// MPI_Comm_disconnect waits for pending messages, then frees.
// ranks: 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static char out[100000], in[100000];
    MPI_Comm comm;
    MPI_Request requests[2];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    pattern_fill(out, sizeof out, rank);
    OK(MPI_Irecv(in, sizeof in, MPI_BYTE, previous_rank(), 0, comm, &requests[0]));
    OK(MPI_Isend(out, sizeof out, MPI_BYTE, next_rank(), 0, comm, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Comm_disconnect(&comm));
    CHECK_SAME(comm, MPI_COMM_NULL);
    CHECK_PATTERN(in, sizeof in, previous_rank());
    return check_done();
}
