// File views: interleaved vectors, block-distributed arrays, displacements, byte offsets, the end
// of a file in a view; each against what plain reading of the file shows.
// ranks: 1 2 4
#include "temporary.h"

enum { BLOCK = 3, ROUNDS = 50 };

// Rank r has ints r*BLOCK .. of each round.
static void interleaved(void)
{
    MPI_Datatype blocks, tile, etype, filetype;
    MPI_Offset disp = -1, at = -1, byte = -1;
    MPI_Status status;
    MPI_Aint lb, extent;
    char name[MPI_MAX_DATAREP_STRING];
    int out[BLOCK * ROUNDS], in[BLOCK * ROUNDS + 5];
    OK(MPI_Type_contiguous(BLOCK, MPI_INT, &blocks));
    OK(MPI_Type_create_resized(blocks, 0, BLOCK * size * sizeof(int), &tile));
    OK(MPI_Type_commit(&tile));
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 8 + rank * BLOCK * sizeof(int), MPI_INT, tile, "native",
                         MPI_INFO_NULL));
    for (int i = 0; i < BLOCK * ROUNDS; i++)
        out[i] = 1000 * rank + i;
    // In parts that do not fit the blocks.
    for (int done = 0; done < BLOCK * ROUNDS;) {
        int count = done + 7 <= BLOCK * ROUNDS ? 7 : BLOCK * ROUNDS - done;
        OK(MPI_File_write(file, out + done, count, MPI_INT, &status));
        CHECK_BYTES(status, count * 4);
        done += count;
    }
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, BLOCK * ROUNDS);
    OK(MPI_File_get_byte_offset(file, 2 * BLOCK + 1, &byte));
    CHECK_EQ(byte, 8 + 4 * (rank * BLOCK + 2 * BLOCK * size + 1));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        int *all = malloc(4 * BLOCK * ROUNDS * size);
        CHECK_EQ(read_directly(all, 8, 4 * BLOCK * ROUNDS * size), 4 * BLOCK * ROUNDS * size);
        for (int i = 0; i < BLOCK * ROUNDS * size; i++) {
            int round = i / (BLOCK * size), who = i / BLOCK % size;
            CHECK_EQ(all[i], 1000 * who + round * BLOCK + i % BLOCK);
        }
        free(all);
    }
    // Reading over the end: only what this rank has in the file.
    memset(in, 0, sizeof in);
    OK(MPI_File_read_at(file, 0, in, BLOCK * ROUNDS + 5, MPI_INT, &status));
    if (is_starling()) // MPICH 5.0.2 counts what is asked for
        CHECK_BYTES(status, sizeof out);
    CHECK(memcmp(in, out, sizeof out) == 0);
    OK(MPI_File_seek(file, 0, MPI_SEEK_END));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, BLOCK * ROUNDS);
    OK(MPI_File_get_view(file, &disp, &etype, &filetype, name));
    CHECK_EQ(disp, 8 + rank * BLOCK * 4);
    CHECK_SAME(etype, MPI_INT);
    CHECK_STR(name, "native");
    OK(MPI_Type_get_extent(filetype, &lb, &extent));
    CHECK_EQ(extent, BLOCK * size * 4);
    OK(MPI_Type_free(&filetype));
    // The types may go while the view is in use.
    OK(MPI_Type_free(&tile));
    OK(MPI_Type_free(&blocks));
    OK(MPI_File_read_at(file, 3, in, 2, MPI_INT, &status));
    CHECK_EQ(in[0], out[3]);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 0);
    OK(MPI_File_close(&file));
    remove_file();
}

