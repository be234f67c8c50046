// A synchronous send does not complete before its receive has started; a standard small one may.
// ranks: 2
#include "check.h"

static void one(int n)
{
    static char data[100000];
    int flag = -1, go = 0;
    if (rank == 0) {
        MPI_Request request;
        OK(MPI_Issend(data, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
        for (int i = 0; i < 1000; i++) {
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
            CHECK_EQ(flag, 0);
            if (flag)
                break;
        }
        OK(MPI_Send(&go, 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Recv(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Recv(data, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    one(0);
    one(8);
    one(9000);
    one(100000);
    return check_done();
}
