// MPI_Pack_external writes "external32": big-endian, fixed sizes (section 14.5.2).
// ranks: 1
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Aint need = -1, position = 0;
    unsigned char out[256];
    int number = 0x01020304, got = 0;
    short small = 0x0506, got_small = 0;
    double real = 1.0, got_real = 0;
    OK(MPI_Pack_external_size("external32", 1, MPI_INT, &need));
    CHECK_EQ(need, 4);
    OK(MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &need));
    CHECK_EQ(need, 24);
    OK(MPI_Pack_external("external32", &number, 1, MPI_INT, out, sizeof out, &position));
    OK(MPI_Pack_external("external32", &small, 1, MPI_SHORT, out, sizeof out, &position));
    OK(MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, out, sizeof out, &position));
    static const unsigned char wanted[14] = {1, 2, 3, 4, 5, 6, 0x3f, 0xf0};
    CHECK_EQ(position, 14);
    CHECK(memcmp(out, wanted, 14) == 0);
    position = 0;
    OK(MPI_Unpack_external("external32", out, 14, &position, &got, 1, MPI_INT));
    OK(MPI_Unpack_external("external32", out, 14, &position, &got_small, 1, MPI_SHORT));
    OK(MPI_Unpack_external("external32", out, 14, &position, &got_real, 1, MPI_DOUBLE));
    CHECK_EQ(position, 14);
    CHECK_EQ(got, number);
    CHECK_EQ(got_small, small);
    CHECK(got_real == 1.0);
    // A derived type with gaps.
    int wide[12], back[12], wrong = 0;
    MPI_Datatype strided;
    OK(MPI_Type_vector(4, 1, 3, MPI_INT, &strided));
    OK(MPI_Type_commit(&strided));
    for (int i = 0; i < 12; i++)
        wide[i] = i + 1, back[i] = -1;
    position = 0;
    OK(MPI_Pack_external("external32", wide, 1, strided, out, sizeof out, &position));
    CHECK_EQ(position, 16);
    CHECK_EQ(out[7], 4);
    position = 0;
    OK(MPI_Unpack_external("external32", out, 16, &position, back, 1, strided));
    for (int i = 0; i < 12; i++)
        wrong += back[i] != (i % 3 == 0 ? i + 1 : -1);
    CHECK_EQ(wrong, 0);
    OK(MPI_Type_free(&strided));
    return check_done();
}
