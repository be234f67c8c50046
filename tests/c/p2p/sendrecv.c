// MPI_Sendrecv and MPI_Sendrecv_replace round the ring, in sizes around the limits, with
// different types on the two sides and to the own rank.
// ranks: 1 2 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 10, 11, 2048, 2049, 20000, 100000};
    for (int i = 0; i < 8; i++) {
        int n = sizes[i];
        int *out = malloc((n + 1) * sizeof(int)), *in = malloc((n + 1) * sizeof(int));
        for (int k = 0; k < n; k++)
            out[k] = rank * 1000000 + k;
        MPI_Status status;
        OK(MPI_Sendrecv(out, n, MPI_INT, next_rank(), rank, in, n, MPI_INT, previous_rank(),
                        previous_rank(), MPI_COMM_WORLD, &status));
        CHECK_EQ(status.MPI_SOURCE, previous_rank());
        CHECK_EQ(status.MPI_TAG, previous_rank());
        for (int k = 0; k < n; k++)
            if (in[k] != previous_rank() * 1000000 + k) {
                CHECK_EQ(in[k], previous_rank() * 1000000 + k);
                break;
            }
        // And back again, in place.
        OK(MPI_Sendrecv_replace(in, n, MPI_INT, previous_rank(), 7, next_rank(), 7,
                                MPI_COMM_WORLD, &status));
        CHECK(memcmp(in, out, n * sizeof(int)) == 0);
        int count;
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQ(count, n);
        free(out);
        free(in);
    }
    int mine = rank, got = -1;
    OK(MPI_Sendrecv(&mine, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(got, rank);
    return check_done();
}
