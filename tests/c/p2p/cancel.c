// Cancelling receives: unmatched ones are cancelled, matched ones are not; a cancelled one takes
// no message. A cancelled send either is cancelled or arrives.
// ranks: 2
#include "check.h"

static void receives(void)
{
    int value = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 1);
    CHECK_SAME(request, MPI_REQUEST_NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    // The message goes to the next receive.
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &value, 1, MPI_INT, 1 - rank, 1,
                    MPI_COMM_WORLD, &status));
    CHECK_EQ(value, 1 - rank);
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 0);
    // One that has been matched completes.
    OK(MPI_Irecv(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&size, 1, MPI_INT, rank, 2, MPI_COMM_WORLD));
    MPI_Status peeked;
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status(request, &flag, &peeked));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 0);
    CHECK_EQ(value, size);
}

static void sends(int n)
{
    static char data[200000];
    int flag = -1;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        OK(MPI_Isend(data, n, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request));
        OK(MPI_Cancel(&request));
        OK(MPI_Wait(&request, &status));
        OK(MPI_Test_cancelled(&status, &flag));
        OK(MPI_Send(&flag, 1, MPI_INT, 1, 4, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(&flag, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        int waiting = -1;
        if (!flag)
            OK(MPI_Recv(data, n, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Iprobe(0, 3, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE));
        CHECK_EQ(waiting, 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void persistent(void)
{
    int value = -1, flag = -1;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &request));
    OK(MPI_Start(&request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Start(&request));
    OK(MPI_Send(&rank, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    CHECK_EQ(value, 1 - rank);
    OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    receives();
    sends(8);
    // MPICH 5.0.2 ignores the cancel of a long send and waits for a receive.
    if (is_starling())
        sends(200000);
    persistent();
    return check_done();
}
