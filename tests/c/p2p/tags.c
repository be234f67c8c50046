// Tags from 0 to MPI_TAG_UB; two communicators keep equal tags apart.
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int *bound = NULL, flag = 0;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag));
    CHECK_EQ(flag, 1);
    CHECK_GE(*bound, 32767);
    int tags[] = {*bound, 0, 1, *bound - 1, 32767, *bound / 2};
    MPI_Comm other;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    for (int i = 0; i < 6; i++) {
        int value = i, twice = 100 + i;
        MPI_Status status;
        if (rank == 0) {
            OK(MPI_Send(&value, 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD));
            OK(MPI_Send(&twice, 1, MPI_INT, 1, tags[i], other));
        } else {
            OK(MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, other, &status));
            CHECK_EQ(value, 100 + i);
            CHECK_EQ(status.MPI_TAG, tags[i]);
            OK(MPI_Recv(&value, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD, &status));
            CHECK_EQ(value, i);
            CHECK_EQ(status.MPI_TAG, tags[i]);
        }
    }
    OK(MPI_Comm_free(&other));
    return check_done();
}
