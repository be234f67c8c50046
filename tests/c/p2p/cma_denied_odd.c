// Large messages arrive when direct copies between processes are denied (to odd ranks): contiguous
// and strided, synchronous, truncated, many at once; and collectives of large data.
// ranks: 2 4
// wrapper: programs/deny_cma.c odd
// mpich: it cannot do without
#include "check.h"

enum { BYTES = 3 << 20, MANY = 6 };
static unsigned char out[MANY][BYTES], in[MANY][BYTES];

static void contiguous(void)
{
    MPI_Request requests[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        pattern_fill(out[i], BYTES - i, rank + i);
        OK(MPI_Irecv(in[i], BYTES, MPI_BYTE, previous_rank(), i, MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 0; i < MANY; i++) {
        if (i % 2)
            OK(MPI_Isend(out[i], BYTES - i, MPI_BYTE, next_rank(), i, MPI_COMM_WORLD,
                         &requests[MANY + i]));
        else
            OK(MPI_Issend(out[i], BYTES - i, MPI_BYTE, next_rank(), i, MPI_COMM_WORLD,
                          &requests[MANY + i]));
    }
    OK(MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MANY; i++)
        CHECK_PATTERN(in[i], BYTES - i, previous_rank() + i);
}

static void strided(void)
{
    MPI_Datatype type;
    int wrong = 0;
    OK(MPI_Type_vector(BYTES / 16, 8, 16, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    memset(in[0], 0, BYTES);
    OK(MPI_Sendrecv(out[0], 1, type, next_rank(), 9, in[0], 1, type, previous_rank(), 9,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < BYTES; i++)
        wrong += in[0][i] != (i % 16 < 8 ? pattern_at(i, previous_rank()) : 0);
    CHECK_EQ(wrong, 0);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    contiguous();
    strided();
    for (int root = 0; root < size; root++) {
        if (rank == root)
            pattern_fill(out[0], BYTES, root);
        OK(MPI_Bcast(rank == root ? out[0] : in[0], BYTES, MPI_BYTE, root, MPI_COMM_WORLD));
        CHECK_PATTERN(rank == root ? out[0] : in[0], BYTES, root);
    }
    OK(MPI_Alltoall(out[1], BYTES / 4, MPI_BYTE, in[1], BYTES / 4, MPI_BYTE, MPI_COMM_WORLD));
    CHECK(memcmp(in[1] + rank * (BYTES / 4), out[1] + rank * (BYTES / 4), BYTES / 4) == 0);
    return check_done();
}
