// Standard, synchronous, ready and buffered sends, blocking and not, small and large.
// ranks: 1 2 4
#include "check.h"

enum { STANDARD, SYNCHRONOUS, READY, BUFFERED, MODES };

static int start(int mode, const void *buf, int n, int tag, MPI_Request *request)
{
    switch (mode) {
    case STANDARD:
        return MPI_Isend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD, request);
    case SYNCHRONOUS:
        return MPI_Issend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD, request);
    case READY:
        return MPI_Irsend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD, request);
    default:
        return MPI_Ibsend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD, request);
    }
}

static int block(int mode, const void *buf, int n, int tag)
{
    switch (mode) {
    case STANDARD:
        return MPI_Send(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD);
    case SYNCHRONOUS:
        return MPI_Ssend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD);
    case READY:
        return MPI_Rsend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD);
    default:
        return MPI_Bsend(buf, n, MPI_BYTE, next_rank(), tag, MPI_COMM_WORLD);
    }
}

static void exchange(int mode, int blocking, int n)
{
    unsigned char *out = malloc(n + 1), *in = malloc(n + 1);
    int tag = mode * 10 + blocking;
    pattern_fill(out, n, rank + tag);
    MPI_Request receive, send = MPI_REQUEST_NULL;
    OK(MPI_Irecv(in, n, MPI_BYTE, previous_rank(), tag, MPI_COMM_WORLD, &receive));
    // A ready send may start only once the receive is posted.
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (blocking) {
        // All send at once: the receives are posted, so no mode can block for ever.
        OK(block(mode, out, n, tag));
    } else {
        OK(start(mode, out, n, tag, &send));
    }
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK_SAME(send, MPI_REQUEST_NULL);
    CHECK_PATTERN(in, n, previous_rank() + tag);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 40, 8192, 8193, 100000, 1 << 20};
    int room = (1 << 20) + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room), *back = NULL;
    OK(MPI_Buffer_attach(buffer, room));
    for (int mode = 0; mode < MODES; mode++) {
        for (int i = 0; i < 7; i++) {
            for (int blocking = 0; blocking < 2; blocking++) {
                exchange(mode, blocking, sizes[i]);
                if (mode == BUFFERED)
                    OK(MPI_Buffer_flush());
            }
        }
    }
    int got_back = 0;
    OK(MPI_Buffer_detach(&back, &got_back));
    CHECK(back == buffer);
    CHECK_EQ(got_back, room);
    free(buffer);
    return check_done();
}
