// MPI_IN_PLACE in every non-blocking collective that allows it.
// ranks: 1 2 3 4
#include "check.h"

enum { N = 60 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Request q[9];
    int all[4 * N], vary[4 * N], swap[4 * N], sum[N], total[N], scan[N], block[4 * N];
    int gather[4 * N], scatter[4 * N], counts[4], at[4];
    int triangle = size * (size - 1) / 2, wrong = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = N, at[r] = r * N;
        for (int i = 0; i < N; i++) {
            swap[r * N + i] = rank * 1000 + r * 100 + i;
            scatter[r * N + i] = r * 1000 + i;
            block[r * N + i] = rank + r * N + i;
        }
    }
    for (int i = 0; i < N; i++) {
        all[rank * N + i] = vary[rank * N + i] = gather[rank * N + i] = rank * 1000 + i;
        sum[i] = total[i] = scan[i] = rank + i;
    }
    void *in = MPI_IN_PLACE;
    int root = rank == 0;
    OK(MPI_Iallgather(in, 0, MPI_INT, all, N, MPI_INT, c, &q[0]));
    OK(MPI_Iallgatherv(in, 0, MPI_INT, vary, counts, at, MPI_INT, c, &q[1]));
    OK(MPI_Ialltoall(in, 0, MPI_INT, swap, N, MPI_INT, c, &q[2]));
    OK(MPI_Ireduce(root ? in : sum, root ? sum : NULL, N, MPI_INT, MPI_SUM, 0, c, &q[3]));
    OK(MPI_Iallreduce(in, total, N, MPI_INT, MPI_SUM, c, &q[4]));
    OK(MPI_Iscan(in, scan, N, MPI_INT, MPI_SUM, c, &q[5]));
    OK(MPI_Ireduce_scatter_block(in, block, N, MPI_INT, MPI_SUM, c, &q[6]));
    OK(MPI_Igather(root ? in : gather + rank * N, N, MPI_INT, gather, N, MPI_INT, 0, c, &q[7]));
    OK(MPI_Iscatter(scatter, N, MPI_INT, root ? in : scatter, N, MPI_INT, 0, c, &q[8]));
    OK(MPI_Waitall(9, q, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < size; r++) {
            wrong += all[r * N + i] != r * 1000 + i || vary[r * N + i] != all[r * N + i];
            wrong += swap[r * N + i] != r * 1000 + rank * 100 + i;
            wrong += root && gather[r * N + i] != r * 1000 + i;
        }
        wrong += root && sum[i] != triangle + size * i;
        wrong += total[i] != triangle + size * i;
        wrong += scan[i] != rank * (rank + 1) / 2 + (rank + 1) * i;
        wrong += block[i] != triangle + size * (rank * N + i);
        wrong += scatter[i] != rank * 1000 + i;
    }
    CHECK_EQ(wrong, 0);
    return check_done();
}
