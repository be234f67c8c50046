// MPI_Info_get and MPI_Info_get_valuelen, deprecated and in use everywhere.
// ranks: 1
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Info info;
    char value[20];
    int flag = -1, length = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "name", "starling"));
    OK(MPI_Info_get_valuelen(info, "name", &length, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(length, 8); // without its terminator
    OK(MPI_Info_get(info, "name", 19, value, &flag));
    CHECK_STR(value, "starling");
    if (is_starling()) { // MPICH 5.0.2 refuses to cut a value
        memset(value, 'x', sizeof value);
        OK(MPI_Info_get(info, "name", 4, value, &flag));
        CHECK_STR(value, "star");
    }
    OK(MPI_Info_get(info, "none", 4, value, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Info_get_valuelen(info, "none", &length, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Info_free(&info));
    return check_done();
}
