// MPI_Request_free on active sends: the messages still arrive.
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {4, 4000, 9000, 500000};
    static char data[4][500000];
    MPI_Request request;
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            pattern_fill(data[i], sizes[i], i);
            OK(MPI_Isend(data[i], sizes[i], MPI_BYTE, 1, i, MPI_COMM_WORLD, &request));
            OK(MPI_Request_free(&request));
            CHECK_SAME(request, MPI_REQUEST_NULL);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        for (int i = 3; i >= 0; i--) {
            OK(MPI_Recv(data[i], sizes[i], MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_PATTERN(data[i], sizes[i], i);
        }
        OK(MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return check_done();
}
