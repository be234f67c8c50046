// Blocking standard send and receive round a ring, in every size around the protocol limits.
// ranks: 1 2 4 8
#include "check.h"

static const int sizes[] = {0,    1,    7,     8,     39,    40,    41,      63,     64,
                            65,   127,  128,   1000,  4095,  4096,  4097,    8191,   8192,
                            8193, 16383, 16384, 16385, 65535, 65536, 65537,   262144, 1 << 20};

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    unsigned char *out = malloc(1 << 20), *in = malloc(1 << 20);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i];
        pattern_fill(out, n, rank + (int)i);
        memset(in, 0, n);
        MPI_Status status;
        MPI_Request request = MPI_REQUEST_NULL;
        // Even ranks send first; the last of an odd ring, and a lone rank, need a request.
        int blocking = size % 2 == 0;
        if (!blocking) {
            OK(MPI_Irecv(in, n, MPI_BYTE, previous_rank(), i, MPI_COMM_WORLD, &request));
            OK(MPI_Send(out, n, MPI_BYTE, next_rank(), i, MPI_COMM_WORLD));
            OK(MPI_Wait(&request, &status));
        } else if (rank % 2 == 0) {
            OK(MPI_Send(out, n, MPI_BYTE, next_rank(), i, MPI_COMM_WORLD));
            OK(MPI_Recv(in, n, MPI_BYTE, previous_rank(), i, MPI_COMM_WORLD, &status));
        } else {
            OK(MPI_Recv(in, n, MPI_BYTE, previous_rank(), i, MPI_COMM_WORLD, &status));
            OK(MPI_Send(out, n, MPI_BYTE, next_rank(), i, MPI_COMM_WORLD));
        }
        int count = -1;
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, n);
        CHECK_EQ(status.MPI_SOURCE, previous_rank());
        CHECK_EQ(status.MPI_TAG, i);
        CHECK_PATTERN(in, n, previous_rank() + (int)i);
    }
    free(out);
    free(in);
    return check_done();
}
