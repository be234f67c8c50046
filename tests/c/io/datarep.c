// Data representations: the bytes of external32, sizes and extents in the file, and functions of
// the user's own.
// ranks: 1 2 4
// mpich: it has no external32 and no representations of the user's
#include "temporary.h"

static void longs(MPI_File file, long *out)
{
    long in[6];
    unsigned char bytes[24];
    MPI_Aint extent = -1;
    MPI_Offset byte = -1, at = -1;
    MPI_Status status;
    OK(MPI_File_set_view(file, 24 * rank, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    CHECK_EQ(extent, 4);
    OK(MPI_File_write(file, out, 6, MPI_LONG, &status));
    CHECK_BYTES(status, 6 * sizeof(long));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 6);
    OK(MPI_File_get_byte_offset(file, 2, &byte));
    CHECK_EQ(byte, 24 * rank + 8);
    CHECK_EQ(read_directly(bytes, 24 * rank, 24), 24);
    for (int i = 0; i < 6; i++) {
        int value = (int)((unsigned)bytes[4 * i] << 24 | bytes[4 * i + 1] << 16 |
                          bytes[4 * i + 2] << 8 | bytes[4 * i + 3]);
        CHECK_EQ(value, out[i]);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_read_at_all(file, 1, in, 5, MPI_LONG, &status));
    CHECK(memcmp(in, out + 1, 5 * sizeof(long)) == 0);
}

// The end of the file lies within an element of memory's type.
static void cut_off(MPI_File file)
{
    long in[6] = {77, 77, 77, 77, 77, 77};
    int elements = -1, whole = -1;
    MPI_Datatype three;
    MPI_Status status;
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_set_size(file, 24 * size - 8));
    OK(MPI_File_set_view(file, 24 * (size - 1), MPI_LONG, MPI_LONG, "external32",
                         MPI_INFO_NULL));
    OK(MPI_Type_contiguous(3, MPI_LONG, &three));
    OK(MPI_Type_commit(&three));
    OK(MPI_File_read_at(file, 0, in, 2, three, &status));
    CHECK_BYTES(status, 4 * sizeof(long));
    CHECK_EQ(in[3], -(1000L * (size - 1) + 3));
    CHECK_EQ(in[4], 77);
    OK(MPI_Get_elements(&status, three, &elements));
    CHECK_EQ(elements, 4);
    OK(MPI_Get_count(&status, three, &whole));
    CHECK_EQ(whole, MPI_UNDEFINED);
    OK(MPI_Type_free(&three));
}

