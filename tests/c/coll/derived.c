// Collectives with derived types: columns gathered into a matrix, blocks of a matrix scattered
// with resized types, a transposition by alltoallw, strided broadcast into contiguous.
// ranks: 1 2 4
#include "check.h"

enum { ROWS = 50 };

// Each rank has a column of its own; the root puts them side by side.
static void columns(void)
{
    MPI_Datatype column, step;
    int *matrix = calloc((size_t)ROWS * size, sizeof(int)), mine[ROWS], back[ROWS], wrong = 0;
    OK(MPI_Type_vector(ROWS, 1, size, MPI_INT, &column));
    OK(MPI_Type_create_resized(column, 0, sizeof(int), &step));
    OK(MPI_Type_commit(&step));
    for (int i = 0; i < ROWS; i++)
        mine[i] = rank * 1000 + i;
    OK(MPI_Gather(mine, ROWS, MPI_INT, matrix, 1, step, 0, MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && i < ROWS; i++)
        for (int r = 0; r < size; r++)
            wrong += matrix[i * size + r] != r * 1000 + i;
    OK(MPI_Scatter(matrix, 1, step, back, ROWS, MPI_INT, 0, MPI_COMM_WORLD));
    wrong += memcmp(mine, back, sizeof mine) != 0;
    memset(matrix, 0, (size_t)ROWS * size * sizeof(int));
    OK(MPI_Allgather(mine, ROWS, MPI_INT, matrix, 1, step, MPI_COMM_WORLD));
    for (int i = 0; i < ROWS; i++)
        for (int r = 0; r < size; r++)
            wrong += matrix[i * size + r] != r * 1000 + i;
    CHECK_EQ(wrong, 0);
    OK(MPI_Type_free(&step));
    OK(MPI_Type_free(&column));
    free(matrix);
}

// A matrix distributed by rows becomes one distributed by columns.
static void transpose(void)
{
    enum { B = 6 };
    int n = B * size, counts[8], out_at[8], in_at[8], wrong = 0;
    int(*mine)[B * 8] = malloc(sizeof(int[B][B * 8])), *other = calloc((size_t)n * B, sizeof(int));
    MPI_Datatype out[8], in[8];
    for (int i = 0; i < B; i++)
        for (int k = 0; k < n; k++)
            mine[i][k] = (rank * B + i) * 1000 + k;
    for (int r = 0; r < size; r++) {
        counts[r] = 1;
        int sizes[2] = {B, B * 8}, part[2] = {B, B}, start[2] = {0, r * B};
        OK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &out[r]));
        OK(MPI_Type_commit(&out[r]));
        int wide[2] = {n, B}, from[2] = {r * B, 0};
        OK(MPI_Type_create_subarray(2, wide, part, from, MPI_ORDER_C, MPI_INT, &in[r]));
        OK(MPI_Type_commit(&in[r]));
        out_at[r] = in_at[r] = 0;
    }
    OK(MPI_Alltoallw(mine, counts, out_at, out, other, counts, in_at, in, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < B; k++)
            wrong += other[i * B + k] != i * 1000 + rank * B + k;
    CHECK_EQ(wrong, 0);
    for (int r = 0; r < size; r++) {
        OK(MPI_Type_free(&out[r]));
        OK(MPI_Type_free(&in[r]));
    }
    free(mine);
    free(other);
}

// Reductions work on types with gaps when the operation is the user's.
static void add_first(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *len; i++)
        *(int *)((char *)inout + i * extent) += *(int *)((char *)in + i * extent);
}

static void gaps(void)
{
    MPI_Datatype sparse;
    MPI_Op op;
    int mine[300], sum[300], wrong = 0;
    OK(MPI_Type_create_resized(MPI_INT, 0, 12, &sparse));
    OK(MPI_Type_commit(&sparse));
    OK(MPI_Op_create(add_first, 1, &op));
    for (int i = 0; i < 300; i++)
        mine[i] = rank + i, sum[i] = -1;
    OK(MPI_Allreduce(mine, sum, 100, sparse, op, MPI_COMM_WORLD));
    for (int i = 0; i < 300; i++)
        wrong += sum[i] != (i % 3 ? -1 : size * (size - 1) / 2 + size * i);
    CHECK_EQ(wrong, 0);
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&sparse));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    columns();
    transpose();
    gaps();
    return check_done();
}
