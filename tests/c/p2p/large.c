// Messages of 2 to 16 MiB, in both directions at once and into a larger buffer.
// ranks: 1 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    size_t room = (16 << 20) + 64;
    unsigned char *out = malloc(room), *in = malloc(room);
    for (int mib = 2; mib <= 16; mib *= 2) {
        int n = (mib << 20) + (mib == 8 ? -1 : mib == 16 ? 0 : 13);
        pattern_fill(out, n, rank);
        memset(in, 0xee, room);
        MPI_Request requests[2];
        MPI_Status statuses[2];
        OK(MPI_Irecv(in, (int)room, MPI_BYTE, previous_rank(), 1, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Isend(out, n, MPI_BYTE, next_rank(), 1, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Waitall(2, requests, statuses));
        int count;
        OK(MPI_Get_count(&statuses[0], MPI_BYTE, &count));
        CHECK_EQ(count, n);
        CHECK_PATTERN(in, n, previous_rank());
        for (int i = 0; i < 64 && n + i < (int)room; i++)
            CHECK_EQ(in[n + i], 0xee);
    }
    free(out);
    free(in);
    return check_done();
}
