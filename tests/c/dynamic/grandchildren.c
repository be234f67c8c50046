// Processes that were started start others; the last ones meet the first ones at a port.
// ranks: 1 2
#include "check.h"
#include "child.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    char port[MPI_MAX_PORT_NAME] = "", *last[2] = {"last", NULL};
    MPI_Comm others;
    if (is_child() && argc > 1) {
        OK(MPI_Lookup_name("first ones", MPI_INFO_NULL, port));
        OK(MPI_Comm_connect(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &others));
        greet(others, 3, 1);
        OK(MPI_Comm_disconnect(&others));
        greet(parent, 3, 2);
        OK(MPI_Comm_disconnect(&parent));
        return check_done();
    }
    if (parent != MPI_COMM_NULL) {
        OK(MPI_Comm_spawn(argv[0], last, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                          MPI_ERRCODES_IGNORE));
        greet(others, 2, 3);
        OK(MPI_Comm_disconnect(&others));
        OK(MPI_Comm_disconnect(&parent));
        return check_done();
    }
    if (rank == 0) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name("first ones", MPI_INFO_NULL, port));
    }
    MPI_Comm children;
    OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                      MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others));
    greet(others, 1, 3);
    OK(MPI_Comm_disconnect(&others));
    OK(MPI_Comm_disconnect(&children));
    if (rank == 0) {
        OK(MPI_Unpublish_name("first ones", MPI_INFO_NULL, port));
        OK(MPI_Close_port(port));
    }
    return check_done();
}
