// MPI_Allgather and MPI_Allgatherv, with and without MPI_IN_PLACE, sizes from 0 up.
// ranks: 1 2 3 4 8
#include "check.h"

static void allgather(int n, int in_place)
{
    char *all = calloc(1, (size_t)n * size + 1), *mine = malloc(n + 1);
    pattern_fill(mine, n, rank + n);
    if (in_place)
        memcpy(all + (size_t)rank * n, mine, n);
    OK(MPI_Allgather(in_place ? MPI_IN_PLACE : mine, n, MPI_BYTE, all, n, MPI_BYTE,
                     MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_PATTERN(all + (size_t)r * n, n, r + n);
    free(all);
    free(mine);
}

static void allgatherv(int unit, int in_place)
{
    int counts[8], displs[8], at = 0;
    for (int r = size - 1; r >= 0; r--) {
        counts[r] = r % 3 == 1 ? 0 : (r + 1) * unit;
        displs[r] = at;
        at += counts[r] + 5;
    }
    char *all = malloc(at + 1), *mine = malloc(counts[rank] + 1);
    memset(all, 0x5a, at);
    pattern_fill(mine, counts[rank], rank);
    if (in_place)
        memcpy(all + displs[rank], mine, counts[rank]);
    OK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine, counts[rank], MPI_BYTE, all, counts,
                      displs, MPI_BYTE, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++) {
        CHECK_PATTERN(all + displs[r], counts[r], r);
        for (int i = 0; i < 5; i++)
            CHECK_EQ(all[displs[r] + counts[r] + i], 0x5a);
    }
    free(all);
    free(mine);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 8, 40, 41, 3000, 8193, 100000};
    for (int i = 0; i < 8; i++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            allgather(sizes[i], in_place);
            allgatherv(sizes[i], in_place);
        }
    }
    return check_done();
}
