// MPI_ANY_SOURCE and MPI_ANY_TAG: everything arrives once, statuses name the real ones.
// ranks: 2 4 8
#include "check.h"

enum { EACH = 50 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (rank == 0) {
        int *seen = calloc(size, sizeof *seen);
        for (int i = 0; i < EACH * (size - 1); i++) {
            int value[2];
            MPI_Status status;
            OK(MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                        &status));
            CHECK_EQ(value[0], status.MPI_SOURCE);
            CHECK_EQ(value[1], status.MPI_TAG);
            CHECK_EQ(seen[value[0]], value[1]);
            seen[value[0]]++;
        }
        for (int i = 1; i < size; i++)
            CHECK_EQ(seen[i], EACH);
        free(seen);
    } else {
        for (int i = 0; i < EACH; i++) {
            int value[2] = {rank, i};
            OK(MPI_Send(value, 2, MPI_INT, 0, i, MPI_COMM_WORLD));
        }
    }
    return check_done();
}
