// Error strings under MPI_ERRORS_RETURN carry the values: rank, size, tag, count.
// ranks: 2
// mpich: it has words of its own
#include "check.h"

static void says(int code, const char *word, int line)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = -1;
    OK(MPI_Error_string(code, text, &length));
    CHECK_EQ(length, strlen(text));
    if (!strstr(text, word)) {
        char why[MPI_MAX_ERROR_STRING + 100];
        snprintf(why, sizeof why, "'%.300s' does not say %s", text, word);
        check_failed(__FILE__, line, why);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int value = 0, code = MPI_Send(&value, 1, MPI_INT, 4711, 3, MPI_COMM_WORLD);
    says(code, "MPI_Send", __LINE__);
    says(code, "4711", __LINE__);
    code = MPI_Send(&value, -33, MPI_INT, 0, 3, MPI_COMM_WORLD);
    says(code, "MPI_Send", __LINE__);
    says(code, "-33", __LINE__);
    code = MPI_Recv(&value, 1, MPI_INT, 0, -812, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    says(code, "MPI_Recv", __LINE__);
    says(code, "-812", __LINE__);
    code = MPI_Bcast(&value, 1, MPI_INT, 97, MPI_COMM_WORLD);
    says(code, "MPI_Bcast", __LINE__);
    says(code, "97", __LINE__);
    // An older code keeps its class however many errors follow.
    int first = MPI_Send(&value, 1, MPI_INT, 4711, 3, MPI_COMM_WORLD);
    for (int i = 0; i < 5000; i++)
        code = MPI_Send(&value, 1, MPI_INT, 0, -100 - i, MPI_COMM_WORLD);
    CHECK_EQ(check_class_of(first), MPI_ERR_RANK);
    CHECK_EQ(check_class_of(code), MPI_ERR_TAG);
    return check_done();
}
