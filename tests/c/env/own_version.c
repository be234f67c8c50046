// The library names itself in the way that tools parse: "Starling MPI" and a number.
// ranks: 1
// mpich: it has another name
#include "check.h"

int main(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = -1;
    CHECK_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
    CHECK(strncmp(text, "Starling MPI", 12) == 0);
    int major = -1, minor = -1;
    CHECK(sscanf(text, "Starling MPI %d.%d", &major, &minor) == 2);
    CHECK(strchr(text, '\n') == NULL);
    return check_failures > 0;
}