static void external32(void)
{
    long out[6];
    int ints[5] = {-9, -9, -9, -9, -9};
    unsigned char bytes[8];
    double real = 1.5, back = 0;
    MPI_Aint extent = -1;
    MPI_Status status;
    MPI_Datatype every_second;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int i = 0; i < 6; i++)
        out[i] = (i % 2 ? -1 : 1) * (1000L * rank + i);
    longs(file, out);
    cut_off(file);
    // A filetype's extents are those of the file.
    OK(MPI_Type_vector(3, 1, 2, MPI_LONG, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_File_get_type_extent(file, every_second, &extent));
    CHECK_EQ(extent, 5 * 4);
    OK(MPI_File_set_view(file, 200 + 100 * rank, MPI_LONG, every_second, "external32",
                         MPI_INFO_NULL));
    OK(MPI_File_write_at(file, 0, out, 3, MPI_LONG, &status));
    OK(MPI_File_set_view(file, 200 + 100 * rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    OK(MPI_File_read_at(file, 0, ints, 5, MPI_INT, &status));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(ints[2 * i], out[i]);
    CHECK_EQ(ints[1], 0);
    OK(MPI_Type_free(&every_second));
    OK(MPI_File_set_view(file, 1000 + 8 * rank, MPI_DOUBLE, MPI_DOUBLE, "external32",
                         MPI_INFO_NULL));
    OK(MPI_File_write_at(file, 0, &real, 1, MPI_DOUBLE, &status));
    CHECK_EQ(read_directly(bytes, 1000 + 8 * rank, 8), 8);
    CHECK_EQ(bytes[0], 0x3f);
    CHECK_EQ(bytes[1], 0xf8);
    OK(MPI_File_read_at(file, 0, &back, 1, MPI_DOUBLE, &status));
    CHECK_EQ(back, 1.5);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
    OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    CHECK_EQ(extent, sizeof(long));
    OK(MPI_File_close(&file));
    remove_file();
}

static int states[2], calls_read, calls_write;

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    CHECK_SAME(state, states);
    int bytes;
    OK(MPI_Type_size(type, &bytes));
    *extent = bytes + 1; // a byte in front of each element
    return MPI_SUCCESS;
}

// The types of this test have one short each, at their beginning.
static int writes(void *user, MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position,
                  void *state)
{
    MPI_Aint lb, extent;
    CHECK_SAME(state, states);
    CHECK_EQ(position, 0);
    OK(MPI_Type_get_extent(type, &lb, &extent));
    calls_write++;
    for (MPI_Count i = 0; i < count; i++) {
        ((char *)file)[3 * i] = '#';
        memcpy((char *)file + 3 * i + 1, (char *)user + i * extent, 2);
    }
    return MPI_SUCCESS;
}

static int reads(void *user, MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position,
                 void *state)
{
    MPI_Aint lb, extent;
    CHECK_SAME(state, states);
    CHECK_EQ(position, 0);
    OK(MPI_Type_get_extent(type, &lb, &extent));
    calls_read++;
    for (MPI_Count i = 0; i < count; i++) {
        CHECK_EQ(((char *)file)[3 * i], '#');
        memcpy((char *)user + i * extent, (char *)file + 3 * i + 1, 2);
    }
    return MPI_SUCCESS;
}

static int writes_int(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                      void *state)
{
    return writes(user, type, count, file, position, state);
}

static int fails(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position,
                 void *state)
{
    (void)user, (void)type, (void)count, (void)file, (void)position, (void)state;
    return 17;
}

static void registering(void)
{
    OK(MPI_Register_datarep_c("marked", reads, writes, extent_of, states));
    OK(MPI_Register_datarep("failing", fails, writes_int, extent_of, states));
    CHECK_CLASS(MPI_Register_datarep("marked", fails, fails, extent_of, states),
                MPI_ERR_DUP_DATAREP);
    CHECK_CLASS(MPI_Register_datarep("native", fails, fails, extent_of, states),
                MPI_ERR_DUP_DATAREP);
    CHECK_CLASS(MPI_Register_datarep("without", fails, fails, NULL, states), MPI_ERR_ARG);
}

static void own_functions(void)
{
    short out[8], in[8];
    char bytes[12];
    MPI_Aint extent = -1;
    MPI_Datatype spread;
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < 8; i++) {
        out[i] = 256 * rank + i;
        in[i] = -1;
    }
    OK(MPI_Type_create_resized(MPI_SHORT, 0, 4, &spread));
    OK(MPI_Type_commit(&spread));
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 12 * rank, MPI_SHORT, MPI_SHORT, "marked", MPI_INFO_NULL));
    OK(MPI_File_get_type_extent(file, MPI_SHORT, &extent));
    CHECK_EQ(extent, 3);
    OK(MPI_File_iwrite_at(file, 0, out, 4, spread, &request));
    OK(MPI_Wait(&request, &status));
    CHECK_BYTES(status, 8);
    CHECK_EQ(calls_write, 1);
    CHECK_EQ(read_directly(bytes, 12 * rank, 12), 12);
    CHECK_EQ(bytes[0], '#');
    CHECK(memcmp(bytes + 4, &out[2], 2) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_iread_at_all(file, 0, in, 4, spread, &request));
    OK(MPI_Type_free(&spread)); // the request keeps it
    OK(MPI_Wait(&request, &status));
    CHECK_BYTES(status, 8);
    CHECK_EQ(calls_read, 1);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(in[i], i % 2 ? -1 : out[i]);
    OK(MPI_File_set_view(file, 12 * rank, MPI_SHORT, MPI_SHORT, "failing", MPI_INFO_NULL));
    OK(MPI_File_write_at(file, 0, out, 4, MPI_SHORT, &status));
    CHECK_EQ(calls_write, 2);
    CHECK_CLASS(MPI_File_read_at(file, 0, in, 4, MPI_SHORT, &status), MPI_ERR_CONVERSION);
    OK(MPI_File_close(&file));
    remove_file();
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    external32();
    registering();
    own_functions();
    return check_done();
}
