// The predefined attributes of MPI_COMM_WORLD (section 9.1.2).
// ranks: 1 2 4
#include "check.h"

static int *attribute(int key)
{
    int *value = NULL, flag = -1;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
    return flag ? value : NULL;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int *value = attribute(MPI_TAG_UB);
    CHECK(value && *value >= 32767);
    value = attribute(MPI_WTIME_IS_GLOBAL);
    CHECK(value && (*value == 0 || *value == 1));
    value = attribute(MPI_UNIVERSE_SIZE);
    CHECK(!value || *value >= size);
    value = attribute(MPI_APPNUM);
    CHECK(!value || *value == 0);
    value = attribute(MPI_LASTUSEDCODE);
    CHECK(value && *value >= MPI_ERR_LASTCODE);
    value = attribute(MPI_IO);
    CHECK(value != NULL);
    value = attribute(MPI_HOST);
    CHECK(!value || *value == MPI_PROC_NULL || (*value >= 0 && *value < size));
    // They cannot be changed or deleted.
    CHECK_NE(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_SUCCESS);
    CHECK_NE(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &rank), MPI_SUCCESS);
    value = attribute(MPI_TAG_UB);
    CHECK(value && *value >= 32767);
    // The tag limit holds in every communicator.
    MPI_Comm copy;
    int *bound = NULL, flag = -1;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &copy));
    OK(MPI_Comm_get_attr(copy, MPI_TAG_UB, &bound, &flag));
    CHECK_EQ(flag, 1);
    CHECK(bound && value && *bound == *value);
    OK(MPI_Comm_free(&copy));
    return check_done();
}
