// MPI_Reduce and MPI_Allreduce of integers: every root, every size, MPI_IN_PLACE.
// ranks: 1 2 3 4 8
#include "check.h"

static long wanted(int i)
{
    return (long)size * i + (long)size * (size - 1) / 2;
}

static void check(const long *got, int n)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += got[i] != wanted(i);
    CHECK_EQ(wrong, 0);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 2, 5, 6, 100, 1024, 1025, 20000, 200000};
    long *mine = malloc(200000 * sizeof(long)), *got = malloc(200000 * sizeof(long));
    for (int s = 0; s < 10; s++) {
        int n = sizes[s];
        for (int root = 0; root < size; root += n > 20000 ? size : 1) {
            for (int i = 0; i < n; i++)
                mine[i] = i + rank, got[i] = -1;
            OK(MPI_Reduce(mine, rank == root ? got : NULL, n, MPI_LONG, MPI_SUM, root,
                          MPI_COMM_WORLD));
            if (rank == root)
                check(got, n);
            if (rank == root)
                OK(MPI_Reduce(MPI_IN_PLACE, mine, n, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
            else
                OK(MPI_Reduce(mine, NULL, n, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
            if (rank == root)
                check(mine, n);
        }
        for (int i = 0; i < n; i++)
            mine[i] = i + rank, got[i] = -1;
        OK(MPI_Allreduce(mine, got, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        check(got, n);
        OK(MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        check(mine, n);
    }
    free(mine);
    free(got);
    return check_done();
}
