// Two matched messages are received in the other order than they came; an unmatched one between
// them is found by a plain receive.
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 1, 8, MPI_COMM_WORLD));
        static char big[50000];
        pattern_fill(big, sizeof big, 1);
        OK(MPI_Send(big, sizeof big, MPI_BYTE, 1, 9, MPI_COMM_WORLD));
    } else {
        MPI_Message first, second, large;
        int value = -1;
        OK(MPI_Mprobe(0, 8, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE));
        OK(MPI_Mprobe(0, 8, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE));
        OK(MPI_Mprobe(0, 9, MPI_COMM_WORLD, &large, MPI_STATUS_IGNORE));
        OK(MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, 2);
        static char big[50000];
        OK(MPI_Mrecv(big, sizeof big, MPI_BYTE, &large, MPI_STATUS_IGNORE));
        CHECK_PATTERN(big, sizeof big, 1);
        OK(MPI_Mrecv(&value, 1, MPI_INT, &second, MPI_STATUS_IGNORE));
        CHECK_EQ(value, 1);
        OK(MPI_Mrecv(&value, 1, MPI_INT, &first, MPI_STATUS_IGNORE));
        CHECK_EQ(value, 0);
    }
    return check_done();
}
