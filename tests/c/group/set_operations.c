// Groups: union, intersection, difference, incl, excl, compare, order of the results.
// ranks: 1 4 8
#include "check.h"

// The group holds these world ranks in this order.
static void holds(MPI_Group group, const int *ranks, int n, int line)
{
    MPI_Group world;
    int got = -1, at[16], numbers[16];
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_size(group, &got));
    if (got != n) {
        check_failed(__FILE__, line, "the group has another size");
    } else {
        for (int i = 0; i < n; i++)
            numbers[i] = i;
        OK(MPI_Group_translate_ranks(group, n, numbers, world, at));
        if (n && memcmp(at, ranks, n * sizeof(int)) != 0)
            check_failed(__FILE__, line, "the group has other members");
    }
    OK(MPI_Group_free(&world));
}

#define HOLDS(group, n, ...) holds(group, (const int[]){__VA_ARGS__}, n, __LINE__)

static void compare(MPI_Group a, MPI_Group b, int want, int line)
{
    int result = -1;
    OK(MPI_Group_compare(a, b, &result));
    if (result != want)
        check_failed(__FILE__, line, "the groups compare otherwise");
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Group world, a, b, c, d;
    int me = -1;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_rank(world, &me));
    CHECK_EQ(me, rank);
    OK(MPI_Group_size(MPI_GROUP_EMPTY, &me));
    CHECK_EQ(me, 0);
    OK(MPI_Group_rank(MPI_GROUP_EMPTY, &me));
    CHECK_EQ(me, MPI_UNDEFINED);
    OK(MPI_Group_incl(world, 0, NULL, &a));
    compare(a, MPI_GROUP_EMPTY, MPI_IDENT, __LINE__);
    CHECK_SAME(a, MPI_GROUP_EMPTY);
    if (size >= 4) {
        OK(MPI_Group_incl(world, 3, (int[]){3, 0, 2}, &a));
        HOLDS(a, 3, 3, 0, 2);
        OK(MPI_Group_rank(a, &me));
        CHECK_EQ(me, rank == 3 ? 0 : rank == 0 ? 1 : rank == 2 ? 2 : MPI_UNDEFINED);
        OK(MPI_Group_incl(world, 2, (int[]){1, 2}, &b));
        OK(MPI_Group_union(a, b, &c));
        HOLDS(c, 4, 3, 0, 2, 1);
        OK(MPI_Group_union(b, a, &d));
        HOLDS(d, 4, 1, 2, 3, 0);
        compare(c, d, MPI_SIMILAR, __LINE__);
        compare(a, b, MPI_UNEQUAL, __LINE__);
        compare(a, a, MPI_IDENT, __LINE__);
        OK(MPI_Group_free(&c));
        OK(MPI_Group_free(&d));
        OK(MPI_Group_intersection(a, b, &c));
        HOLDS(c, 1, 2);
        OK(MPI_Group_free(&c));
        OK(MPI_Group_difference(a, b, &c));
        HOLDS(c, 2, 3, 0);
        OK(MPI_Group_difference(c, a, &d));
        CHECK_SAME(d, MPI_GROUP_EMPTY);
        OK(MPI_Group_free(&c));
        OK(MPI_Group_excl(a, 1, (int[]){1}, &c));
        HOLDS(c, 2, 3, 2);
        OK(MPI_Group_free(&c));
        OK(MPI_Group_excl(a, 0, NULL, &c));
        compare(a, c, MPI_IDENT, __LINE__);
        OK(MPI_Group_free(&c));
        OK(MPI_Group_free(&a));
        OK(MPI_Group_free(&b));
    }
    OK(MPI_Group_free(&world));
    CHECK_SAME(world, MPI_GROUP_NULL);
    return check_done();
}
