// MPI_Comm_create_from_group and MPI_Intercomm_create_from_groups: no parent, told apart by tags.
// ranks: 1 2 4 8
#include "check.h"

static MPI_Group range_of(MPI_Group world, int first, int last)
{
    MPI_Group group;
    int range[1][3] = {{first, last, 1}};
    OK(MPI_Group_range_incl(world, 1, range, &group));
    return group;
}

static void from_one(MPI_Group world)
{
    MPI_Comm all, mine;
    MPI_Errhandler got;
    int n = -1, r = -1, sum = 0;
    OK(MPI_Comm_create_from_group(world, "tests://all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all));
    OK(MPI_Comm_size(all, &n));
    OK(MPI_Comm_rank(all, &r));
    CHECK_EQ(n, size);
    CHECK_EQ(r, rank);
    OK(MPI_Comm_get_errhandler(all, &got));
    CHECK_SAME(got, MPI_ERRORS_RETURN);
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK_EQ(sum, size * (size - 1) / 2);
    OK(MPI_Comm_free(&all));
    // Only the members call.
    int half = size / 2, low = rank < half;
    if (half > 0) {
        MPI_Group part = low ? range_of(world, 0, half - 1) : range_of(world, half, size - 1);
        OK(MPI_Comm_create_from_group(part, "tests://half", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                      &mine));
        OK(MPI_Comm_size(mine, &n));
        OK(MPI_Comm_rank(mine, &r));
        CHECK_EQ(n, low ? half : size - half);
        CHECK_EQ(r, low ? rank : rank - half);
        OK(MPI_Comm_free(&mine));
        OK(MPI_Group_free(&part));
    }
}

static void from_two(MPI_Group world)
{
    int half = size / 2, low = rank < half, n = -1, remote = -1, got = -1;
    MPI_Group mine = low ? range_of(world, 0, half - 1) : range_of(world, half, size - 1);
    MPI_Group other = low ? range_of(world, half, size - 1) : range_of(world, 0, half - 1);
    MPI_Comm inter;
    // The leaders are the last of the lower and the first of the upper half.
    OK(MPI_Intercomm_create_from_groups(mine, low ? half - 1 : 0, other, low ? 0 : half - 1,
                                        "tests://both", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                        &inter));
    OK(MPI_Comm_size(inter, &n));
    OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_EQ(n, half);
    CHECK_EQ(remote, half);
    int partner = low ? rank : rank - half;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, partner, 0, &got, 1, MPI_INT, partner, 0, inter,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(got, low ? rank + half : rank - half);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Group_free(&mine));
    OK(MPI_Group_free(&other));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Group world;
    MPI_Comm none = MPI_COMM_WORLD;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    from_one(world);
    if (size % 2 == 0)
        from_two(world);
    if (is_starling()) {
        OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "tests://none", MPI_INFO_NULL,
                                      MPI_ERRORS_RETURN, &none));
        CHECK_SAME(none, MPI_COMM_NULL);
        CHECK_CLASS(MPI_Comm_create_from_group(world, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                               &none), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Comm_create_from_group(world, "t", MPI_INFO_NULL, MPI_ERRHANDLER_NULL,
                                               &none), MPI_ERR_ERRHANDLER);
    }
    OK(MPI_Group_free(&world));
    return check_done();
}
