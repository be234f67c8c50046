// What the ABI says of itself: the sizes it was built with, and what the hardware offers.
// ranks: 1
#include "check.h"

static void value_is(MPI_Info info, const char *key, size_t wanted)
{
    char value[MPI_MAX_INFO_VAL + 1] = "", text[30];
    int length = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    snprintf(text, sizeof text, "%zu", wanted);
    if (flag)
        CHECK_STR(value, text);
    else
        check_failed(__FILE__, __LINE__, key);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Info info = MPI_INFO_NULL;
    OK(MPI_Abi_get_info(&info));
    CHECK_NE((intptr_t)info, (intptr_t)MPI_INFO_NULL);
    value_is(info, "mpi_aint_size", sizeof(MPI_Aint));
    value_is(info, "mpi_count_size", sizeof(MPI_Count));
    value_is(info, "mpi_offset_size", sizeof(MPI_Offset));
    OK(MPI_Info_free(&info));
    OK(MPI_Get_hw_resource_info(&info));
    int n = -1;
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_GE(n, 0);
    OK(MPI_Info_free(&info));
    return check_done();
}
