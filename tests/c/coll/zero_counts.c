// Collectives without data: nothing is touched, null buffers are fine, ranks may be late.
// ranks: 1 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm c = MPI_COMM_WORLD;
    int zeros[8] = {0}, guard[2] = {77, 78};
    MPI_Datatype types[8], empty;
    OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    OK(MPI_Type_commit(&empty));
    for (int r = 0; r < 8; r++)
        types[r] = MPI_INT;
    if (rank == size - 1)
        usleep(2000);
    OK(MPI_Bcast(NULL, 0, MPI_INT, 0, c));
    OK(MPI_Bcast(guard, 5, empty, 0, c));
    OK(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, c));
    OK(MPI_Gatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, 0, c));
    OK(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, c));
    OK(MPI_Scatterv(NULL, zeros, zeros, MPI_INT, NULL, 0, MPI_INT, 0, c));
    OK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, c));
    OK(MPI_Allgatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, c));
    OK(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, c));
    OK(MPI_Alltoallv(guard, zeros, zeros, MPI_INT, guard + 1, zeros, zeros, MPI_INT, c));
    OK(MPI_Alltoallw(guard, zeros, zeros, types, guard + 1, zeros, zeros, types, c));
    if (is_starling()) { // MPICH 5.0.2 takes two null buffers for aliases
        OK(MPI_Alltoallv(NULL, zeros, zeros, MPI_INT, NULL, zeros, zeros, MPI_INT, c));
        OK(MPI_Alltoallw(NULL, zeros, zeros, types, NULL, zeros, zeros, types, c));
    }
    OK(MPI_Reduce(guard, guard + 1, 0, MPI_INT, MPI_SUM, 0, c));
    OK(MPI_Allreduce(guard, guard + 1, 0, MPI_INT, MPI_SUM, c));
    OK(MPI_Scan(guard, guard + 1, 0, MPI_INT, MPI_SUM, c));
    OK(MPI_Exscan(guard, guard + 1, 0, MPI_INT, MPI_SUM, c));
    OK(MPI_Reduce_scatter(guard, guard + 1, zeros, MPI_INT, MPI_SUM, c));
    OK(MPI_Reduce_scatter_block(guard, guard + 1, 0, MPI_INT, MPI_SUM, c));
    CHECK(guard[0] == 77 && guard[1] == 78);
    OK(MPI_Type_free(&empty));
    return check_done();
}
