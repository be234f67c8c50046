// MPI_Gather and MPI_Scatter, every root, sizes from 0 up, MPI_IN_PLACE at the root.
// ranks: 1 2 3 4 8
#include "check.h"

static void gather(int root, int n, int in_place)
{
    char *all = malloc((size_t)n * size + 1), *mine = malloc(n + 1);
    pattern_fill(mine, n, rank + n);
    if (rank == root) {
        memset(all, 0, (size_t)n * size);
        if (in_place)
            memcpy(all + (size_t)rank * n, mine, n);
        OK(MPI_Gather(in_place ? MPI_IN_PLACE : mine, n, MPI_BYTE, all, n, MPI_BYTE, root,
                      MPI_COMM_WORLD));
        for (int r = 0; r < size; r++)
            CHECK_PATTERN(all + (size_t)r * n, n, r + n);
    } else {
        OK(MPI_Gather(mine, n, MPI_BYTE, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD));
    }
    free(all);
    free(mine);
}

static void scatter(int root, int n, int in_place)
{
    char *all = malloc((size_t)n * size + 1), *mine = calloc(1, n + 1);
    if (rank == root) {
        for (int r = 0; r < size; r++)
            pattern_fill(all + (size_t)r * n, n, r + n);
        OK(MPI_Scatter(all, n, MPI_BYTE, in_place ? MPI_IN_PLACE : mine, n, MPI_BYTE, root,
                       MPI_COMM_WORLD));
        CHECK_PATTERN(in_place ? all + (size_t)rank * n : mine, n, rank + n);
    } else {
        OK(MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, mine, n, MPI_BYTE, root, MPI_COMM_WORLD));
        CHECK_PATTERN(mine, n, rank + n);
    }
    free(all);
    free(mine);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 8, 41, 5000, 8193, 100000};
    for (int i = 0; i < 7; i++) {
        for (int root = 0; root < size; root++) {
            gather(root, sizes[i], (i + root) % 2);
            scatter(root, sizes[i], (i + root) % 2);
        }
    }
    return check_done();
}
