// MPI_Init_thread asked for MPI_THREAD_FUNNELED: what is provided, what MPI_Query_thread says.
// ranks: 1 2
#include "check.h"

int main(int argc, char **argv)
{
    int provided = -1, queried = -1, is_main = -1;
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_GE(provided, MPI_THREAD_FUNNELED);
    CHECK_LE(provided, MPI_THREAD_MULTIPLE);
    OK(MPI_Query_thread(&queried));
    CHECK_EQ(queried, provided);
    OK(MPI_Is_thread_main(&is_main));
    CHECK_EQ(is_main, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_done();
}
