// Atomic mode: of writes to the same places, in one piece or in many, by all ranks, each wins or
// loses as a whole; a reader sees one writer's bytes only.
// ranks: 1 2 4
// timeout: 60
#include "temporary.h"

enum { BYTES = 30000, ROUNDS = 40 };

static unsigned char out[BYTES], in[BYTES];

static void is_of_one_writer(int line)
{
    for (int i = 1; i < BYTES; i++) {
        if (in[i] != in[0]) {
            char text[100];
            snprintf(text, sizeof text, "byte %d is %d, byte 0 is %d", i, in[i], in[0]);
            check_failed(__FILE__, line, text);
            return;
        }
    }
}

static void race(MPI_File file, int how)
{
    MPI_Status status;
    MPI_Request requests[2];
    for (int round = 0; round < ROUNDS; round++) {
        memset(out, 1 + rank + round % 7 * 20, BYTES);
        switch (how) {
        case 0:
            OK(MPI_File_write_at(file, 0, out, BYTES, MPI_BYTE, &status));
            OK(MPI_File_read_at(file, 0, in, BYTES, MPI_BYTE, &status));
            is_of_one_writer(__LINE__);
            break;
        case 1:
            OK(MPI_File_iwrite_at(file, 0, out, BYTES, MPI_BYTE, &requests[0]));
            OK(MPI_File_iread_at(file, 0, in, BYTES, MPI_BYTE, &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            is_of_one_writer(__LINE__);
            break;
        default:
            OK(MPI_File_write_at_all(file, 0, out, BYTES, MPI_BYTE, &status));
            OK(MPI_File_read_at_all(file, 0, in, BYTES, MPI_BYTE, &status));
            is_of_one_writer(__LINE__);
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

// All places hold one writer's bytes before the race.
static void prepare(MPI_File file)
{
    memset(out, 200, BYTES);
    OK(MPI_File_write_at_all(file, 0, out, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int flag = -1;
    MPI_Datatype part, tile;
    check_init(&argc, &argv);
    temporary_name();
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_File_set_atomicity(file, 1));
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQ(flag, 1);
    prepare(file);
    for (int how = 0; how < 3; how++)
        race(file, how);
    OK(MPI_Type_contiguous(100, MPI_BYTE, &part));
    OK(MPI_Type_create_resized(part, 0, 171, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, 5, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    prepare(file);
    for (int how = 0; how < 3; how++)
        race(file, how);
    OK(MPI_Type_free(&part));
    OK(MPI_Type_free(&tile));
    OK(MPI_File_close(&file));
    remove_file();
    return check_done();
}
