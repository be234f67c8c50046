// MPI_Parrived tells of one partition while others are still to be sent, also where the two sides
// cut the message otherwise, and where elements are not in one piece.
// ranks: 2
#include "check.h"

static void until_arrived(MPI_Request request, int partition)
{
    int flag = 0;
    while (!flag)
        OK(MPI_Parrived(request, partition, &flag));
}

static int has_arrived(MPI_Request request, int partition)
{
    int flag = -1;
    OK(MPI_Parrived(request, partition, &flag));
    return flag;
}

// The sender has 4 partitions of 3 integers and marks 2, then 0 and 1, then 3. `receives`
// partitions of pairs that lie 3 integers apart.
static void partly(int receives, int first, int second)
{
    MPI_Request request;
    int go = 0;
    if (rank == 0) {
        int out[12];
        for (int i = 0; i < 12; i++)
            out[i] = 100 + i;
        OK(MPI_Psend_init(out, 4, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        OK(MPI_Start(&request));
        OK(MPI_Pready(2, request));
        OK(MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Pready_range(0, 1, request));
        OK(MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        int flag = -1;
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
        OK(MPI_Pready(3, request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&request));
        return;
    }
    int in[18];
    memset(in, 0, sizeof in);
    MPI_Datatype pair, apart;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &apart));
    OK(MPI_Type_commit(&apart));
    OK(MPI_Precv_init(in, receives, 6 / receives, apart, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request));
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&apart));
    OK(MPI_Start(&request));
    if (first >= 0) {
        until_arrived(request, first);
        // Packed element k lies at 3 * (k / 2) + k % 2.
        for (int k = first * 12 / receives; k < (first + 1) * 12 / receives; k++)
            CHECK_EQ(in[3 * (k / 2) + k % 2], 100 + k);
    }
    CHECK_EQ(has_arrived(request, receives - 1), 0);
    OK(MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    until_arrived(request, second);
    CHECK_EQ(has_arrived(request, receives - 1), 0);
    OK(MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int k = 0; k < 12; k++) {
        CHECK_EQ(in[3 * (k / 2) + k % 2], 100 + k);
        CHECK_EQ(in[3 * (k / 2) + 2], 0);
    }
    // Of an inactive request everything has arrived.
    CHECK_EQ(has_arrived(request, 0), 1);
    OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    partly(6, 3, 1);  // the partition of elements 6 and 7 lies in the sender's partition 2
    partly(3, -1, 0); // elements 0 to 3 need the sender's partitions 0 and 1
    partly(2, -1, 0); // elements 0 to 5 too
    return check_done();
}
