// Parents and the processes that they start: groups, messages of all sizes, collectives, merging,
// and the end of the parent communicator.
// ranks: 1 2 4
#include "check.h"
#include "child.h"

#define CHILDREN 3
#define LONG 700000

static void talk(MPI_Comm inter, int mine, int theirs)
{
    static unsigned char out[LONG], in[LONG];
    int own, others, sum = 0, expected = 0;
    MPI_Comm merged;
    greet(inter, mine, theirs);
    OK(MPI_Comm_rank(inter, &own));
    OK(MPI_Comm_remote_size(inter, &others));
    if (own == 0) {
        pattern_fill(out, LONG, mine);
        MPI_Request requests[2];
        OK(MPI_Irecv(in, LONG, MPI_BYTE, 0, 1, inter, &requests[0]));
        OK(MPI_Issend(out, LONG, MPI_BYTE, 0, 1, inter, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_PATTERN(in, LONG, theirs);
    }
    for (int i = 0; i < others; i++)
        expected += theirs + i;
    int value = mine + own;
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQ(sum, expected);
    OK(MPI_Intercomm_merge(inter, mine > theirs, &merged));
    int position, all, last = -1;
    OK(MPI_Comm_rank(merged, &position));
    OK(MPI_Comm_size(merged, &all));
    CHECK_EQ(all, others + size);
    CHECK_EQ(position, mine > theirs ? others + own : own);
    OK(MPI_Exscan(&position, &last, 1, MPI_INT, MPI_MAX, merged));
    CHECK_EQ(last, position - 1);
    OK(MPI_Comm_free(&merged));
}

static void check_end_of_parent(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm again;
    OK(MPI_Comm_get_name(parent, name, &length));
    CHECK_STR(name, "MPI_COMM_PARENT");
    OK(MPI_Comm_get_parent(&again));
    CHECK_SAME(again, parent);
    OK(MPI_Comm_disconnect(&parent));
    CHECK_SAME(parent, MPI_COMM_NULL);
    OK(MPI_Comm_get_parent(&again));
    CHECK_SAME(again, MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (is_child()) {
        CHECK_EQ(size, CHILDREN);
        talk(parent, 2000, 1000);
        check_end_of_parent();
        return check_done();
    }
    // Only the root's arguments count.
    int root = size - 1, mine = rank == root, codes[CHILDREN] = {-1, -1, -1};
    MPI_Comm children;
    OK(MPI_Comm_spawn(mine ? argv[0] : NULL, MPI_ARGV_NULL, mine ? CHILDREN : -7, MPI_INFO_NULL,
                      root, MPI_COMM_WORLD, &children, codes));
    for (int i = 0; i < CHILDREN; i++)
        CHECK_EQ(codes[i], MPI_SUCCESS);
    int remote, inter;
    OK(MPI_Comm_remote_size(children, &remote));
    OK(MPI_Comm_test_inter(children, &inter));
    CHECK_EQ(remote, CHILDREN);
    CHECK(inter);
    talk(children, 1000, 2000);
    OK(MPI_Comm_disconnect(&children));
    CHECK_SAME(children, MPI_COMM_NULL);
    return check_done();
}
