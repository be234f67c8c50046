// A rank that waits costs next to nothing: a second in each blocking call takes less than 10 ms
// of CPU time, 1% of a core.
// ranks: 2 4
// mpich: it polls
#include "check.h"
#include <sys/resource.h>

enum { SECONDS = 1 };

static double cpu_ms(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
}

static void wait_in(int call)
{
    int value = -1, index = -1;
    MPI_Request requests[2];
    switch (call) {
    case 0:
        OK(MPI_Recv(&value, 1, MPI_INT, 0, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        break;
    case 1:
        OK(MPI_Probe(MPI_ANY_SOURCE, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Recv(&value, 1, MPI_INT, 0, call, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        break;
    case 2:
        OK(MPI_Irecv(&value, 1, MPI_INT, 0, call, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Irecv(&value, 1, MPI_INT, 0, 999, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
        CHECK_EQ(index, 0);
        OK(MPI_Cancel(&requests[1]));
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        break;
    default:
        OK(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int call = 0; call < 4; call++) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == 0) {
            int value = call;
            sleep(SECONDS);
            for (int to = 1; to < size && call < 3; to++)
                OK(MPI_Send(&value, 1, MPI_INT, to, call, MPI_COMM_WORLD));
            if (call == 3)
                OK(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
        } else {
            double before = cpu_ms();
            wait_in(call);
            double used = cpu_ms() - before;
            if (used > 10.0 * SECONDS) {
                char text[100];
                snprintf(text, sizeof text, "call %d took %.1f ms of CPU time in %d s", call, used,
                         SECONDS);
                check_failed(__FILE__, __LINE__, text);
            }
        }
    }
    return check_done();
}
