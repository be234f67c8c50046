// Messages of one pair on one communicator are received in the order they were sent, whatever
// their sizes, and also when a receive names the tag and another does not (section 3.5).
// ranks: 2 4
#include "check.h"

enum { N = 400 };
static const int lengths[] = {4, 8200, 40, 70000, 4, 44, 8192, 4, 300000, 16};

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int *buf = malloc(300000);
    if (rank == 0) {
        static MPI_Request requests[N];
        static int *data[N];
        for (int i = 0; i < N; i++) {
            data[i] = malloc(lengths[i % 10]);
            data[i][0] = i;
        }
        // Not blocking: a receiver that names one tag may leave a long message of another waiting.
        for (int to = 1; to < size; to++) {
            for (int i = 0; i < N; i++)
                OK(MPI_Isend(data[i], lengths[i % 10], MPI_BYTE, to, i % 3, MPI_COMM_WORLD,
                             &requests[i]));
            OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
        }
        for (int i = 0; i < N; i++)
            free(data[i]);
    } else {
        MPI_Status status;
        int last[3] = {-1, -1, -1};
        for (int i = 0; i < N; i++) {
            // Alternate between wildcards and named tags; of each tag the numbers must rise.
            int tag = i % 2 ? MPI_ANY_TAG : (i / 2) % 3;
            if (tag >= 0 && last[tag] + 3 >= N)
                tag = MPI_ANY_TAG;
            int source = i % 5 == 0 ? MPI_ANY_SOURCE : 0;
            OK(MPI_Recv(buf, 300000, MPI_BYTE, source, tag, MPI_COMM_WORLD, &status));
            int got = status.MPI_TAG, expected = last[got] < 0 ? got : last[got] + 3;
            CHECK_EQ(buf[0], expected);
            int count;
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_EQ(count, lengths[buf[0] % 10]);
            last[got] = buf[0];
        }
    }
    free(buf);
    return check_done();
}
