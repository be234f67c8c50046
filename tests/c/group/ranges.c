// MPI_Group_range_incl and MPI_Group_range_excl with steps up and down; translation of ranks.
// ranks: 4 8
#include "check.h"

static void check_members(MPI_Group group, const int *wanted, int n)
{
    MPI_Group world;
    int got = -1, numbers[16], at[16];
    for (int i = 0; i < 16; i++)
        numbers[i] = i;
    OK(MPI_Group_size(group, &got));
    CHECK_EQ(got, n);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    if (got == n) {
        OK(MPI_Group_translate_ranks(group, n, numbers, world, at));
        for (int i = 0; i < n; i++)
            CHECK_EQ(at[i], wanted[i]);
    }
    OK(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Group world, part, other;
    int last = size - 1, wanted[16], n = 0;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int down[1][3] = {{last, 0, -1}};
    OK(MPI_Group_range_incl(world, 1, down, &part));
    for (n = 0; n < size; n++)
        wanted[n] = last - n;
    check_members(part, wanted, n);
    // Reversed ranks translate into each other.
    int from[3] = {0, last, MPI_PROC_NULL}, to[3];
    OK(MPI_Group_translate_ranks(world, 3, from, part, to));
    CHECK_EQ(to[0], last);
    CHECK_EQ(to[1], 0);
    CHECK_EQ(to[2], MPI_PROC_NULL);
    OK(MPI_Group_free(&part));
    int mixed[2][3] = {{1, last, 2}, {0, 0, 5}};
    OK(MPI_Group_range_incl(world, 2, mixed, &part));
    n = 0;
    for (int r = 1; r <= last; r += 2)
        wanted[n++] = r;
    wanted[n++] = 0;
    check_members(part, wanted, n);
    // Those who are not members have no rank in it.
    int two = 2, at = 0;
    OK(MPI_Group_translate_ranks(world, 1, &two, part, &at));
    CHECK_EQ(at, MPI_UNDEFINED);
    OK(MPI_Group_free(&part));
    int odd[1][3] = {{last - (last + 1) % 2, 1, -2}};
    odd[0][0] = last % 2 ? last : last - 1;
    OK(MPI_Group_range_excl(world, 1, odd, &part));
    n = 0;
    for (int r = 0; r <= last; r += 2)
        wanted[n++] = r;
    check_members(part, wanted, n);
    OK(MPI_Group_range_incl(world, 0, NULL, &other));
    CHECK_SAME(other, MPI_GROUP_EMPTY);
    OK(MPI_Group_free(&part));
    OK(MPI_Group_free(&world));
    return check_done();
}
