// The version of the ABI, and what Fortran bindings tell about their compiler.
// ranks: 1
// mpich: it knows its own Fortran compiler
#include "check.h"

static void info_says(MPI_Info info, const char *key, int wanted)
{
    char value[20] = "";
    int room = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &room, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(atoi(value), wanted);
}

int main(int argc, char **argv)
{
    int major = -1, minor = -1, is_set = -1;
    MPI_Info info, got;
    OK(MPI_Abi_get_version(&major, &minor)); // before MPI_Init
    CHECK_EQ(major, MPI_ABI_VERSION);
    CHECK_EQ(minor, MPI_ABI_SUBVERSION);
    check_init(&argc, &argv);
    OK(MPI_Abi_get_fortran_info(&got));
    CHECK_SAME(got, MPI_INFO_NULL);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_logical_size", "4"));
    OK(MPI_Abi_set_fortran_info(info));
    CHECK_CLASS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_info(&got));
    info_says(got, "mpi_logical_size", 4);
    OK(MPI_Info_free(&got));
    int yes = -1, no = 0, got_yes = 5, got_no = 5;
    OK(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
    CHECK(is_set == 0 && got_yes == 5 && got_no == 5);
    OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
    OK(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
    CHECK(is_set == 1 && got_yes == -1 && got_no == 0);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_ERR_ABI);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(3, &yes, &no), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(8, NULL, &no), MPI_ERR_ARG);
    return check_done();
}
