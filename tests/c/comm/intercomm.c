// Intercommunicators: create, sizes and groups, point-to-point, dup, split, merge, compare.
// ranks: 2 3 4 8
#include "check.h"

static int low, mine, others; // whether I am of the first half; sizes of both sides

static MPI_Comm make(MPI_Comm *half)
{
    MPI_Comm inter;
    int first = (size + 1) / 2;
    low = rank < first;
    mine = low ? first : size - first;
    others = size - mine;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, rank, half));
    OK(MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, low ? first : 0, 12, &inter));
    return inter;
}

static void check_shape(MPI_Comm inter)
{
    int flag = -1, n = -1, r = -1;
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Comm_size(inter, &n));
    CHECK_EQ(n, mine);
    OK(MPI_Comm_remote_size(inter, &n));
    CHECK_EQ(n, others);
    OK(MPI_Comm_rank(inter, &r));
    CHECK_EQ(r, low ? rank : rank - others);
    MPI_Group group;
    OK(MPI_Comm_remote_group(inter, &group));
    OK(MPI_Group_size(group, &n));
    CHECK_EQ(n, others);
    OK(MPI_Group_rank(group, &r));
    CHECK_EQ(r, MPI_UNDEFINED);
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_group(inter, &group));
    OK(MPI_Group_size(group, &n));
    CHECK_EQ(n, mine);
    OK(MPI_Group_free(&group));
}

// Every rank sends to every one of the other side; ranks are those of the remote group.
static void talk(MPI_Comm inter)
{
    MPI_Request requests[8];
    for (int i = 0; i < others; i++)
        OK(MPI_Isend(&rank, 1, MPI_INT, i, 3, inter, &requests[i]));
    for (int i = 0; i < others; i++) {
        int got = -1;
        MPI_Status status;
        OK(MPI_Recv(&got, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : i, 3, inter, &status));
        CHECK_EQ(got, low ? status.MPI_SOURCE + mine : status.MPI_SOURCE);
        if (i % 2)
            break;
    }
    for (int i = 2; i < others; i++) {
        int got = -1;
        OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(got >= (size + 1) / 2, low);
    }
    OK(MPI_Waitall(others, requests, MPI_STATUSES_IGNORE));
}

static void merge(MPI_Comm inter)
{
    for (int high = 0; high < 2; high++) {
        MPI_Comm all;
        int r = -1, n = -1, sum = 0;
        OK(MPI_Intercomm_merge(inter, high ? low : !low, &all));
        OK(MPI_Comm_size(all, &n));
        OK(MPI_Comm_rank(all, &r));
        CHECK_EQ(n, size);
        // The side that says low comes first.
        int expected = high ? (low ? others + rank : rank - others) : rank;
        CHECK_EQ(r, expected);
        OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all));
        CHECK_EQ(sum, size * (size - 1) / 2);
        OK(MPI_Comm_free(&all));
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm half, inter, copy;
    int result = -1;
    inter = make(&half);
    check_shape(inter);
    talk(inter);
    OK(MPI_Comm_dup(inter, &copy));
    OK(MPI_Comm_compare(inter, copy, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_compare(inter, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_UNEQUAL);
    check_shape(copy);
    talk(copy);
    merge(copy);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    return check_done();
}
