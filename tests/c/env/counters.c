// Counters of the job at MPI_Finalize, when asked for.
// ranks: 2
// env: STARLING_REPORT_COUNTERS=1
// expect-stderr: messages_inline +10[0-9] +
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int rank, number = 7;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    for (int i = 0; i < 100; i++) {
        if (rank == 0)
            OK(MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        else
            OK(MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return check_done();
}
