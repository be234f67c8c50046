// Types that go backwards, interleave and overlap their neighbours, between different layouts.
// ranks: 1 2
#include "check.h"

// Sends one of `out_type` from out[from], receives one of `in_type` at in[to].
static void pass(const int *out, MPI_Datatype out_type, int *in, MPI_Datatype in_type)
{
    OK(MPI_Type_commit(&out_type));
    OK(MPI_Type_commit(&in_type));
    OK(MPI_Sendrecv(out, 1, out_type, next_rank(), 0, in, 1, in_type, previous_rank(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Type_free(&out_type));
    OK(MPI_Type_free(&in_type));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int out[2000], in[2000], wrong = 0;
    MPI_Datatype backward, forward, row, inner;
    for (int i = 0; i < 2000; i++)
        out[i] = i, in[i] = -1;
    // Backwards from the end: reverses 500 ints.
    OK(MPI_Type_vector(500, 1, -1, MPI_INT, &backward));
    OK(MPI_Type_contiguous(500, MPI_INT, &forward));
    pass(out + 499, backward, in, forward);
    for (int i = 0; i < 500; i++)
        wrong += in[i] != 499 - i;
    CHECK_EQ(wrong, 0);
    // Both sides backwards with different strides.
    OK(MPI_Type_vector(100, 2, -3, MPI_INT, &backward));
    OK(MPI_Type_create_hvector(200, 1, -20, MPI_INT, &forward));
    memset(in, -1, sizeof in);
    pass(out + 600, backward, in + 1000, forward);
    for (int i = 0; i < 200; i++)
        wrong += in[1000 - 5 * i] != 600 - i / 2 * 3 + i % 2;
    CHECK_EQ(wrong, 0);
    // A 20x30 matrix is transposed on the way: columns are sent, rows arrive.
    OK(MPI_Type_vector(20, 1, 30, MPI_INT, &inner));
    OK(MPI_Type_create_hvector(30, 1, sizeof(int), inner, &row));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_contiguous(600, MPI_INT, &forward));
    memset(in, -1, sizeof in);
    pass(out, row, in, forward);
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 20; j++)
            wrong += in[i * 20 + j] != j * 30 + i;
    CHECK_EQ(wrong, 0);
    // The same element several times on the sending side is legal.
    OK(MPI_Type_vector(50, 1, 0, MPI_INT, &backward));
    OK(MPI_Type_contiguous(50, MPI_INT, &forward));
    pass(out + 9, backward, in, forward);
    for (int i = 0; i < 50; i++)
        wrong += in[i] != 9;
    CHECK_EQ(wrong, 0);
    return check_done();
}
