// Those who start a program that never calls MPI_Init do not wait for ever.
// ranks: 1 2
// expect-exit: nonzero
// expect-stderr: exited with code 0 before MPI_Init
// mpich: it waits for ever
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm children;
    OK(MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                      MPI_ERRCODES_IGNORE));
    return check_done();
}
