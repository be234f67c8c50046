// MPI_Comm_create and MPI_Comm_create_group: members get the group's order, others null.
// ranks: 1 2 4 8
#include "check.h"

static void check_part(MPI_Comm comm, MPI_Group group, int is_member)
{
    if (!is_member) {
        CHECK_SAME(comm, MPI_COMM_NULL);
        return;
    }
    int in_comm = -1, in_group = -2, members = 0, one = 1, n = -1;
    OK(MPI_Comm_rank(comm, &in_comm));
    OK(MPI_Group_rank(group, &in_group));
    CHECK_EQ(in_comm, in_group);
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Allreduce(&one, &members, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(members, n);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Group world, even;
    MPI_Comm part;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    // Even ranks, the highest first.
    int top = size - 1 - (size - 1) % 2, range[1][3] = {{top, 0, -2}};
    OK(MPI_Group_range_incl(world, 1, range, &even));
    OK(MPI_Comm_create(MPI_COMM_WORLD, even, &part));
    check_part(part, even, rank % 2 == 0);
    if (rank % 2 == 0)
        OK(MPI_Comm_free(&part));
    // Only members call this one; two such calls with different tags at the same time.
    if (rank % 2 == 0) {
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, even, 5, &part));
        check_part(part, even, 1);
        OK(MPI_Comm_free(&part));
    } else {
        MPI_Group odd;
        int odds[1][3] = {{1, size - 1 - size % 2, 2}};
        OK(MPI_Group_range_incl(world, 1, odds, &odd));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, odd, 6, &part));
        check_part(part, odd, 1);
        OK(MPI_Comm_free(&part));
        OK(MPI_Group_free(&odd));
    }
    // Disjoint groups in one MPI_Comm_create.
    MPI_Group mine;
    OK(MPI_Group_incl(world, 1, &rank, &mine));
    OK(MPI_Comm_create(MPI_COMM_WORLD, mine, &part));
    check_part(part, mine, 1);
    int n = 0;
    OK(MPI_Comm_size(part, &n));
    CHECK_EQ(n, 1);
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &part));
    CHECK_SAME(part, MPI_COMM_NULL);
    OK(MPI_Group_free(&mine));
    OK(MPI_Group_free(&even));
    OK(MPI_Group_free(&world));
    return check_done();
}
