// The _c form of every collective, with 64-bit counts and displacements.
// ranks: 1 2 4
#include "check.h"

enum { N = 100 };
static int mine[N], all[8 * N], out[8 * N], in[8 * N], got[8 * N];
static MPI_Count counts[8];
static MPI_Aint at[8], bytes[8];
static MPI_Datatype types[8];

static void movement(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int wrong = 0, value = rank == 0 ? 5 : -1;
    OK(MPI_Bcast_c(&value, 1, MPI_INT, 0, c));
    CHECK_EQ(value, 5);
    OK(MPI_Gather_c(mine, N, MPI_INT, all, N, MPI_INT, 0, c));
    for (int i = 0; rank == 0 && i < size * N; i++)
        wrong += all[i] != i / N * 1000 + i % N;
    memset(all, 0, sizeof all);
    OK(MPI_Gatherv_c(mine, N, MPI_INT, all, counts, at, MPI_INT, 0, c));
    for (int i = 0; rank == 0 && i < size * N; i++)
        wrong += all[i] != i / N * 1000 + i % N;
    OK(MPI_Scatter_c(out, N, MPI_INT, got, N, MPI_INT, 0, c));
    for (int i = 0; i < N; i++)
        wrong += got[i] != rank * N + i;
    OK(MPI_Scatterv_c(out, counts, at, MPI_INT, got, N, MPI_INT, size - 1, c));
    for (int i = 0; i < N; i++)
        wrong += got[i] != (size - 1) * 10000 + rank * N + i;
    OK(MPI_Allgather_c(mine, N, MPI_INT, all, N, MPI_INT, c));
    OK(MPI_Allgatherv_c(mine, N, MPI_INT, got, counts, at, MPI_INT, c));
    for (int i = 0; i < size * N; i++)
        wrong += all[i] != i / N * 1000 + i % N || got[i] != all[i];
    OK(MPI_Alltoall_c(out, N, MPI_INT, in, N, MPI_INT, c));
    OK(MPI_Alltoallv_c(out, counts, at, MPI_INT, got, counts, at, MPI_INT, c));
    OK(MPI_Alltoallw_c(out, counts, bytes, types, all, counts, bytes, types, c));
    for (int i = 0; i < size * N; i++)
        wrong += in[i] != i / N * 10000 + rank * N + i % N || got[i] != in[i] || all[i] != in[i];
    CHECK_EQ(wrong, 0);
}

static void reductions(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Request request;
    int triangle = size * (size - 1) / 2, wrong = 0;
    OK(MPI_Reduce_c(mine, got, N, MPI_INT, MPI_SUM, 0, c));
    for (int i = 0; rank == 0 && i < N; i++)
        wrong += got[i] != triangle * 1000 + size * i;
    OK(MPI_Allreduce_c(mine, got, N, MPI_INT, MPI_SUM, c));
    for (int i = 0; i < N; i++)
        wrong += got[i] != triangle * 1000 + size * i;
    OK(MPI_Reduce_scatter_block_c(out, got, N, MPI_INT, MPI_SUM, c));
    for (int i = 0; i < N; i++)
        wrong += got[i] != triangle * 10000 + size * (rank * N + i);
    OK(MPI_Reduce_scatter_c(out, got, counts, MPI_INT, MPI_SUM, c));
    for (int i = 0; i < N; i++)
        wrong += got[i] != triangle * 10000 + size * (rank * N + i);
    OK(MPI_Scan_c(mine, got, N, MPI_INT, MPI_MAX, c));
    for (int i = 0; i < N; i++)
        wrong += got[i] != rank * 1000 + i;
    OK(MPI_Exscan_c(mine, got, N, MPI_INT, MPI_MAX, c));
    for (int i = 0; rank && i < N; i++)
        wrong += got[i] != (rank - 1) * 1000 + i;
    OK(MPI_Iallreduce_c(mine, got, N, MPI_INT, MPI_MIN, c, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        wrong += got[i] != i;
    CHECK_EQ(wrong, 0);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int r = 0; r < size; r++)
        counts[r] = N, at[r] = r * N, bytes[r] = r * N * (MPI_Aint)sizeof(int), types[r] = MPI_INT;
    for (int i = 0; i < N; i++)
        mine[i] = rank * 1000 + i;
    for (int i = 0; i < size * N; i++)
        out[i] = rank * 10000 + i;
    movement();
    reductions();
    return check_done();
}
