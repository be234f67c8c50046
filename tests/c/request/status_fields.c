// Reading and writing a status: elements, cancelled, and the calls for source, tag and error.
// ranks: 1
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Status status;
    memset(&status, 0, sizeof status);
    int value = -1, flag = -1;
    MPI_Count count = -1;
    OK(MPI_Status_set_source(&status, 3));
    OK(MPI_Status_set_tag(&status, 44));
    OK(MPI_Status_set_error(&status, MPI_ERR_TAG));
    CHECK_EQ(status.MPI_SOURCE, 3);
    CHECK_EQ(status.MPI_TAG, 44);
    CHECK_EQ(status.MPI_ERROR, MPI_ERR_TAG);
    OK(MPI_Status_get_source(&status, &value));
    CHECK_EQ(value, 3);
    OK(MPI_Status_get_tag(&status, &value));
    CHECK_EQ(value, 44);
    OK(MPI_Status_get_error(&status, &value));
    CHECK_EQ(value, MPI_ERR_TAG);
    OK(MPI_Status_set_elements(&status, MPI_DOUBLE, 12));
    OK(MPI_Get_count(&status, MPI_DOUBLE, &value));
    CHECK_EQ(value, 12);
    OK(MPI_Get_count(&status, MPI_CHAR, &value));
    CHECK_EQ(value, 96);
    OK(MPI_Status_set_elements_c(&status, MPI_INT, (MPI_Count)1 << 33));
    OK(MPI_Get_elements_c(&status, MPI_INT, &count));
    CHECK_EQ(count, (MPI_Count)1 << 33);
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK_EQ(count, (MPI_Count)1 << 33);
    // A count that does not fit in an int is undefined.
    OK(MPI_Get_count(&status, MPI_INT, &value));
    CHECK_EQ(value, MPI_UNDEFINED);
    OK(MPI_Status_set_cancelled(&status, 1));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Status_set_cancelled(&status, 0));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 0);
    return check_done();
}
