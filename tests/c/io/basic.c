// Opening, writing and reading with explicit offsets and individual pointers, seeking, sizes, the
// end of the file, appending, deleting on close.
// ranks: 1 2 4
#include "temporary.h"

enum { PART = 1000 };

static void explicit_offsets(void)
{
    unsigned char out[PART], in[PART];
    MPI_Status status;
    MPI_Offset size_now = -1;
    MPI_Group group;
    int amode = -1, ranks = -1, same = -1;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL);
    pattern_fill(out, PART, rank);
    OK(MPI_File_write_at(file, rank * PART, out, PART, MPI_BYTE, &status));
    CHECK_BYTES(status, PART);
    OK(MPI_File_sync(file));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_get_size(file, &size_now));
    CHECK_EQ(size_now, size * PART);
    OK(MPI_File_read_at(file, next_rank() * PART, in, PART, MPI_BYTE, &status));
    CHECK_PATTERN(in, PART, next_rank());
    OK(MPI_File_get_amode(file, &amode));
    CHECK_EQ(amode, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL);
    OK(MPI_File_get_group(file, &group));
    OK(MPI_Group_size(group, &ranks));
    CHECK_EQ(ranks, size);
    MPI_Group world;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_compare(world, group, &same));
    CHECK_EQ(same, MPI_IDENT);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    OK(MPI_File_write_at(file, 0, NULL, 0, MPI_BYTE, &status));
    CHECK_BYTES(status, 0);
    OK(MPI_File_close(&file));
    CHECK_SAME(file, MPI_FILE_NULL);
}

static void pointers(void)
{
    int in[8], out[4];
    MPI_Status status;
    MPI_Offset at = -1;
    MPI_File file = open_file(MPI_COMM_SELF, MPI_MODE_RDWR);
    OK(MPI_File_seek(file, rank * PART, MPI_SEEK_SET));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, rank * PART);
    for (int i = 0; i < 4; i++)
        out[i] = 100 * rank + i;
    OK(MPI_File_write(file, out, 4, MPI_INT, &status));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, rank * PART + 16);
    OK(MPI_File_seek(file, -8, MPI_SEEK_CUR));
    OK(MPI_File_read(file, in, 2, MPI_INT, &status));
    CHECK_EQ(in[0], out[2]);
    CHECK_EQ(in[1], out[3]);
    // The end of the file cuts the read, and the pointer stays there.
    OK(MPI_File_seek(file, -6, MPI_SEEK_END));
    memset(in, 7, sizeof in);
    OK(MPI_File_read(file, in, 8, MPI_BYTE, &status));
    CHECK_BYTES(status, 6);
    CHECK_EQ(((char *)in)[6], 7);
    OK(MPI_File_read(file, in, 8, MPI_BYTE, &status));
    CHECK_BYTES(status, 0);
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, size * PART);
    OK(MPI_File_read_at(file, 10 * size * PART, in, 8, MPI_BYTE, &status));
    CHECK_BYTES(status, 0);
    CHECK_CLASS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, size * PART);
    // Each handle has its own pointer.
    MPI_File other = open_file(MPI_COMM_SELF, MPI_MODE_RDONLY);
    OK(MPI_File_get_position(other, &at));
    CHECK_EQ(at, 0);
    OK(MPI_File_close(&other));
    OK(MPI_File_close(&file));
}

static void whole_file(void)
{
    MPI_Offset bytes = -1, at = -1;
    char word[4] = "abc";
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_RDWR);
    OK(MPI_File_set_size(file, 10));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 10);
    OK(MPI_File_preallocate(file, 5));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 10); // it never shrinks
    OK(MPI_File_preallocate(file, 5000));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 5000);
    OK(MPI_File_set_size(file, 20));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 20);
    OK(MPI_File_close(&file));
    file = open_file(MPI_COMM_WORLD, MPI_MODE_WRONLY | MPI_MODE_APPEND);
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 20);
    OK(MPI_File_get_position_shared(file, &at));
    CHECK_EQ(at, 20);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        OK(MPI_File_write(file, word, 3, MPI_CHAR, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    file = open_file(MPI_COMM_WORLD, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 23);
    OK(MPI_File_close(&file));
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, temporary, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_NO_SUCH_FILE);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    explicit_offsets();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    pointers();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    whole_file();
    return check_done();
}
