// Collective reading and writing of random pieces, through aggregators and without, blocking,
// non-blocking and split, against an image of the file in memory.
// ranks: 1 2 4
// timeout: 60
#include "temporary.h"

enum { UNITS = 4096, UNIT = 5, FILE_BYTES = UNITS * UNIT };

static unsigned state;

static unsigned number(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
}

static unsigned char owner[UNITS], image[FILE_BYTES];

static void access_all(MPI_File file, int writes, int how, void *buf, int count,
                       MPI_Datatype type, MPI_Status *status)
{
    MPI_Request request;
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    switch (how) {
    case 0:
        OK(writes ? MPI_File_write_all(file, buf, count, type, status)
                  : MPI_File_read_all(file, buf, count, type, status));
        break;
    case 1:
        OK(writes ? MPI_File_write_at_all(file, 0, buf, count, type, status)
                  : MPI_File_read_at_all(file, 0, buf, count, type, status));
        break;
    case 2:
        OK(writes ? MPI_File_iwrite_all(file, buf, count, type, &request)
                  : MPI_File_iread_all(file, buf, count, type, &request));
        OK(MPI_Wait(&request, status));
        break;
    case 3:
        OK(writes ? MPI_File_iwrite_at_all(file, 0, buf, count, type, &request)
                  : MPI_File_iread_at_all(file, 0, buf, count, type, &request));
        for (int flag = 0; !flag;)
            OK(MPI_Test(&request, &flag, status));
        break;
    case 4:
        if (writes) {
            OK(MPI_File_write_all_begin(file, buf, count, type));
            OK(MPI_File_write_all_end(file, buf, status));
        } else {
            OK(MPI_File_read_all_begin(file, buf, count, type));
            OK(MPI_File_read_all_end(file, buf, status));
        }
        break;
    default:
        if (writes) {
            OK(MPI_File_write_at_all_begin(file, 0, buf, count, type));
            OK(MPI_File_write_at_all_end(file, buf, status));
        } else {
            OK(MPI_File_read_at_all_begin(file, 0, buf, count, type));
            OK(MPI_File_read_at_all_end(file, buf, status));
        }
    }
}

// Each unit of the file belongs to a rank or to nobody; a rank may have none.
static MPI_Datatype my_units(int round, int *count)
{
    static int displs[UNITS];
    MPI_Datatype unit, type, tile;
    state = 77 * round;
    int alone = number(4) == 0 ? (int)number(size) : -1, run = 1 + number(20);
    unsigned char now = 0;
    *count = 0;
    for (int i = 0; i < UNITS; i++) {
        if (number(run) == 0)
            now = number(size + 1);
        owner[i] = alone >= 0 && now < size ? alone : now;
        if (owner[i] == rank)
            displs[(*count)++] = i;
    }
    OK(MPI_Type_contiguous(UNIT, MPI_BYTE, &unit));
    OK(MPI_Type_create_indexed_block(*count, 1, displs, unit, &type));
    OK(MPI_Type_create_resized(type, 0, FILE_BYTES, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&unit));
    return tile;
}

static void one_round(MPI_File file, int round)
{
    int count, how = round % 6;
    int has_count = is_starling() || count > 0; // MPICH 5.0.2 leaves those of nothing alone
    MPI_Status status;
    MPI_Datatype tile = my_units(round, &count), spread;
    unsigned char *out = calloc(count + 1, 2 * UNIT), *in = calloc(count + 1, 2 * UNIT);
    OK(MPI_Type_vector(count, UNIT, 2 * UNIT, MPI_BYTE, &spread)); // with holes in memory
    OK(MPI_Type_commit(&spread));
    int is_spread = round % 2;
    for (int i = 0, mine = 0; i < UNITS; i++) {
        for (int b = 0; owner[i] < size && b < UNIT; b++) {
            image[i * UNIT + b] = (unsigned char)(i * 7 + b + round * 13);
            if (owner[i] == rank)
                out[mine * UNIT * (1 + is_spread) + b] = image[i * UNIT + b];
        }
        mine += owner[i] == rank;
    }
    OK(MPI_File_set_view(file, 0, MPI_BYTE, count ? tile : MPI_BYTE, "native", MPI_INFO_NULL));
    access_all(file, 1, how, out, is_spread ? 1 : count * UNIT, is_spread ? spread : MPI_BYTE,
               &status);
    if (has_count)
        CHECK_BYTES(status, count * UNIT);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    access_all(file, 0, how, in, is_spread ? 1 : count * UNIT, is_spread ? spread : MPI_BYTE,
               &status);
    if (has_count)
        CHECK_BYTES(status, count * UNIT);
    CHECK(memcmp(in, out, 2 * UNIT * count) == 0);
    static unsigned char now[FILE_BYTES];
    read_directly(now, 0, FILE_BYTES);
    for (int i = 0; i < FILE_BYTES; i++) {
        if (now[i] != image[i]) {
            char text[100];
            snprintf(text, sizeof text, "round %d: byte %d is %d, not %d", round, i, now[i],
                     image[i]);
            check_failed(__FILE__, __LINE__, text);
            break;
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Type_free(&tile));
    OK(MPI_Type_free(&spread));
    free(in);
    free(out);
}

// Reading over the end, where some ranks have nothing any more.
static void over_the_end(MPI_File file)
{
    MPI_Datatype one, tile;
    MPI_Status status;
    char in[100];
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_set_size(file, 10 * size + 1));
    OK(MPI_Type_contiguous(1, MPI_BYTE, &one));
    OK(MPI_Type_create_resized(one, 0, size, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_read_all(file, in, 100, MPI_BYTE, &status));
    CHECK_BYTES(status, rank == 0 ? 11 : 10);
    OK(MPI_File_read_all(file, in, 100, MPI_BYTE, &status));
    CHECK_BYTES(status, 0);
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&tile));
}

int main(int argc, char **argv)
{
    static const char *const sets[][3] = {
        // nodes, buffer, buffering
        {"1", "16777216", "automatic"}, {"4", "16777216", "enable"}, {"3", "4096", "enable"},
        {"2", "5000", "enable"},        {"4", "4096", "automatic"},  {"4", "4096", "disable"},
    };
    check_init(&argc, &argv);
    temporary_name();
    for (int set = 0; set < 6; set++) {
        MPI_Info info;
        MPI_File file;
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "cb_nodes", sets[set][0]));
        OK(MPI_Info_set(info, "cb_buffer_size", sets[set][1]));
        OK(MPI_Info_set(info, "romio_cb_write", sets[set][2]));
        OK(MPI_Info_set(info, "romio_cb_read", sets[set][2]));
        OK(MPI_File_open(MPI_COMM_WORLD, temporary, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
        OK(MPI_Info_free(&info));
        memset(image, 0, sizeof image);
        OK(MPI_File_set_size(file, FILE_BYTES));
        for (int round = 0; round < 12; round++)
            one_round(file, 100 * set + round);
        if (is_starling()) // MPICH 5.0.2 counts what is asked for
            over_the_end(file);
        OK(MPI_File_close(&file));
        remove_file();
    }
    return check_done();
}
