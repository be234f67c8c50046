// A full disk and a limited file size are errors of every kind of writing, with the class and the
// name of the file; nothing that was written before is lost.
// ranks: 1 2 4
// mpich: it says MPI_ERR_IO
#include "temporary.h"
#include <signal.h>
#include <sys/resource.h>

enum { BYTES = 100000 };

static char memory[BYTES];

static void full_device(void)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    int code = MPI_File_write_at(file, 0, memory, 10, MPI_BYTE, &status);
    CHECK_CLASS(code, MPI_ERR_NO_SPACE);
    OK(MPI_Error_string(code, text, &length));
    CHECK(strstr(text, "/dev/full") != NULL);
    CHECK_CLASS(MPI_File_write(file, memory, 10, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write_shared(file, memory, 10, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write_all(file, memory, 10, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write_ordered(file, memory, 10, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    OK(MPI_File_iwrite_at(file, 0, memory, 10, MPI_BYTE, &request));
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE);
    OK(MPI_File_iwrite_all(file, memory, 10, MPI_BYTE, &request));
    CHECK_CLASS(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
    CHECK_CLASS(status.MPI_ERROR, MPI_ERR_NO_SPACE);
    OK(MPI_File_write_all_begin(file, memory, 10, MPI_BYTE));
    CHECK_CLASS(MPI_File_write_all_end(file, memory, &status), MPI_ERR_NO_SPACE);
    OK(MPI_File_read_at(file, 0, memory, 10, MPI_BYTE, &status)); // zeros
    CHECK_BYTES(status, 10);
    OK(MPI_File_close(&file));
}

// The aggregators meet the limit: every rank has an error.
static void limited_size(void)
{
    MPI_Info info;
    MPI_File file;
    MPI_Status status;
    MPI_Datatype one, tile;
    struct rlimit before, limit;
    int part = BYTES / 2 / size / 10 * 10;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = BYTES;
    OK(MPI_Type_contiguous(10, MPI_BYTE, &one));
    OK(MPI_Type_create_resized(one, 0, 10 * size, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "cb_buffer_size", "20000"));
    OK(MPI_File_open(MPI_COMM_WORLD, temporary, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    OK(MPI_Info_free(&info));
    memset(memory, 'x', sizeof memory);
    OK(MPI_File_set_view(file, 10 * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(file, memory, part, MPI_BYTE, &status));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_CLASS(MPI_File_write_all(file, memory, BYTES, MPI_BYTE, &status), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_set_size(file, 2 * BYTES), MPI_ERR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    memset(memory, 0, sizeof memory);
    OK(MPI_File_read_at_all(file, 0, memory, part, MPI_BYTE, &status));
    for (int i = 0; i < part; i++)
        CHECK_EQ(memory[i], 'x');
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&tile));
    remove_file();
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    full_device();
    limited_size();
    return check_done();
}
