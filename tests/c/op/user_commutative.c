// A user operation on a user type, commutative, in every reducing collective.
// ranks: 1 2 3 4 8
#include "check.h"

// Adds pairs modulo 1000 and counts how often it was given each length.
static void add_mod(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int(*a)[2] = in, (*b)[2] = inout, bytes = -1;
    MPI_Type_size(*type, &bytes);
    CHECK_EQ(bytes, 8);
    for (int i = 0; i < *len; i++) {
        b[i][0] = (a[i][0] + b[i][0]) % 1000;
        b[i][1] = (a[i][1] + b[i][1]) % 1000;
    }
}

enum { N = 5000 };
static int mine[8 * N][2], got[8 * N][2];

static void fill(int n)
{
    for (int i = 0; i < n; i++) {
        mine[i][0] = (i + rank) % 1000;
        mine[i][1] = (3 * i + rank) % 1000;
        got[i][0] = got[i][1] = -1;
    }
}

static void check(int ranks, int from, int n, int line)
{
    int wrong = 0, sum = ranks * (ranks - 1) / 2;
    for (int i = 0; i < n; i++) {
        wrong += got[i][0] != (ranks * (from + i) + sum) % 1000;
        wrong += got[i][1] != (3 * ranks * (from + i) + sum) % 1000;
    }
    if (wrong)
        check_failed(__FILE__, line, "wrong elements");
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype pair;
    MPI_Op op;
    int commutes = -1;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Op_create(add_mod, 1, &op));
    OK(MPI_Op_commutative(op, &commutes));
    CHECK_EQ(commutes, 1);
    static const int sizes[] = {0, 1, 6, 500, N};
    for (int s = 0; s < 5; s++) {
        int n = sizes[s];
        fill(n);
        OK(MPI_Allreduce(mine, got, n, pair, op, MPI_COMM_WORLD));
        check(size, 0, n, __LINE__);
        fill(n);
        OK(MPI_Reduce(mine, got, n, pair, op, size - 1, MPI_COMM_WORLD));
        if (rank == size - 1)
            check(size, 0, n, __LINE__);
        fill(n);
        OK(MPI_Scan(mine, got, n, pair, op, MPI_COMM_WORLD));
        check(rank + 1, 0, n, __LINE__);
        fill(n * size);
        OK(MPI_Reduce_scatter_block(mine, got, n, pair, op, MPI_COMM_WORLD));
        check(size, rank * n, n, __LINE__);
    }
    OK(MPI_Op_free(&op));
    CHECK_SAME(op, MPI_OP_NULL);
    OK(MPI_Type_free(&pair));
    return check_done();
}
