// Many ranks on few cores: everybody starts, talks to its neighbours and takes part in
// collectives, and ends.
// ranks: 64 128
// timeout: 60
// mpich: too slow with so many ranks
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int got = -1, sum = 0, one = 1, root_says = rank == 0 ? 77 : 0;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, next_rank(), 0, &got, 1, MPI_INT, previous_rank(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(got, previous_rank());
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size);
    OK(MPI_Bcast(&root_says, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_EQ(root_says, 77);
    int *all = malloc(size * sizeof *all), *to = malloc(size * sizeof *to), wrong = 0;
    for (int r = 0; r < size; r++)
        to[r] = rank * 1000 + r;
    OK(MPI_Alltoall(to, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        wrong += all[r] != r * 1000 + rank;
    CHECK_EQ(wrong, 0);
    free(all);
    free(to);
    return check_done();
}
