// MPI_Finalize completes what the program legally leaves behind: a freed send request whose
// message the other side receives late, and objects that were never freed.
// ranks: 2 4
#include "check.h"

static char data[1 << 20];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm leaked;
    MPI_Datatype type;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &leaked));
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    if (rank % 2 == 0 && rank + 1 < size) {
        pattern_fill(data, sizeof data, rank);
        MPI_Request request;
        OK(MPI_Isend(data, sizeof data, MPI_BYTE, rank + 1, 5, leaked, &request));
        OK(MPI_Request_free(&request));
        CHECK_SAME(request, MPI_REQUEST_NULL);
    } else if (rank % 2 == 1) {
        usleep(50000);
        OK(MPI_Recv(data, sizeof data, MPI_BYTE, rank - 1, 5, leaked, MPI_STATUS_IGNORE));
        CHECK_PATTERN(data, sizeof data, rank - 1);
    }
    return check_done();
}
