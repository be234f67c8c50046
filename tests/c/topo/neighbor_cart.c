// Neighbourhood collectives on a Cartesian grid: order of neighbours, PROC_NULL at the border,
// a dimension of size 1 and 2; blocking, non-blocking and persistent forms.
// ranks: 1 2 4 6
#include "check.h"

enum { N = 40 };
static MPI_Comm cart;
static int neighbours[4];

static int value(int from, int slot, int i)
{
    return from * 1000 + slot * 100 + i;
}

// On a grid the neighbour at slot s got what it sent to me at slot s ^ 1.
static void check(const int *got, int per_slot, int line)
{
    int wrong = 0;
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < N; i++) {
            int want = neighbours[s] == MPI_PROC_NULL
                           ? -1
                           : value(neighbours[s], per_slot ? s ^ 1 : 0, i);
            wrong += got[s * N + i] != want;
        }
    }
    if (wrong)
        check_failed(__FILE__, line, "wrong data from a neighbour");
}

static void all_forms(void)
{
    int mine[N], out[4 * N], got[4 * N], counts[4], at[4];
    MPI_Aint bytes_at[4];
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    for (int s = 0; s < 4; s++) {
        counts[s] = N, at[s] = s * N, bytes_at[s] = s * N * (MPI_Aint)sizeof(int);
        for (int i = 0; i < N; i++)
            mine[i] = value(rank, 0, i), out[s * N + i] = value(rank, s, i);
    }
    for (int form = 0; form < 3; form++) {
        for (int kind = 0; kind < 5; kind++) {
            MPI_Request q = MPI_REQUEST_NULL;
            memset(got, -1, sizeof got);
#define FORMS(name, ...)                                                                       \
    do {                                                                                       \
        if (form == 0)                                                                         \
            OK(MPI_Neighbor_##name(__VA_ARGS__, cart));                                        \
        else if (form == 1)                                                                    \
            OK(MPI_Ineighbor_##name(__VA_ARGS__, cart, &q));                                   \
        else                                                                                   \
            OK(MPI_Neighbor_##name##_init(__VA_ARGS__, cart, MPI_INFO_NULL, &q));              \
    } while (0)
            if (kind == 0)
                FORMS(allgather, mine, N, MPI_INT, got, N, MPI_INT);
            else if (kind == 1)
                FORMS(allgatherv, mine, N, MPI_INT, got, counts, at, MPI_INT);
            else if (kind == 2)
                FORMS(alltoall, out, N, MPI_INT, got, N, MPI_INT);
            else if (kind == 3)
                FORMS(alltoallv, out, counts, at, MPI_INT, got, counts, at, MPI_INT);
            else
                FORMS(alltoallw, out, counts, bytes_at, types, got, counts, bytes_at, types);
            for (int turn = 0; turn < (form == 2 ? 3 : 1); turn++) {
                if (form == 2) {
                    memset(got, -1, sizeof got);
                    OK(MPI_Start(&q));
                }
                OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
                check(got, kind >= 2, __LINE__ + 100 * kind);
            }
            if (form == 2)
                OK(MPI_Request_free(&q));
        }
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int dims[2] = {0, 0};
    OK(MPI_Dims_create(size, 2, dims));
    for (int periodic = 0; periodic < 2; periodic++) {
        OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){periodic, periodic}, 0, &cart));
        for (int d = 0; d < 2; d++)
            OK(MPI_Cart_shift(cart, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]));
        all_forms();
        OK(MPI_Comm_free(&cart));
    }
    return check_done();
}
