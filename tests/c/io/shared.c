// The shared file pointer: every record is written once and read once, ordered calls keep the
// order of the ranks, sequential files have nothing else.
// ranks: 1 2 4
#include "temporary.h"

enum { RECORDS = 40 };

typedef struct {
    int who, number, check;
} Record;

static void records(void)
{
    Record record;
    MPI_Status status;
    MPI_Datatype type;
    MPI_Offset at = -1;
    MPI_Request request;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 4, type, type, "native", MPI_INFO_NULL));
    for (int i = 0; i < RECORDS; i++) {
        record = (Record){rank, i, rank * 1000 + i};
        if (i % 2) {
            OK(MPI_File_write_shared(file, &record, 1, type, &status));
        } else {
            OK(MPI_File_iwrite_shared(file, &record, 1, type, &request));
            OK(MPI_Wait(&request, &status));
        }
        CHECK_BYTES(status, sizeof record);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_get_position_shared(file, &at));
    CHECK_EQ(at, RECORDS * size);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    int seen = 0, last[64], all = 0;
    memset(last, -1, sizeof last);
    for (;;) {
        if (seen % 2) {
            OK(MPI_File_read_shared(file, &record, 1, type, &status));
        } else {
            OK(MPI_File_iread_shared(file, &record, 1, type, &request));
            OK(MPI_Wait(&request, &status));
        }
        int count = -1;
        OK(MPI_Get_count(&status, type, &count));
        if (count == 0)
            break;
        CHECK_EQ(count, 1);
        CHECK_EQ(record.check, record.who * 1000 + record.number);
        CHECK_LT(last[record.who], record.number); // nobody overtakes itself
        last[record.who] = record.number;
        seen++;
    }
    OK(MPI_Allreduce(&seen, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(all, RECORDS * size);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&type));
}

static void ordered(void)
{
    int out[8], in[8], first = 0, flag = 0;
    MPI_Status status;
    MPI_Offset at = -1;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_seek_shared(file, 2, MPI_SEEK_SET));
    for (int i = 0; i < rank; i++)
        first += i + 1;
    for (int round = 0; round < 2; round++) { // rank r writes r + 1 ints
        for (int i = 0; i <= rank; i++)
            out[i] = 100 * round + first + i;
        if (round == 0) {
            OK(MPI_File_write_ordered(file, out, rank + 1, MPI_INT, &status));
        } else {
            OK(MPI_File_write_ordered_begin(file, out, rank + 1, MPI_INT));
            OK(MPI_File_write_ordered_end(file, out, &status));
        }
        CHECK_BYTES(status, 4 * (rank + 1));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    int total = size * (size + 1) / 2;
    OK(MPI_File_get_position_shared(file, &at));
    CHECK_EQ(at, 2 + 2 * total);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_read_at(file, 2 + first, in, rank + 1, MPI_INT, &status));
    for (int i = 0; i <= rank; i++)
        CHECK_EQ(in[i], first + i);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_seek_shared(file, -total, MPI_SEEK_CUR));
    OK(MPI_File_read_ordered_begin(file, in, rank + 1, MPI_INT));
    OK(MPI_File_read_ordered_end(file, in, &status));
    for (int i = 0; i <= rank; i++)
        CHECK_EQ(in[i], 100 + first + i);
    OK(MPI_File_seek_shared(file, 2, MPI_SEEK_SET));
    OK(MPI_File_read_ordered(file, in, 1, MPI_INT, &status));
    CHECK_EQ(in[0], rank);
    OK(MPI_File_get_atomicity(file, &flag));
    OK(MPI_File_close(&file));
    remove_file();
}

static void sequential(void)
{
    int value = rank, in = -1;
    MPI_Status status;
    MPI_File file = open_file(MPI_COMM_WORLD,
                              MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status));
    OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                         MPI_INFO_NULL));
    value += 100;
    OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, &status));
    CHECK_CLASS(MPI_File_write_at(file, 0, &value, 1, MPI_INT, &status),
                MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_write(file, &value, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
                MPI_ERR_ARG);
    OK(MPI_File_close(&file));
    file = open_file(MPI_COMM_WORLD, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    OK(MPI_File_read_ordered(file, &in, 1, MPI_INT, &status));
    CHECK_EQ(in, rank);
    OK(MPI_File_read_ordered(file, &in, 1, MPI_INT, &status));
    if (is_starling()) // MPICH 5.0.2 sets the view at another place
        CHECK_EQ(in, 100 + rank);
    OK(MPI_File_close(&file));
    remove_file();
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    records();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    ordered();
    sequential();
    return check_done();
}
