// MPI_Comm_split and MPI_Comm_create of an intercommunicator.
// ranks: 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int first = size / 2, low = rank < first, local = low ? rank : rank - first;
    MPI_Comm half, inter, part;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? first : 0, 1, &inter));
    // Colour 0 has members on both sides; colour 1 too; keys turn the local order round.
    OK(MPI_Comm_split(inter, local % 2, -local, &part));
    int n = -1, remote = -1, r = -1;
    OK(MPI_Comm_size(part, &n));
    OK(MPI_Comm_remote_size(part, &remote));
    OK(MPI_Comm_rank(part, &r));
    CHECK_EQ(n, first / 2);
    CHECK_EQ(remote, first / 2);
    CHECK_EQ(r, (first - 1 - local) / 2);
    int got = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, r, 0, &got, 1, MPI_INT, r, 0, part, MPI_STATUS_IGNORE));
    CHECK_EQ(got, low ? rank + first : rank - first);
    OK(MPI_Comm_free(&part));
    // A colour that only one side has gives null.
    OK(MPI_Comm_split(inter, low ? 0 : 1, 0, &part));
    CHECK_SAME(part, MPI_COMM_NULL);
    // The first of each side alone.
    MPI_Group group, leader;
    int zero = 0;
    OK(MPI_Comm_group(inter, &group));
    OK(MPI_Group_incl(group, 1, &zero, &leader));
    OK(MPI_Comm_create(inter, leader, &part));
    if (local == 0) {
        OK(MPI_Comm_remote_size(part, &remote));
        CHECK_EQ(remote, 1);
        OK(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, part,
                        MPI_STATUS_IGNORE));
        CHECK_EQ(got, low ? first : 0);
        OK(MPI_Comm_free(&part));
    } else {
        CHECK_SAME(part, MPI_COMM_NULL);
    }
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&leader));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    return check_done();
}
