// A started process that fails ends everything.
// ranks: 1 2
// expect-exit: 5
// expect-stderr: rank 1 of started world 1 .* exited with code 5 without calling MPI_Finalize
// mpich: it words its messages otherwise
#include "check.h"
#include "child.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (is_child()) {
        if (rank == 1)
            _exit(5);
        MPI_Barrier(parent);
        return check_done();
    }
    MPI_Comm children;
    OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                      MPI_ERRCODES_IGNORE));
    MPI_Barrier(children);
    return check_done();
}
