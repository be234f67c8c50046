// What is refused, with which class, and who is told; nothing hangs when only one rank is wrong.
// ranks: 1 2 4
#include "temporary.h"

static int calls, code_seen;
static MPI_File file_seen;

static void on_error(MPI_File *file, int *code, ...)
{
    calls++;
    file_seen = *file;
    code_seen = check_class_of(*code);
}

#define OPEN(name, amode) MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file)

static void opening(void)
{
    MPI_File file = MPI_FILE_NULL;
    CHECK_CLASS(OPEN(temporary, MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(OPEN(temporary, 0), MPI_ERR_AMODE);
    CHECK_CLASS(OPEN(temporary, MPI_MODE_RDWR | MPI_MODE_RDONLY), MPI_ERR_AMODE);
    CHECK_CLASS(OPEN(temporary, MPI_MODE_RDONLY | MPI_MODE_CREATE), MPI_ERR_AMODE);
    CHECK_CLASS(OPEN(temporary, MPI_MODE_RDONLY | MPI_MODE_EXCL), MPI_ERR_AMODE);
    CHECK_CLASS(OPEN(temporary, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL), MPI_ERR_AMODE);
    CHECK_CLASS(OPEN("/no/such/folder/file", MPI_MODE_RDWR | MPI_MODE_CREATE),
                MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(MPI_File_open(MPI_COMM_NULL, temporary, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_COMM);
    CHECK_CLASS(MPI_File_delete(temporary, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(OPEN(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL));
    OK(MPI_File_close(&file));
    CHECK_CLASS(OPEN(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL),
                MPI_ERR_FILE_EXISTS);
    if (!is_starling())
        return;
    CHECK_CLASS(OPEN("/", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    CHECK_CLASS(OPEN("", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    CHECK_CLASS(OPEN(NULL, MPI_MODE_RDONLY), MPI_ERR_ARG);
    if (size == 1)
        return;
    // One rank is wrong: all hear of it.
    CHECK_CLASS(OPEN(rank == 1 ? NULL : temporary, MPI_MODE_RDONLY), MPI_ERR_ARG);
    CHECK_CLASS(OPEN(temporary, rank ? MPI_MODE_RDONLY : MPI_MODE_RDWR), MPI_ERR_NOT_SAME);
    CHECK_CLASS(OPEN(rank == 1 ? "/dev/null" : temporary, MPI_MODE_RDONLY), MPI_ERR_NOT_SAME);
    CHECK_CLASS(OPEN(rank == 1 ? "/no/such" : temporary, MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
}

static void access_modes(void)
{
    char byte = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_RDONLY);
    CHECK_CLASS(MPI_File_write(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_iwrite(file, &byte, 1, MPI_BYTE, &request), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_write_all(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_set_size(file, 1), MPI_ERR_READ_ONLY);
    OK(MPI_File_close(&file));
    file = open_file(MPI_COMM_WORLD, MPI_MODE_WRONLY);
    CHECK_CLASS(MPI_File_read(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
    CHECK_CLASS(MPI_File_read_all(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
    OK(MPI_File_close(&file));
}

#define VIEW(disp, etype, filetype, name)                                                      \
    MPI_File_set_view(file, disp, etype, filetype, name, MPI_INFO_NULL)

static void views(MPI_File file)
{
    int lengths[2] = {1, 1}, displs[2] = {2, 0}, numbers[4];
    MPI_Datatype open_type, back;
    MPI_Status status;
    CHECK_CLASS(VIEW(-2, MPI_INT, MPI_INT, "native"), MPI_ERR_ARG);
    CHECK_CLASS(VIEW(MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native"), MPI_ERR_ARG);
    CHECK_CLASS(VIEW(0, MPI_INT, MPI_BYTE, "native"), MPI_ERR_ARG);
    CHECK_CLASS(VIEW(0, MPI_INT, MPI_INT, "no such thing"), MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_CLASS2(VIEW(0, MPI_INT, MPI_DATATYPE_NULL, "native"), MPI_ERR_TYPE, MPI_ERR_ARG);
    OK(MPI_Type_contiguous(2, MPI_INT, &open_type));
    CHECK_CLASS(VIEW(0, MPI_INT, open_type, "native"), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_File_read_at(file, 0, numbers, 1, open_type, &status), MPI_ERR_TYPE);
    OK(MPI_Type_indexed(2, lengths, displs, MPI_INT, &back));
    OK(MPI_Type_commit(&back));
    CHECK_CLASS2(VIEW(0, MPI_INT, back, "native"), MPI_ERR_TYPE, MPI_ERR_IO);
    OK(MPI_Type_free(&open_type));
    OK(MPI_Type_free(&back));
}

static void one_is_wrong(MPI_File file)
{
    int numbers[4] = {0};
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_File_write_at_all(file, rank, &rank, rank == 1 ? -1 : 1, MPI_INT, &status);
    CHECK_EQ(check_class_of(code), rank == 1 ? MPI_ERR_COUNT : MPI_SUCCESS);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    code = MPI_File_iread_at_all(file, rank, numbers, rank == 1 ? -1 : 1, MPI_INT, &request);
    CHECK_EQ(check_class_of(code), rank == 1 ? MPI_ERR_COUNT : MPI_SUCCESS);
    OK(MPI_Wait(&request, &status));
    CHECK_EQ(numbers[0], rank == 1 ? 0 : rank);
    CHECK_CLASS(MPI_File_set_size(file, rank), MPI_ERR_NOT_SAME);
    code = VIEW(0, rank == 1 ? MPI_DATATYPE_NULL : MPI_INT, MPI_INT, "native");
    CHECK_EQ(check_class_of(code), MPI_ERR_TYPE);
}

static void arguments(void)
{
    int numbers[4] = {0};
    MPI_Status status;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_RDWR);
    OK(VIEW(0, MPI_INT, MPI_INT, "native"));
    CHECK_CLASS2(MPI_File_read_at(file, 0, numbers, 3, MPI_BYTE, &status), MPI_ERR_TYPE,
                 MPI_ERR_IO);
    CHECK_CLASS(MPI_File_read_at(file, -1, numbers, 1, MPI_INT, &status), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_read_at(file, 0, numbers, -1, MPI_INT, &status), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_File_read_at(file, 0, numbers, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
    CHECK_CLASS2(MPI_File_read_at(file, INT64_MAX / 2, numbers, 1, MPI_INT, &status),
                 MPI_ERR_ARG, MPI_ERR_IO);
    views(file);
    CHECK_CLASS(MPI_File_seek(file, 0, 12345), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_size(file, -1), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_preallocate(file, -1), MPI_ERR_ARG);
    // Split collectives: one at a time, ended by their own call.
    CHECK_CLASS(MPI_File_read_all_end(file, numbers, &status), MPI_ERR_IO);
    OK(MPI_File_read_all_begin(file, numbers, 0, MPI_INT));
    CHECK_CLASS(MPI_File_write_all_begin(file, numbers, 0, MPI_INT), MPI_ERR_IO);
    if (is_starling()) // MPICH 5.0.2 does not mind
        CHECK_CLASS(MPI_File_write_all_end(file, numbers, &status), MPI_ERR_IO);
    OK(MPI_File_read_all_end(file, numbers, &status));
    if (is_starling() && size > 1) // MPICH 5.0.2 hangs
        one_is_wrong(file);
    OK(MPI_File_close(&file));
}

static void handles(void)
{
    MPI_Offset bytes;
    MPI_File null = MPI_FILE_NULL, file = open_file(MPI_COMM_WORLD, MPI_MODE_RDWR), old = file;
    CHECK_SAME(MPI_File_fromint(MPI_File_toint(file)), file);
    CHECK_SAME(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
    OK(MPI_File_close(&file));
    CHECK_CLASS(MPI_File_get_size(old, &bytes), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_close(&null), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_get_size((MPI_File)MPI_COMM_WORLD, &bytes), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_get_size((MPI_File)(intptr_t)123456789, &bytes), MPI_ERR_FILE);
}

static void handlers(void)
{
    char byte = 0;
    MPI_Errhandler mine, got;
    MPI_Status status;
    MPI_Request request;
    MPI_File file = open_file(MPI_COMM_WORLD, MPI_MODE_WRONLY), other;
    OK(MPI_File_get_errhandler(file, &got));
    CHECK_SAME(got, MPI_ERRORS_RETURN);
    OK(MPI_File_create_errhandler(on_error, &mine));
    OK(MPI_File_set_errhandler(file, mine));
    CHECK_CLASS(MPI_File_read_at(file, 0, &byte, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
    CHECK_EQ(calls, 1);
    CHECK_SAME(file_seen, file);
    CHECK_EQ(code_seen, MPI_ERR_ACCESS);
    OK(MPI_File_call_errhandler(file, MPI_ERR_IO));
    CHECK_EQ(calls, 2);
    CHECK_EQ(code_seen, MPI_ERR_IO);
    // What is set on MPI_FILE_NULL is for failing opens and for new files.
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
    CHECK_CLASS(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                              &other),
                MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(calls, 3);
    CHECK_SAME(file_seen, MPI_FILE_NULL);
    CHECK_CLASS(MPI_File_delete("/no/such/file", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(calls, 4);
    // Errors of requests go to the file's handler.
    OK(MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &other));
    OK(MPI_File_get_errhandler(other, &got));
    CHECK_SAME(got, mine);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_File_iwrite_at(other, 0, &byte, 1, MPI_BYTE, &request));
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE);
    CHECK_EQ(calls, 5);
    CHECK_SAME(file_seen, other);
    OK(MPI_File_close(&other));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&mine));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    temporary_name();
    opening();
    access_modes();
    arguments();
    if (is_starling()) { // MPICH 5.0.2 crashes, or says another class
        handles();
        handlers();
    }
    remove_file();
    return check_done();
}
