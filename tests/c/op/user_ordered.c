// A user operation that does not commute (2x2 matrix product): applied in rank order, whatever
// the root, the size and the algorithm (section 6.9.1).
// ranks: 1 2 3 4 5 8
#include "check.h"

typedef struct {
    long a, b, c, d;
} Matrix;

static const long P = 1000003;

static Matrix times(Matrix x, Matrix y)
{
    Matrix z = {(x.a * y.a + x.b * y.c) % P, (x.a * y.b + x.b * y.d) % P,
                (x.c * y.a + x.d * y.c) % P, (x.c * y.b + x.d * y.d) % P};
    return z;
}

static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
    Matrix *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        y[i] = times(x[i], y[i]);
}

static Matrix at(int r, int i)
{
    Matrix m = {r + 2, i + 1, i * r + 1, r * r + 3};
    return m;
}

enum { N = 3000 };
static Matrix mine[8 * N], got[8 * N];

static void fill(int n)
{
    for (int i = 0; i < n; i++)
        mine[i] = at(rank, i);
}

// Elements from..from+n of the product of ranks 0..ranks.
static void check(int ranks, int from, int n, int line)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        Matrix want = at(0, from + i);
        for (int r = 1; r < ranks; r++)
            want = times(want, at(r, from + i));
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    if (wrong)
        check_failed(__FILE__, line, "not the product in rank order");
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype matrix;
    MPI_Op op;
    int commutes = -1;
    OK(MPI_Type_contiguous(4, MPI_LONG, &matrix));
    OK(MPI_Type_commit(&matrix));
    OK(MPI_Op_create(multiply, 0, &op));
    OK(MPI_Op_commutative(op, &commutes));
    CHECK_EQ(commutes, 0);
    static const int sizes[] = {1, 2, 300, N};
    for (int s = 0; s < 4; s++) {
        int n = sizes[s];
        for (int root = 0; root < size; root++) {
            fill(n);
            OK(MPI_Reduce(mine, got, n, matrix, op, root, MPI_COMM_WORLD));
            if (rank == root)
                check(size, 0, n, __LINE__);
        }
        fill(n);
        OK(MPI_Allreduce(mine, got, n, matrix, op, MPI_COMM_WORLD));
        check(size, 0, n, __LINE__);
        memcpy(got, mine, n * sizeof *got);
        OK(MPI_Allreduce(MPI_IN_PLACE, got, n, matrix, op, MPI_COMM_WORLD));
        check(size, 0, n, __LINE__);
        OK(MPI_Scan(mine, got, n, matrix, op, MPI_COMM_WORLD));
        check(rank + 1, 0, n, __LINE__);
        OK(MPI_Exscan(mine, got, n, matrix, op, MPI_COMM_WORLD));
        if (rank)
            check(rank, 0, n, __LINE__);
        fill(n * size);
        OK(MPI_Reduce_scatter_block(mine, got, n, matrix, op, MPI_COMM_WORLD));
        check(size, rank * n, n, __LINE__);
        MPI_Request request;
        OK(MPI_Iallreduce(mine, got, n, matrix, op, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check(size, 0, n, __LINE__);
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&matrix));
    return check_done();
}
