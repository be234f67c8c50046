// A message longer than its receive buffer: MPI_ERR_TRUNCATE, nothing written past the end, and
// the next message is received as if nothing happened.
// ranks: 2
#include "check.h"

static void truncate_at(int sent, int room, int blocking)
{
    unsigned char *buf = malloc(sent + 64);
    if (rank == 0) {
        pattern_fill(buf, sent, 1);
        MPI_Request request;
        OK(MPI_Isend(buf, sent, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
        // Whether the sender of a truncated message sees an error is left open.
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        OK(MPI_Send(&sent, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
    } else {
        memset(buf, 0xcc, sent + 64);
        MPI_Status status;
        if (blocking) {
            CHECK_CLASS(MPI_Recv(buf, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status),
                        MPI_ERR_TRUNCATE);
        } else {
            MPI_Request request;
            OK(MPI_Irecv(buf, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request));
            CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
            CHECK_SAME(request, MPI_REQUEST_NULL);
        }
        CHECK_EQ(status.MPI_SOURCE, 0);
        CHECK_EQ(status.MPI_TAG, 1);
        for (int i = room; i < sent + 64; i++)
            if (buf[i] != 0xcc) {
                CHECK_EQ(buf[i], 0xcc);
                break;
            }
        int value = -1;
        OK(MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, sent);
    }
    free(buf);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sent[] = {1, 8, 41, 8192, 8193, 100000, 1 << 20};
    for (int i = 0; i < 7; i++) {
        for (int blocking = 0; blocking < 2; blocking++) {
            truncate_at(sent[i], sent[i] - 1, blocking);
            truncate_at(sent[i], sent[i] / 2, blocking);
            truncate_at(sent[i], 0, blocking);
        }
    }
    return check_done();
}
