// Non-blocking access: many requests at once, of all kinds, among messages; waited for and tested
// in every way; the pointers move when the call is made.
// ranks: 1 2 4
#include "temporary.h"

enum { PARTS = 24, BYTES = 70000 };

static unsigned char *out[PARTS], *in[PARTS];

static MPI_Offset place(int part)
{
    return ((MPI_Offset)part * size + rank) * BYTES;
}

static void many(MPI_File file)
{
    MPI_Request requests[PARTS];
    MPI_Status statuses[PARTS];
    for (int i = 0; i < PARTS; i++) {
        pattern_fill(out[i], BYTES, 10 * rank + i);
        OK(MPI_File_iwrite_at(file, place(i), out[i], BYTES, MPI_BYTE, &requests[i]));
    }
    OK(MPI_Waitall(PARTS, requests, statuses));
    for (int i = 0; i < PARTS; i++) {
        CHECK_BYTES(statuses[i], BYTES);
        CHECK_SAME(requests[i], MPI_REQUEST_NULL);
        OK(MPI_File_iread_at(file, place(i), in[i], BYTES, MPI_BYTE, &requests[i]));
    }
    for (int left = PARTS; left > 0;) {
        int index = -1, flag = 0;
        if (left % 2)
            OK(MPI_Waitany(PARTS, requests, &index, &statuses[0]));
        else
            OK(MPI_Testany(PARTS, requests, &index, &flag, &statuses[0]));
        if (index == MPI_UNDEFINED)
            continue;
        CHECK_BYTES(statuses[0], BYTES);
        CHECK_PATTERN(in[index], BYTES, 10 * rank + index);
        left--;
    }
}

static void with_messages(MPI_File file)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int token = rank, got = -1;
    for (int round = 0; round < 30; round++) {
        memset(in[0], 0, BYTES);
        OK(MPI_Irecv(&got, 1, MPI_INT, previous_rank(), round, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_File_iread_at(file, place(round % PARTS), in[0], BYTES, MPI_BYTE, &requests[1]));
        OK(MPI_Isend(&token, 1, MPI_INT, next_rank(), round, MPI_COMM_WORLD, &requests[2]));
        OK(MPI_Waitall(3, requests, statuses));
        CHECK_EQ(got, previous_rank());
        CHECK_BYTES(statuses[1], BYTES);
        CHECK_PATTERN(in[0], BYTES, 10 * rank + round % PARTS);
    }
}

static void pointers(MPI_File file)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Offset at = -1;
    int flag = 0;
    OK(MPI_File_seek(file, place(1), MPI_SEEK_SET));
    OK(MPI_File_iread(file, in[0], 100, MPI_BYTE, &requests[0]));
    OK(MPI_File_get_position(file, &at));
    CHECK_EQ(at, place(1) + 100);
    OK(MPI_File_iread(file, in[1], 100, MPI_BYTE, &requests[1]));
    OK(MPI_File_iwrite(file, out[1] + 200, 50, MPI_BYTE, &requests[2]));
    OK(MPI_Waitall(3, requests, statuses));
    CHECK(memcmp(in[0], out[1], 100) == 0);
    CHECK(memcmp(in[1], out[1] + 100, 100) == 0);
    CHECK_BYTES(statuses[2], 50);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    // Short at the end of the file.
    OK(MPI_File_iread_at(file, (MPI_Offset)PARTS * size * BYTES - 10, in[0], 100, MPI_BYTE,
                         &requests[0]));
    while (!flag)
        OK(MPI_Request_get_status(requests[0], &flag, &statuses[0]));
    CHECK_BYTES(statuses[0], 10);
    OK(MPI_Wait(&requests[0], &statuses[0]));
    CHECK_BYTES(statuses[0], 10);
    OK(MPI_File_iwrite_at(file, 0, NULL, 0, MPI_BYTE, &requests[0]));
    OK(MPI_Wait(&requests[0], &statuses[0]));
    CHECK_BYTES(statuses[0], 0);
}

// Several collectives at once, and other calls between start and end.
static void collectives(MPI_File file)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int sum = 0;
    for (int i = 0; i < 4; i++)
        OK(MPI_File_iread_at_all(file, place(i + 4), in[i], BYTES, MPI_BYTE, &requests[i]));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size * (size - 1) / 2);
    OK(MPI_Waitall(4, requests, statuses));
    for (int i = 0; i < 4; i++) {
        CHECK_BYTES(statuses[i], BYTES);
        CHECK_PATTERN(in[i], BYTES, 10 * rank + i + 4);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    for (int i = 0; i < PARTS; i++) {
        out[i] = malloc(BYTES);
        in[i] = malloc(BYTES);
    }
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    many(file);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    with_messages(file);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    pointers(file);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    collectives(file);
    OK(MPI_File_close(&file));
    for (int i = 0; i < PARTS; i++) {
        free(out[i]);
        free(in[i]);
    }
    remove_file();
    return check_done();
}
