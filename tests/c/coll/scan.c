// MPI_Scan and MPI_Exscan, in place too; rank 0's Exscan buffer stays as it was.
// ranks: 1 2 3 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 10, 11, 3000, 30000};
    for (int s = 0; s < 6; s++) {
        int n = sizes[s], wrong = 0;
        int *mine = malloc((n + 1) * sizeof(int)), *got = malloc((n + 1) * sizeof(int));
        for (int i = 0; i < n; i++)
            mine[i] = i + rank, got[i] = -7;
        OK(MPI_Scan(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            wrong += got[i] != (rank + 1) * i + rank * (rank + 1) / 2;
        memcpy(got, mine, n * sizeof(int));
        OK(MPI_Scan(MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            wrong += got[i] != (rank + 1) * i + rank * (rank + 1) / 2;
        CHECK_EQ(wrong, 0);
        for (int i = 0; i < n; i++)
            got[i] = -7;
        OK(MPI_Exscan(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            wrong += got[i] != (rank ? rank * i + rank * (rank - 1) / 2 : -7);
        CHECK_EQ(wrong, 0);
        OK(MPI_Exscan(MPI_IN_PLACE, mine, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            wrong += mine[i] != (rank ? rank * i + rank * (rank - 1) / 2 : i);
        CHECK_EQ(wrong, 0);
        free(mine);
        free(got);
    }
    return check_done();
}
