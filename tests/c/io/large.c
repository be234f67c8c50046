// Offsets and sizes above 4 GiB, in a file with holes; many tiny pieces, alone and together.
// ranks: 1 2
// timeout: 60
#include "temporary.h"

static const MPI_Offset FAR = (MPI_Offset)5 << 30;

static void far_away(void)
{
    MPI_Offset bytes = -1, byte = -1, at = -1;
    MPI_Status status;
    MPI_Request request;
    MPI_Datatype one, tile;
    char out[64], in[64];
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    pattern_fill(out, 64, rank);
    OK(MPI_File_write_at(file, FAR + 64 * rank, out, 64, MPI_BYTE, &status));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, FAR + 64 * size);
    OK(MPI_File_iread_at(file, FAR + 64 * next_rank(), in, 64, MPI_BYTE, &request));
    OK(MPI_Wait(&request, &status));
    CHECK_PATTERN(in, 64, next_rank());
    OK(MPI_File_seek(file, -64, MPI_SEEK_END));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, FAR + 64 * size - 64);
    // One byte of each GiB, together.
    OK(MPI_Type_contiguous(1, MPI_BYTE, &one));
    OK(MPI_Type_create_resized(one, 0, (MPI_Aint)1 << 30, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, out, 8, MPI_BYTE, &status));
    CHECK_BYTES(status, 8);
    OK(MPI_File_get_byte_offset(file, 7, &byte));
    CHECK_EQ(byte, ((MPI_Offset)7 << 30) + rank);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    memset(in, 0, sizeof in);
    OK(MPI_File_read_at_all(file, 0, in, 20, MPI_BYTE, &status));
    if (is_starling()) // MPICH 5.0.2 counts what is asked for
        CHECK_BYTES(status, 8);
    CHECK(memcmp(in, out, 8) == 0);
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&tile));
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_set_size(file, FAR * 3));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, FAR * 3);
    OK(MPI_File_close(&file));
    remove_file();
}

enum { COUNT = 1 << 20 };

static void tiny_pieces(void)
{
    MPI_Datatype one, tile;
    MPI_Status status;
    unsigned char *out = malloc(COUNT), *in = calloc(1, COUNT);
    pattern_fill(out, COUNT, rank);
    OK(MPI_Type_contiguous(1, MPI_BYTE, &one));
    OK(MPI_Type_create_resized(one, 0, size + 1, &tile));
    OK(MPI_Type_commit(&tile));
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at_all_c(file, 0, out, COUNT, MPI_BYTE, &status));
    CHECK_BYTES(status, COUNT);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_read_at_c(file, 0, in, COUNT, MPI_BYTE, &status));
    CHECK_BYTES(status, COUNT);
    CHECK_PATTERN(in, COUNT, rank);
    memset(in, 0, COUNT);
    OK(MPI_File_read_at_all_c(file, 0, in, COUNT, MPI_BYTE, &status));
    CHECK_PATTERN(in, COUNT, rank);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    pattern_fill(out, COUNT, rank + 50);
    OK(MPI_File_write_at_c(file, 0, out, COUNT / 16, MPI_BYTE, &status));
    OK(MPI_File_read_at_c(file, 0, in, COUNT, MPI_BYTE, &status));
    CHECK(memcmp(in, out, COUNT / 16) == 0);
    pattern_fill(out, COUNT, rank);
    CHECK(memcmp(in + COUNT / 16, out + COUNT / 16, COUNT - COUNT / 16) == 0);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&tile));
    free(out);
    free(in);
    remove_file();
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    far_away();
    tiny_pieces();
    return check_done();
}
