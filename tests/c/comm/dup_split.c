// MPI_Comm_dup and MPI_Comm_split: contexts are apart, ranks follow the keys.
// ranks: 1 2 3 4 8
#include "check.h"

static void split(int colors)
{
    MPI_Comm part;
    // Keys turn the order round.
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % colors, -rank, &part));
    int part_rank = -1, part_size = -1, members = 0, after = 0;
    for (int r = 0; r < size; r++) {
        members += r % colors == rank % colors;
        after += r % colors == rank % colors && r > rank;
    }
    OK(MPI_Comm_rank(part, &part_rank));
    OK(MPI_Comm_size(part, &part_size));
    CHECK_EQ(part_size, members);
    CHECK_EQ(part_rank, after);
    int sum = 0, wanted = 0;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part));
    for (int r = rank % colors; r < size; r += colors)
        wanted += r;
    CHECK_EQ(sum, wanted);
    OK(MPI_Comm_free(&part));
    CHECK_SAME(part, MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm copy;
    int result = -1;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_compare(MPI_COMM_WORLD, copy, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    // A message of one is not seen in the other.
    int flag = -1, got = -1;
    MPI_Request request;
    OK(MPI_Isend(&rank, 1, MPI_INT, next_rank(), 1, copy, &request));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, copy, MPI_STATUS_IGNORE));
    CHECK_EQ(got, previous_rank());
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&copy));
    for (int colors = 1; colors <= 4; colors++)
        split(colors);
    // MPI_UNDEFINED gives no communicator.
    MPI_Comm some;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &some));
    CHECK_EQ((intptr_t)some == (intptr_t)MPI_COMM_NULL, rank == 0);
    if (rank)
        OK(MPI_Comm_free(&some));
    return check_done();
}
