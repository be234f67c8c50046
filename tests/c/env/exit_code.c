// A rank's exit code after MPI_Finalize is the job's.
// ranks: 1 3
// expect-exit: 7
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int code = check_done();
    return code ? 1 : rank == size - 1 ? 7 : 0;
}
