// MPI_BUFFER_AUTOMATIC, and buffers of one communicator (MPI 4.1, section 3.6).
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static char data[300000];
    static const int sizes[] = {0, 10, 8193, 300000};
    OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    for (int i = 0; i < 4; i++) {
        pattern_fill(data, sizes[i], rank + i);
        OK(MPI_Bsend(data, sizes[i], MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD));
        memset(data, 0, sizes[i]);
    }
    for (int i = 0; i < 4; i++) {
        OK(MPI_Recv(data, sizes[i], MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_PATTERN(data, sizes[i], 1 - rank + i);
    }
    OK(MPI_Buffer_flush());
    void *back = NULL;
    int length = -1;
    OK(MPI_Buffer_detach(&back, &length));
    CHECK(back == MPI_BUFFER_AUTOMATIC);
    CHECK_EQ(length, 0);
    // A communicator's own buffer.
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    int room = 1000 + MPI_BSEND_OVERHEAD;
    char *own = malloc(room);
    OK(MPI_Comm_attach_buffer(comm, own, room));
    pattern_fill(data, 1000, rank);
    OK(MPI_Bsend(data, 1000, MPI_BYTE, 1 - rank, 9, comm));
    OK(MPI_Recv(data, 1000, MPI_BYTE, 1 - rank, 9, comm, MPI_STATUS_IGNORE));
    CHECK_PATTERN(data, 1000, 1 - rank);
    MPI_Request flushed;
    OK(MPI_Comm_iflush_buffer(comm, &flushed));
    OK(MPI_Wait(&flushed, MPI_STATUS_IGNORE));
    OK(MPI_Comm_flush_buffer(comm));
    OK(MPI_Comm_detach_buffer(comm, &back, &length));
    CHECK(back == own);
    CHECK_EQ(length, room);
    OK(MPI_Comm_free(&comm));
    free(own);
    return check_done();
}
