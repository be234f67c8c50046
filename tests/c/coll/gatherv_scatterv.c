// MPI_Gatherv and MPI_Scatterv: counts that differ (some 0), displacements out of order, holes.
// ranks: 1 2 3 4 8
#include "check.h"

enum { UNIT = 700, ROOM = 8 * UNIT * 8 + 64 };
static int counts[8], displs[8], all[ROOM], mine[ROOM];

// Blocks in reverse order, 3 ints apart; rank 1 has nothing.
static void layout(void)
{
    int at = 0;
    for (int r = size - 1; r >= 0; r--) {
        counts[r] = r == 1 ? 0 : (r + 1) * UNIT;
        displs[r] = at;
        at += counts[r] + 3;
    }
}

static int value(int r, int i)
{
    return r * 100000 + i;
}

static void gatherv(int root)
{
    for (int i = 0; i < counts[rank]; i++)
        mine[i] = value(rank, i);
    memset(all, -1, sizeof all);
    OK(MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, displs, MPI_INT, root,
                   MPI_COMM_WORLD));
    if (rank != root)
        return;
    for (int r = 0; r < size; r++) {
        int wrong = 0;
        for (int i = 0; i < counts[r]; i++)
            wrong += all[displs[r] + i] != value(r, i);
        CHECK_EQ(wrong, 0);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(all[displs[r] + counts[r] + i], -1);
    }
}

static void scatterv(int root)
{
    memset(mine, -1, sizeof mine);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < counts[r]; i++)
            all[displs[r] + i] = value(r, i) + root;
    OK(MPI_Scatterv(all, counts, displs, MPI_INT, mine, counts[rank], MPI_INT, root,
                    MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < counts[rank]; i++)
        wrong += mine[i] != value(rank, i) + root;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(mine[counts[rank]], -1);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    layout();
    for (int root = 0; root < size; root++) {
        gatherv(root);
        scatterv(root);
    }
    // In place at the root.
    if (rank == 0) {
        for (int i = 0; i < counts[0]; i++)
            all[displs[0] + i] = value(0, i);
        OK(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displs, MPI_INT, 0,
                       MPI_COMM_WORLD));
        for (int r = 0; r < size; r++)
            for (int i = 0; i < counts[r]; i += UNIT - 1)
                CHECK_EQ(all[displs[r] + i], value(r, i));
    } else {
        for (int i = 0; i < counts[rank]; i++)
            mine[i] = value(rank, i);
        OK(MPI_Gatherv(mine, counts[rank], MPI_INT, NULL, NULL, NULL, MPI_INT, 0,
                       MPI_COMM_WORLD));
    }
    return check_done();
}
