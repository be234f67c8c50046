// The last rank dies by the signal named by its number in the first argument, while the others
// wait for a message that never comes. Started by job.rs.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, nothing;
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        printf("pid %d\n", (int)getpid());
        fflush(stdout);
        usleep(100000);
        signal(atoi(argv[1]), SIG_DFL);
        kill(getpid(), atoi(argv[1]));
    }
    MPI_Recv(&nothing, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}
