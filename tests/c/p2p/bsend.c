// Buffered sends: many messages through one buffer, its reuse, detach waits for delivery, a
// full buffer is MPI_ERR_BUFFER, and two attaches in a row are an error.
// ranks: 2
#include "check.h"

static void many(void)
{
    enum { N = 100, LENGTH = 1000 };
    int packed = 0;
    OK(MPI_Pack_size(LENGTH, MPI_BYTE, MPI_COMM_WORLD, &packed));
    int room = N * (packed + MPI_BSEND_OVERHEAD);
    char *buffer = malloc(room), data[LENGTH];
    OK(MPI_Buffer_attach(buffer, room));
    if (rank == 0) {
        for (int i = 0; i < N; i++) {
            pattern_fill(data, LENGTH, i);
            OK(MPI_Bsend(data, LENGTH, MPI_BYTE, 1, i, MPI_COMM_WORLD));
        }
        OK(MPI_Send(NULL, 0, MPI_BYTE, 1, N, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, N, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = N - 1; i >= 0; i--) {
            OK(MPI_Recv(data, LENGTH, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_PATTERN(data, LENGTH, i);
        }
    }
    void *back = NULL;
    OK(MPI_Buffer_detach(&back, &room));
    CHECK(back == buffer);
    free(buffer);
}

static void errors(void)
{
    char small[MPI_BSEND_OVERHEAD + 64], data[4096] = "";
    CHECK_CLASS(MPI_Bsend(data, sizeof data, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
    OK(MPI_Buffer_attach(small, sizeof small));
    CHECK_CLASS(MPI_Bsend(data, sizeof data, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
    CHECK_CLASS2(MPI_Buffer_attach(data, sizeof data), MPI_ERR_BUFFER, MPI_ERR_OTHER);
    OK(MPI_Bsend(data, 32, MPI_BYTE, rank, 2, MPI_COMM_WORLD));
    OK(MPI_Recv(data, 32, MPI_BYTE, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    void *back;
    int length;
    OK(MPI_Buffer_detach(&back, &length));
    CHECK(back == small);
    CHECK_EQ(length, sizeof small);
}

static void reuse(void)
{
    enum { LENGTH = 50000 };
    int room = 2 * (LENGTH + MPI_BSEND_OVERHEAD);
    char *buffer = malloc(room), *data = malloc(LENGTH);
    OK(MPI_Buffer_attach(buffer, room));
    for (int i = 0; i < 20; i++) {
        if (rank == 0) {
            pattern_fill(data, LENGTH, i);
            OK(MPI_Bsend(data, LENGTH, MPI_BYTE, 1, i, MPI_COMM_WORLD));
            memset(data, 0, LENGTH);
            OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Recv(data, LENGTH, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_PATTERN(data, LENGTH, i);
            OK(MPI_Send(NULL, 0, MPI_BYTE, 0, i, MPI_COMM_WORLD));
        }
    }
    OK(MPI_Buffer_detach(&buffer, &room));
    free(buffer);
    free(data);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    many();
    errors();
    reuse();
    return check_done();
}
