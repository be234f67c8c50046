// Partitioned messages around a ring, several rounds on the same requests: partitions become
// ready in all orders and ways, sizes from nothing to megabytes, cut otherwise by the receiver.
// ranks: 1 2 3
#include "check.h"

static void ready(MPI_Request request, int n, int round)
{
    int list[64];
    switch (round % 4) {
    case 0:
        for (int i = n - 1; i >= 0; i--)
            OK(MPI_Pready(i, request));
        break;
    case 1:
        OK(MPI_Pready_range(0, n - 1, request));
        break;
    case 2:
        for (int i = 0; i < n; i++)
            list[i] = (i * 7 + 3) % n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                if (list[i] == list[j])
                    list[i] = (list[i] + 1) % n, j = -1;
        OK(MPI_Pready_list(n, list, request));
        break;
    default:
        for (int i = 0; i < n; i += 2)
            OK(MPI_Pready(i, request));
        for (int i = 1; i < n; i += 2)
            OK(MPI_Pready(i, request));
    }
}

static void ring(int sends, int receives, size_t bytes, int rounds)
{
    unsigned char *out = malloc(bytes + 1), *in = malloc(bytes + 1);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Psend_init(out, sends, bytes / sends, MPI_BYTE, next_rank(), 5, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, receives, bytes / receives, MPI_BYTE, previous_rank(), 5,
                      MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < rounds; round++) {
        pattern_fill(out, bytes, round + rank);
        memset(in, 0, bytes);
        OK(MPI_Startall(2, requests));
        ready(requests[0], sends, round);
        if (round % 2) {
            int flag = 0;
            for (int i = 0; i < receives; i++, flag = 0)
                while (!flag)
                    OK(MPI_Parrived(requests[1], i, &flag));
            CHECK_PATTERN(in, bytes, round + previous_rank());
        }
        OK(MPI_Waitall(2, requests, statuses));
        CHECK_PATTERN(in, bytes, round + previous_rank());
        int count = -1;
        OK(MPI_Get_count(&statuses[1], MPI_BYTE, &count));
        CHECK_EQ(count, bytes);
        CHECK_EQ(statuses[1].MPI_SOURCE, previous_rank());
        CHECK_EQ(statuses[1].MPI_TAG, 5);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    CHECK_SAME(requests[1], MPI_REQUEST_NULL);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    ring(1, 1, 8, 4);
    ring(4, 4, 64, 8);
    ring(8, 2, 64, 8);
    ring(2, 8, 64, 8);
    ring(6, 4, 1200, 8);
    ring(3, 64, 192 * 1024, 4);
    ring(64, 3, 192 * 1024, 4);
    ring(4, 6, 12 << 20, 4);
    ring(4, 1, 0, 4);
    return check_done();
}
