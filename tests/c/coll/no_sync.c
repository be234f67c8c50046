// Collectives one after another without a barrier between, roots and sizes changing, ranks of
// different speed: what a fast rank does next must not disturb a slow one.
// ranks: 2 3 4 8
#include "check.h"

enum { TURNS = 400, ROOM = 20000 };
static char buf[ROOM], all[8 * ROOM];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {1, 8, 40, 41, 500, 5000, 8193, 20000};
    for (int turn = 0; turn < TURNS; turn++) {
        int root = turn * 5 % size, n = sizes[turn * 3 % 8], kind = turn % 6;
        if (turn % 97 == rank)
            usleep(500);
        if (kind == 0) {
            if (rank == root)
                pattern_fill(buf, n, turn);
            OK(MPI_Bcast(buf, n, MPI_BYTE, root, MPI_COMM_WORLD));
            CHECK_PATTERN(buf, n, turn);
        } else if (kind == 1) {
            long mine = rank + turn, sum = -1;
            OK(MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
            if (rank == root)
                CHECK_EQ(sum, size * (size - 1) / 2 + size * turn);
        } else if (kind == 2) {
            pattern_fill(buf, n, rank + turn);
            OK(MPI_Gather(buf, n, MPI_BYTE, all, n, MPI_BYTE, root, MPI_COMM_WORLD));
            for (int r = 0; rank == root && r < size; r++)
                CHECK_PATTERN(all + r * n, n, r + turn);
        } else if (kind == 3) {
            for (int r = 0; r < size; r++)
                pattern_fill(all + r * n, n, r + turn);
            OK(MPI_Scatter(all, n, MPI_BYTE, buf, n, MPI_BYTE, root, MPI_COMM_WORLD));
            CHECK_PATTERN(buf, n, rank + turn);
        } else if (kind == 4) {
            int mine = rank, scan = -1;
            OK(MPI_Scan(&mine, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
            CHECK_EQ(scan, rank * (rank + 1) / 2);
        } else {
            pattern_fill(buf, n, rank + turn);
            OK(MPI_Allgather(buf, n, MPI_BYTE, all, n, MPI_BYTE, MPI_COMM_WORLD));
            for (int r = 0; r < size; r++)
                CHECK_PATTERN(all + r * n, n, r + turn);
        }
    }
    return check_done();
}
