// Collectives on overlapping communicators: rows and columns of a grid, itself alone, all; in
// different orders on different ranks where that is legal.
// ranks: 4 6 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int columns = size / 2, row_number = rank / columns, column_number = rank % columns;
    MPI_Comm row, column;
    OK(MPI_Comm_split(MPI_COMM_WORLD, row_number, rank, &row));
    OK(MPI_Comm_split(MPI_COMM_WORLD, column_number, rank, &column));
    for (int turn = 0; turn < 100; turn++) {
        int row_sum = 0, column_sum = 0, alone = 0, all = 0, mine = rank + turn;
        MPI_Request requests[2];
        OK(MPI_Allreduce(&mine, &alone, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
        if (turn % 2) {
            OK(MPI_Allreduce(&mine, &row_sum, 1, MPI_INT, MPI_SUM, row));
            OK(MPI_Allreduce(&mine, &column_sum, 1, MPI_INT, MPI_SUM, column));
        } else {
            // Non-blocking, so that the order of starting may differ.
            MPI_Comm first = rank % 2 ? row : column, second = rank % 2 ? column : row;
            int *first_sum = rank % 2 ? &row_sum : &column_sum;
            int *second_sum = rank % 2 ? &column_sum : &row_sum;
            OK(MPI_Iallreduce(&mine, first_sum, 1, MPI_INT, MPI_SUM, first, &requests[0]));
            OK(MPI_Iallreduce(&mine, second_sum, 1, MPI_INT, MPI_SUM, second, &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        }
        OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        int want_row = 0, want_column = 0;
        for (int r = 0; r < size; r++) {
            want_row += r / columns == row_number ? r + turn : 0;
            want_column += r % columns == column_number ? r + turn : 0;
        }
        CHECK_EQ(alone, mine);
        CHECK_EQ(row_sum, want_row);
        CHECK_EQ(column_sum, want_column);
        CHECK_EQ(all, size * (size - 1) / 2 + size * turn);
    }
    OK(MPI_Comm_free(&row));
    OK(MPI_Comm_free(&column));
    return check_done();
}
