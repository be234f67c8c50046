// MPI_Reduce_scatter (counts that differ, some 0) and MPI_Reduce_scatter_block; in place too.
// ranks: 1 2 3 4 8
#include "check.h"

static int sum_at(int i)
{
    return size * i + size * (size - 1) / 2;
}

static void block(int n, int in_place)
{
    int *all = malloc((n * size + 1) * sizeof(int)), *mine = malloc((n + 1) * sizeof(int));
    for (int i = 0; i < n * size; i++)
        all[i] = i + rank;
    OK(MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : all, in_place ? all : mine, n, MPI_INT,
                                MPI_SUM, MPI_COMM_WORLD));
    const int *got = in_place ? all : mine;
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += got[i] != sum_at(rank * n + i);
    CHECK_EQ(wrong, 0);
    free(all);
    free(mine);
}

static void varying(int unit, int in_place)
{
    int counts[8], total = 0, start = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = r % 3 == 1 ? 0 : unit * (r + 1);
        if (r < rank)
            start += counts[r];
        total += counts[r];
    }
    int *all = malloc((total + 1) * sizeof(int)), *mine = malloc((total + 1) * sizeof(int));
    for (int i = 0; i < total; i++)
        all[i] = i + rank;
    OK(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : all, in_place ? all : mine, counts, MPI_INT,
                          MPI_SUM, MPI_COMM_WORLD));
    const int *got = in_place ? all : mine;
    int wrong = 0;
    for (int i = 0; i < counts[rank]; i++)
        wrong += got[i] != sum_at(start + i);
    CHECK_EQ(wrong, 0);
    free(all);
    free(mine);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 10, 11, 700, 2049, 20000};
    for (int i = 0; i < 7; i++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            block(sizes[i], in_place);
            // MPICH 5.0.2 copies overlapping memory here and aborts.
            if (is_starling() || !in_place || sizes[i] < 1000)
                varying(sizes[i], in_place);
        }
    }
    return check_done();
}
