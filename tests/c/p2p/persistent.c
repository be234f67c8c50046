// Persistent requests of every mode: start, complete, change the data, start again, free.
// ranks: 1 2 4
#include "check.h"

enum { MODES = 4, ROUNDS = 5 };

static void run(int n)
{
    char *out[MODES], *in[MODES];
    MPI_Request sends[MODES], receives[MODES];
    MPI_Comm c = MPI_COMM_WORLD;
    for (int m = 0; m < MODES; m++) {
        out[m] = malloc(n + 1);
        in[m] = malloc(n + 1);
        OK(MPI_Recv_init(in[m], n, MPI_BYTE, previous_rank(), m, c, &receives[m]));
    }
    OK(MPI_Send_init(out[0], n, MPI_BYTE, next_rank(), 0, c, &sends[0]));
    OK(MPI_Ssend_init(out[1], n, MPI_BYTE, next_rank(), 1, c, &sends[1]));
    OK(MPI_Rsend_init(out[2], n, MPI_BYTE, next_rank(), 2, c, &sends[2]));
    OK(MPI_Bsend_init(out[3], n, MPI_BYTE, next_rank(), 3, c, &sends[3]));
    for (int round = 0; round < ROUNDS; round++) {
        for (int m = 0; m < MODES; m++) {
            pattern_fill(out[m], n, rank + m + round);
            memset(in[m], 0, n);
        }
        OK(MPI_Startall(MODES, receives));
        OK(MPI_Barrier(c));
        if (round % 2) {
            OK(MPI_Startall(MODES, sends));
        } else {
            for (int m = 0; m < MODES; m++)
                OK(MPI_Start(&sends[m]));
        }
        MPI_Status statuses[MODES];
        OK(MPI_Waitall(MODES, receives, statuses));
        OK(MPI_Waitall(MODES, sends, MPI_STATUSES_IGNORE));
        for (int m = 0; m < MODES; m++) {
            CHECK_PATTERN(in[m], n, previous_rank() + m + round);
            CHECK_EQ(statuses[m].MPI_TAG, m);
            CHECK_NE((intptr_t)sends[m], (intptr_t)MPI_REQUEST_NULL);
        }
        OK(MPI_Buffer_flush());
    }
    for (int m = 0; m < MODES; m++) {
        OK(MPI_Request_free(&sends[m]));
        OK(MPI_Request_free(&receives[m]));
        CHECK_SAME(sends[m], MPI_REQUEST_NULL);
        free(out[m]);
        free(in[m]);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int room = 300000 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc(room);
    OK(MPI_Buffer_attach(buffer, room));
    run(0);
    run(24);
    run(8193);
    run(300000);
    OK(MPI_Buffer_detach(&buffer, &room));
    free(buffer);
    return check_done();
}