// A matrix in blocks, written by rows and read by columns.
static void matrix(void)
{
    enum { N = 24 };
    MPI_Datatype rows, columns, memory;
    int gsizes[2] = {N, N}, sub[2], start[2] = {0, 0}, *out, *in;
    MPI_Status status;
    sub[0] = N / size;
    sub[1] = N;
    start[0] = rank * sub[0];
    OK(MPI_Type_create_subarray(2, gsizes, sub, start, MPI_ORDER_C, MPI_INT, &rows));
    sub[0] = N;
    sub[1] = N / size;
    start[0] = 0;
    start[1] = rank * sub[1];
    OK(MPI_Type_create_subarray(2, gsizes, sub, start, MPI_ORDER_C, MPI_INT, &columns));
    OK(MPI_Type_vector(N * N / size, 1, 2, MPI_INT, &memory)); // every second int
    OK(MPI_Type_commit(&rows));
    OK(MPI_Type_commit(&columns));
    OK(MPI_Type_commit(&memory));
    int count = N * N / size;
    out = malloc(2 * count * sizeof(int));
    in = malloc(2 * count * sizeof(int));
    for (int i = 0; i < 2 * count; i++) {
        out[i] = i % 2 ? -1 : rank * count + i / 2;
        in[i] = -5;
    }
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 0, MPI_INT, rows, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, out, 1, memory, &status));
    CHECK_BYTES(status, count * 4);
    OK(MPI_File_set_view(file, 0, MPI_INT, columns, "native", MPI_INFO_NULL));
    OK(MPI_File_read_all(file, in, 1, memory, &status));
    CHECK_BYTES(status, count * 4);
    for (int i = 0; i < count; i++) {
        int row = i / (N / size), column = rank * (N / size) + i % (N / size);
        CHECK_EQ(in[2 * i], row * N + column);
        if (2 * i + 1 < 2 * count)
            CHECK_EQ(in[2 * i + 1], -5);
    }
    // The same independently.
    memset(in, 0, 2 * count * sizeof(int));
    OK(MPI_File_read_at(file, 0, in, 1, memory, &status));
    CHECK_EQ(in[2 * (count - 1)], (N - 1) * N + rank * (N / size) + N / size - 1);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&rows));
    OK(MPI_Type_free(&columns));
    OK(MPI_Type_free(&memory));
    free(out);
    free(in);
    remove_file();
}

// A distributed array, cyclic, against the same done by hand.
static void distributed(void)
{
    enum { N = 61 };
    MPI_Datatype mine;
    int gsize = N, distribution = MPI_DISTRIBUTE_CYCLIC, block = 2, bytes;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_Type_create_darray(size, rank, 1, &gsize, &distribution, &block, &size, MPI_ORDER_C,
                              MPI_SHORT, &mine));
    OK(MPI_Type_commit(&mine));
    OK(MPI_Type_size(mine, &bytes));
    short out[N], all[N];
    int count = 0;
    for (int i = 0; i < N; i++)
        if (i / 2 % size == rank)
            out[count++] = 7 * i;
    CHECK_EQ(bytes, 2 * count);
    OK(MPI_File_set_view(file, 6, MPI_SHORT, mine, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(file, 0, out, count, MPI_SHORT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&mine));
    CHECK_EQ(read_directly(all, 6, sizeof all), sizeof all);
    for (int i = 0; i < N; i++)
        CHECK_EQ(all[i], 7 * i);
    remove_file();
}

// Part of an etype at the end counts as there: the end is behind it.
static void end_of_file(void)
{
    MPI_Offset at = -1;
    MPI_Status status;
    MPI_Datatype two, tile;
    char bytes[10] = "abcdefghi", in[10];
    MPI_File file = open_file(MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_write(file, bytes, 10, MPI_BYTE, &status));
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_seek(file, 0, MPI_SEEK_END));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 3);
    OK(MPI_Type_contiguous(2, MPI_BYTE, &two));
    OK(MPI_Type_create_resized(two, 0, 5, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, 1, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_seek(file, 0, MPI_SEEK_END));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 4); // bytes 1 2 6 7
    OK(MPI_File_seek(file, -3, MPI_SEEK_END));
    OK(MPI_File_read(file, in, 10, MPI_BYTE, &status));
    if (is_starling()) // MPICH 5.0.2 counts what is asked for
        CHECK_BYTES(status, 3);
    CHECK(memcmp(in, "cgh", 3) == 0);
    OK(MPI_Type_free(&two));
    OK(MPI_Type_free(&tile));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    interleaved();
    matrix();
    distributed();
    if (rank == 0) {
        end_of_file();
        OK(MPI_File_delete(temporary, MPI_INFO_NULL));
    }
    return check_done();
}
