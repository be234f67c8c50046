// Persistent collectives with varying counts: gatherv, scatterv, alltoallv, alltoallw,
// reduce_scatter.
// ranks: 1 2 4
#include "check.h"

enum { N = 200 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int counts[8], at[8], bytes[8], total = 0;
    MPI_Datatype types[8];
    for (int r = 0; r < size; r++) {
        counts[r] = (r + 1) * 10, at[r] = r * N, bytes[r] = r * N * (int)sizeof(int);
        types[r] = MPI_INT;
        total += counts[r];
    }
    int mine[N], all[8 * N], piece[N], out[8 * N], in[8 * N], in_w[8 * N], part[N];
    int same[8];
    for (int r = 0; r < size; r++)
        same[r] = 30;
    MPI_Request q[5];
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Info f = MPI_INFO_NULL;
    OK(MPI_Gatherv_init(mine, counts[rank], MPI_INT, all, counts, at, MPI_INT, 0, c, f, &q[0]));
    OK(MPI_Scatterv_init(out, counts, at, MPI_INT, piece, counts[rank], MPI_INT, size - 1, c, f,
                         &q[1]));
    OK(MPI_Alltoallv_init(out, same, at, MPI_INT, in, same, at, MPI_INT, c, f, &q[2]));
    OK(MPI_Alltoallw_init(out, same, bytes, types, in_w, same, bytes, types, c, f, &q[3]));
    OK(MPI_Reduce_scatter_init(out, part, counts, MPI_INT, MPI_SUM, c, f, &q[4]));
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < N; i++)
            mine[i] = rank * 1000 + i + turn;
        for (int i = 0; i < size * N; i++)
            out[i] = rank * 10000 + i + turn;
        OK(MPI_Startall(5, q));
        OK(MPI_Waitall(5, q, MPI_STATUSES_IGNORE));
        int wrong = 0, start = 0;
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < counts[r]; i++)
                wrong += rank == 0 && all[at[r] + i] != r * 1000 + i + turn;
            for (int i = 0; i < 30; i++) {
                wrong += in[at[r] + i] != r * 10000 + rank * N + i + turn;
                wrong += in_w[at[r] + i] != in[at[r] + i];
            }
            if (r < rank)
                start += counts[r];
        }
        for (int i = 0; i < counts[rank]; i++) {
            wrong += piece[i] != (size - 1) * 10000 + rank * N + i + turn;
            wrong += part[i] != size * (size - 1) / 2 * 10000 + size * (start + i + turn);
        }
        CHECK_EQ(wrong, 0);
    }
    for (int k = 0; k < 5; k++)
        OK(MPI_Request_free(&q[k]));
    return check_done();
}
