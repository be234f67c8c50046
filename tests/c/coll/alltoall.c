// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw, with and without MPI_IN_PLACE.
// ranks: 1 2 3 4 8
#include "check.h"

// What rank `from` sends to rank `to`.
static int seed(int from, int to)
{
    return from * 16 + to;
}

static void alltoall(int n, int in_place)
{
    char *out = malloc((size_t)n * size + 1), *in = malloc((size_t)n * size + 1);
    for (int r = 0; r < size; r++) {
        pattern_fill(out + (size_t)r * n, n, seed(rank, r));
        pattern_fill(in + (size_t)r * n, n, in_place ? seed(rank, r) : 999);
    }
    OK(MPI_Alltoall(in_place ? MPI_IN_PLACE : out, n, MPI_BYTE, in, n, MPI_BYTE,
                    MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_PATTERN(in + (size_t)r * n, n, seed(r, rank));
    free(out);
    free(in);
}

// Rank a sends (a + b) % 3 * unit bytes to b: symmetric, so that it also works in place.
static void alltoallv(int unit, int in_place)
{
    int counts[8], out_at[8], in_at[8], at = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = (rank + r) % 3 * unit;
        out_at[r] = at;
        at += counts[r] + 2;
    }
    for (int r = 0; r < size; r++)
        in_at[r] = at - out_at[r] - counts[r];
    char *out = malloc(at + 1), *in = malloc(at + 1);
    for (int r = 0; r < size; r++) {
        pattern_fill(out + out_at[r], counts[r], seed(rank, r));
        pattern_fill(in + in_at[r], counts[r], seed(rank, r));
    }
    OK(MPI_Alltoallv(in_place ? MPI_IN_PLACE : out, counts, out_at, MPI_BYTE, in, counts, in_at,
                     MPI_BYTE, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_PATTERN(in + in_at[r], counts[r], seed(r, rank));
    free(out);
    free(in);
}

// Rank a sends to b `n` pairs; as two ints where a is even, as one pair type where it is odd.
static void alltoallw(int n)
{
    MPI_Datatype pair, send_types[8], receive_types[8];
    int send_counts[8], receive_counts[8], displs[8];
    int *out = malloc((size_t)size * n * 8 + 8), *in = malloc((size_t)size * n * 8 + 8);
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    for (int r = 0; r < size; r++) {
        send_types[r] = rank % 2 ? pair : MPI_INT;
        send_counts[r] = rank % 2 ? n : 2 * n;
        receive_types[r] = (r + rank) % 2 ? pair : MPI_INT;
        receive_counts[r] = (r + rank) % 2 ? n : 2 * n;
        displs[r] = r * n * 8;
        pattern_fill((char *)out + displs[r], n * 8, seed(rank, r));
    }
    OK(MPI_Alltoallw(out, send_counts, displs, send_types, in, receive_counts, displs,
                     receive_types, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_PATTERN((char *)in + displs[r], n * 8, seed(r, rank));
    OK(MPI_Type_free(&pair));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 8, 41, 2000, 8193, 60000};
    for (int i = 0; i < 7; i++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            alltoall(sizes[i], in_place);
            alltoallv(sizes[i], in_place);
        }
        alltoallw(sizes[i] / 4);
    }
    return check_done();
}
