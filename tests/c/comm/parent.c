// A world that was not spawned has no parent; MPI_Comm_get_parent gives null each time.
// ranks: 1 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm parent = MPI_COMM_WORLD;
    OK(MPI_Comm_get_parent(&parent));
    CHECK_SAME(parent, MPI_COMM_NULL);
    parent = MPI_COMM_WORLD;
    OK(MPI_Comm_get_parent(&parent));
    CHECK_SAME(parent, MPI_COMM_NULL);
    return check_done();
}
