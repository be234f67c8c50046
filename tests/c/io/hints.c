// Hints: known ones are reported back, the same on all ranks; others are not; set_info and
// set_view change them.
// ranks: 1 4
// mpich: other hints, other defaults
#include "temporary.h"
#include <sys/stat.h>

static void reported(MPI_File file, const char *key, const char *wanted, int line)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = -1, room = sizeof value;
    MPI_Info info;
    OK(MPI_File_get_info(file, &info));
    OK(MPI_Info_get_string(info, key, &room, value, &flag));
    if (flag != (wanted != NULL) || (wanted && strcmp(value, wanted) != 0))
        check_failed(__FILE__, line, key);
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_File file;
    struct stat facts;
    check_init(&argc, &argv);
    temporary_name();
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cb_buffer_size", "1048576"));
    OK(MPI_Info_set(info, "cb_nodes", rank == 0 ? "1" : "2"));
    OK(MPI_Info_set(info, "access_style", "write_mostly"));
    OK(MPI_Info_set(info, "striping_factor", "4"));
    OK(MPI_Info_set(info, "striping_unit", "65536"));
    OK(MPI_Info_set(info, "romio_cb_read", "disable"));
    OK(MPI_Info_set(info, "file_perm", "600"));
    OK(MPI_Info_set(info, "nonsense", "1"));
    OK(MPI_File_open(MPI_COMM_WORLD, temporary, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    reported(file, "cb_buffer_size", "1048576", __LINE__);
    reported(file, "cb_nodes", "1", __LINE__); // rank 0 decides
    reported(file, "access_style", "write_mostly", __LINE__);
    reported(file, "striping_factor", "4", __LINE__);
    reported(file, "striping_unit", "65536", __LINE__);
    reported(file, "romio_cb_read", "disable", __LINE__);
    reported(file, "romio_cb_write", "automatic", __LINE__);
    reported(file, "collective_buffering", "true", __LINE__);
    reported(file, "nonsense", NULL, __LINE__);
    CHECK_EQ(stat(temporary, &facts), 0);
    CHECK_EQ(facts.st_mode & 0777, 0600);
    OK(MPI_Info_free(&info));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "collective_buffering", "false"));
    OK(MPI_Info_set(info, "cb_buffer_size", "rubbish"));
    OK(MPI_File_set_info(file, info));
    reported(file, "collective_buffering", "false", __LINE__);
    reported(file, "romio_cb_write", "disable", __LINE__);
    reported(file, "cb_buffer_size", "1048576", __LINE__);
    OK(MPI_Info_set(info, "cb_buffer_size", "8192"));
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
    reported(file, "cb_buffer_size", "8192", __LINE__);
    CHECK_CLASS(MPI_File_set_info(file, MPI_INFO_NULL), MPI_ERR_INFO);
    OK(MPI_Info_free(&info));
    OK(MPI_File_close(&file));
    remove_file();
    return check_done();
}
