// Every non-blocking collective once, all outstanding at the same time, in one order on all
// ranks, completed in another, and with point-to-point traffic in between.
// ranks: 1 2 3 4 8
#include "check.h"

enum { N = 300, KINDS = 16 };
static int bcast[N], gather[8 * N], scatter[8 * N], piece[N], all[8 * N], mine[N];
static int a2a_out[8 * N], a2a_in[8 * N], a2av_in[8 * N], a2aw_in[8 * N], sum[N], total[N];
static int block[N], part[N], scan[N], exscan[N], gatherv[8 * N], allv[8 * N], piecev[N];
static int counts[8], displs[8], bytes[8];
static MPI_Datatype types[8];

static int value(int from, int to, int i)
{
    return from * 10000 + to * 1000 + i;
}

static int start(MPI_Request *r)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int k = 0, last = size - 1;
    OK(MPI_Ibcast(bcast, N, MPI_INT, last, c, &r[k++]));
    OK(MPI_Igather(mine, N, MPI_INT, gather, N, MPI_INT, 0, c, &r[k++]));
    OK(MPI_Igatherv(mine, N, MPI_INT, gatherv, counts, displs, MPI_INT, last, c, &r[k++]));
    OK(MPI_Iscatter(scatter, N, MPI_INT, piece, N, MPI_INT, last, c, &r[k++]));
    OK(MPI_Iscatterv(scatter, counts, displs, MPI_INT, piecev, N, MPI_INT, last, c, &r[k++]));
    OK(MPI_Iallgather(mine, N, MPI_INT, all, N, MPI_INT, c, &r[k++]));
    OK(MPI_Iallgatherv(mine, N, MPI_INT, allv, counts, displs, MPI_INT, c, &r[k++]));
    OK(MPI_Ialltoall(a2a_out, N, MPI_INT, a2a_in, N, MPI_INT, c, &r[k++]));
    OK(MPI_Ialltoallv(a2a_out, counts, displs, MPI_INT, a2av_in, counts, displs, MPI_INT, c,
                      &r[k++]));
    OK(MPI_Ialltoallw(a2a_out, counts, bytes, types, a2aw_in, counts, bytes, types, c, &r[k++]));
    OK(MPI_Ireduce(mine, sum, N, MPI_INT, MPI_SUM, 0, c, &r[k++]));
    OK(MPI_Iallreduce(mine, total, N, MPI_INT, MPI_MAX, c, &r[k++]));
    OK(MPI_Ireduce_scatter_block(a2a_out, block, N, MPI_INT, MPI_SUM, c, &r[k++]));
    OK(MPI_Ireduce_scatter(a2a_out, part, counts, MPI_INT, MPI_SUM, c, &r[k++]));
    OK(MPI_Iscan(mine, scan, N, MPI_INT, MPI_SUM, c, &r[k++]));
    OK(MPI_Iexscan(mine, exscan, N, MPI_INT, MPI_SUM, c, &r[k++]));
    return k;
}

static void prepare(void)
{
    for (int i = 0; i < N; i++) {
        mine[i] = value(rank, 0, i);
        bcast[i] = rank == size - 1 ? i + 5 : 0;
    }
    for (int r = 0; r < size; r++) {
        counts[r] = N, displs[r] = r * N, bytes[r] = r * N * (int)sizeof(int), types[r] = MPI_INT;
        for (int i = 0; i < N; i++)
            scatter[r * N + i] = a2a_out[r * N + i] = value(rank, r, i);
    }
}

static int wrong_at(int i)
{
    int triangle = size * (size - 1) / 2, below = rank * (rank - 1) / 2, wrong = 0;
    wrong += bcast[i] != i + 5;
    wrong += piece[i] != value(size - 1, rank, i) || piecev[i] != piece[i];
    wrong += rank == 0 && sum[i] != triangle * 10000 + size * i;
    wrong += total[i] != value(size - 1, 0, i);
    wrong += block[i] != triangle * 10000 + size * (rank * 1000 + i) || part[i] != block[i];
    wrong += scan[i] != (below + rank) * 10000 + (rank + 1) * i;
    wrong += rank > 0 && exscan[i] != below * 10000 + rank * i;
    for (int r = 0; r < size; r++) {
        int at = r * N + i;
        wrong += all[at] != value(r, 0, i) || allv[at] != all[at];
        wrong += rank == 0 && gather[at] != all[at];
        wrong += rank == size - 1 && gatherv[at] != all[at];
        wrong += a2a_in[at] != value(r, rank, i);
        wrong += a2av_in[at] != a2a_in[at] || a2aw_in[at] != a2a_in[at];
    }
    return wrong;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Request requests[KINDS + 2];
    int wrong = 0, got = -1;
    prepare();
    int k = start(requests);
    CHECK_EQ(k, KINDS);
    OK(MPI_Irecv(&got, 1, MPI_INT, previous_rank(), 0, MPI_COMM_WORLD, &requests[k++]));
    OK(MPI_Isend(&rank, 1, MPI_INT, next_rank(), 0, MPI_COMM_WORLD, &requests[k++]));
    OK(MPI_Wait(&requests[k - 2], MPI_STATUS_IGNORE));
    CHECK_EQ(got, previous_rank());
    // Each rank completes them in an order of its own.
    for (int i = 0; i < k; i++)
        OK(MPI_Wait(&requests[(i * 5 + rank) % k], MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        wrong += wrong_at(i);
    CHECK_EQ(wrong, 0);
    return check_done();
}
