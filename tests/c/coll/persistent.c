// Persistent collectives: init, several starts with fresh data, two kinds active at once, free.
// ranks: 1 2 3 4 8
#include "check.h"

enum { N = 500, KINDS = 12 };
static int mine[N], sum[N], total[N], bcast[N], all[8 * N], gathered[8 * N], piece[N];
static int to_all[8 * N], from_all[8 * N], scan[N], exscan[N], vary[8 * N];
static int counts[8], at[8], block[N];

static void init(MPI_Request *q)
{
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Info f = MPI_INFO_NULL;
    int last = size - 1;
    OK(MPI_Barrier_init(c, f, &q[0]));
    OK(MPI_Bcast_init(bcast, N, MPI_INT, last, c, f, &q[1]));
    OK(MPI_Reduce_init(mine, sum, N, MPI_INT, MPI_SUM, 0, c, f, &q[2]));
    OK(MPI_Allreduce_init(mine, total, N, MPI_INT, MPI_SUM, c, f, &q[3]));
    OK(MPI_Gather_init(mine, N, MPI_INT, gathered, N, MPI_INT, last, c, f, &q[4]));
    OK(MPI_Scatter_init(to_all, N, MPI_INT, piece, N, MPI_INT, 0, c, f, &q[5]));
    OK(MPI_Allgather_init(mine, N, MPI_INT, all, N, MPI_INT, c, f, &q[6]));
    OK(MPI_Alltoall_init(to_all, N, MPI_INT, from_all, N, MPI_INT, c, f, &q[7]));
    OK(MPI_Reduce_scatter_block_init(to_all, block, N, MPI_INT, MPI_MAX, c, f, &q[8]));
    OK(MPI_Scan_init(mine, scan, N, MPI_INT, MPI_SUM, c, f, &q[9]));
    OK(MPI_Exscan_init(mine, exscan, N, MPI_INT, MPI_SUM, c, f, &q[10]));
    OK(MPI_Allgatherv_init(mine, N, MPI_INT, vary, counts, at, MPI_INT, c, f, &q[11]));
}

static void fill(int turn)
{
    for (int i = 0; i < N; i++) {
        mine[i] = rank * 1000 + i + turn;
        bcast[i] = rank == size - 1 ? i * 2 + turn : -1;
    }
    for (int i = 0; i < size * N; i++)
        to_all[i] = rank * 100000 + i + turn;
}

static int wrong_at(int i, int turn)
{
    int triangle = size * (size - 1) / 2, wrong = 0, below = rank * (rank - 1) / 2;
    wrong += bcast[i] != i * 2 + turn;
    wrong += total[i] != triangle * 1000 + size * (i + turn);
    wrong += rank == 0 && sum[i] != total[i];
    wrong += piece[i] != rank * N + i + turn;
    wrong += block[i] != (size - 1) * 100000 + rank * N + i + turn;
    wrong += scan[i] != (below + rank) * 1000 + (rank + 1) * (i + turn);
    wrong += rank && exscan[i] != below * 1000 + rank * (i + turn);
    for (int r = 0; r < size; r++) {
        wrong += all[r * N + i] != r * 1000 + i + turn || vary[r * N + i] != all[r * N + i];
        wrong += rank == size - 1 && gathered[r * N + i] != all[r * N + i];
        wrong += from_all[r * N + i] != r * 100000 + rank * N + i + turn;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Request requests[KINDS];
    for (int r = 0; r < size; r++)
        counts[r] = N, at[r] = r * N;
    init(requests);
    for (int turn = 0; turn < 4; turn++) {
        int wrong = 0;
        fill(turn * 7);
        if (turn % 2) {
            OK(MPI_Startall(KINDS, requests));
            OK(MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE));
        } else {
            // Started in one order everywhere, completed in the other.
            for (int k = 0; k < KINDS; k++)
                OK(MPI_Start(&requests[k]));
            for (int k = KINDS - 1; k >= 0; k--)
                OK(MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
        }
        for (int i = 0; i < N; i++)
            wrong += wrong_at(i, turn * 7);
        CHECK_EQ(wrong, 0);
    }
    for (int k = 0; k < KINDS; k++)
        OK(MPI_Request_free(&requests[k]));
    return check_done();
}
