// MPI_Barrier and MPI_Ibarrier: nobody leaves before everybody came.
// ranks: 1 2 3 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int i = 0; i < 50; i++)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int late = 0; late < size; late++) {
        double before = MPI_Wtime();
        if (rank == late)
            usleep(5000);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        double all[8] = {0}, left = MPI_Wtime(), entered = rank == late ? before + 0.005 : 0;
        OK(MPI_Allgather(&entered, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD));
        // One clock on one node.
        CHECK(left >= all[late]);
    }
    MPI_Request request;
    int flag = 0;
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    if (size > 1 && rank == 0) {
        // Rank 1 joins only after it got this message.
        for (int i = 0; i < 100; i++) {
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        }
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (size > 1) {
        if (rank == 1) {
            OK(MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        } else {
            OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
            CHECK(rank != 0 || !flag);
            if (rank == 0)
                OK(MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD));
        }
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    return check_done();
}
