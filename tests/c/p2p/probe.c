// MPI_Probe and MPI_Iprobe see a message without taking it; a receive of the probed gets it.
// ranks: 2 4
#include "check.h"

static void probe_sizes(void)
{
    static const int sizes[] = {0, 1, 40, 8192, 8193, 200000};
    for (int i = 0; i < 6; i++) {
        if (rank == 0) {
            for (int to = 1; to < size; to++) {
                char *data = calloc(1, sizes[i] + 1);
                pattern_fill(data, sizes[i], i);
                OK(MPI_Send(data, sizes[i], MPI_BYTE, to, 10 + i, MPI_COMM_WORLD));
                free(data);
            }
        } else {
            MPI_Status status, again;
            int count = -1;
            OK(MPI_Probe(i % 2 ? MPI_ANY_SOURCE : 0, i % 3 ? MPI_ANY_TAG : 10 + i,
                         MPI_COMM_WORLD, &status));
            CHECK_EQ(status.MPI_SOURCE, 0);
            CHECK_EQ(status.MPI_TAG, 10 + i);
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_EQ(count, sizes[i]);
            int flag = 0;
            OK(MPI_Iprobe(0, 10 + i, MPI_COMM_WORLD, &flag, &again));
            CHECK_EQ(flag, 1);
            char *data = calloc(1, count + 1);
            OK(MPI_Recv(data, count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_PATTERN(data, count, i);
            free(data);
        }
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int flag = -1;
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    probe_sizes();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    // An Iprobe in a loop makes progress by itself.
    if (rank == 0) {
        usleep(10000);
        for (int to = 1; to < size; to++)
            OK(MPI_Send(NULL, 0, MPI_BYTE, to, 3, MPI_COMM_WORLD));
    } else {
        for (flag = 0; !flag;)
            OK(MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return check_done();
}
