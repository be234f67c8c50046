// Matched probes: Mprobe and Improbe take the message out of matching; Mrecv and Imrecv get it.
// ranks: 2 4
#include "check.h"

static const int sizes[] = {0, 5, 41, 8193, 300000};

static void receive(int i, int use_improbe, int use_imrecv)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0, count = -1;
    if (use_improbe) {
        while (!flag)
            OK(MPI_Improbe(0, i, MPI_COMM_WORLD, &flag, &message, &status));
    } else {
        OK(MPI_Mprobe(MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &message, &status));
    }
    CHECK_NE((intptr_t)message, (intptr_t)MPI_MESSAGE_NULL);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, sizes[i % 5]);
    // It can no longer be found by another probe.
    OK(MPI_Iprobe(0, i, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    char *data = calloc(1, count + 1);
    if (use_imrecv) {
        MPI_Request request;
        OK(MPI_Imrecv(data, count, MPI_BYTE, &message, &request));
        OK(MPI_Wait(&request, &status));
    } else {
        OK(MPI_Mrecv(data, count, MPI_BYTE, &message, &status));
    }
    CHECK_SAME(message, MPI_MESSAGE_NULL);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(status.MPI_TAG, i);
    CHECK_PATTERN(data, count, i);
    free(data);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int i = 0; i < 20; i++) {
        if (rank == 0) {
            char *data = malloc(sizes[i % 5] + 1);
            pattern_fill(data, sizes[i % 5], i);
            for (int to = 1; to < size; to++)
                OK(MPI_Send(data, sizes[i % 5], MPI_BYTE, to, i, MPI_COMM_WORLD));
            free(data);
        } else {
            receive(i, i / 5 % 2, i / 10);
        }
    }
    return check_done();
}
