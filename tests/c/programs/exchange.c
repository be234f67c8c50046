// Exchanges messages of all sizes between neighbours of a ring and checks them. Started by job.rs
// under another MPI's launcher.
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    unsigned char *out = malloc(4 << 20), *in = malloc(4 << 20);
    for (int n = 1; n <= 4 << 20; n *= 4) {
        pattern_fill(out, n, rank);
        OK(MPI_Sendrecv(out, n, MPI_BYTE, next_rank(), 0, in, n, MPI_BYTE, previous_rank(), 0,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_PATTERN(in, n, previous_rank());
    }
    free(out);
    free(in);
    return check_done();
}
