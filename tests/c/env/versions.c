// Version calls work before, during and after; they agree with the header's constants.
// ranks: 1
#include "check.h"

static void ask(void)
{
    int version = -1, subversion = -1, length = -1;
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    CHECK_EQ(MPI_Get_version(&version, &subversion), MPI_SUCCESS);
    CHECK_EQ(version, MPI_VERSION);
    CHECK_EQ(subversion, MPI_SUBVERSION);
    CHECK_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
    CHECK_EQ(length, strlen(text));
    CHECK(length > 0);
    int major = -1, minor = -1;
    CHECK_EQ(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
    CHECK_EQ(major, MPI_ABI_VERSION);
    CHECK_EQ(minor, MPI_ABI_SUBVERSION);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_VERSION, 5);
    CHECK_EQ(MPI_SUBVERSION, 0);
    ask();
    check_init(&argc, &argv);
    ask();
    int code = check_done();
    ask();
    return code || check_failures > 0;
}
