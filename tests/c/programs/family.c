// Starts two more of itself; all say "ready" and then wait for a message that never comes. Started
// by job.rs, with and without the launcher, which kills one of them.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int got, everybody = 0, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        MPI_Allreduce(&one, &everybody, 1, MPI_INT, MPI_SUM, children);
    } else {
        MPI_Allreduce(&one, &everybody, 1, MPI_INT, MPI_SUM, parent);
    }
    printf("ready\n");
    fflush(stdout);
    MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return 0;
}
