// Two halves of a job meet at a port, several times; names and their errors.
// ranks: 2 3 4
#include "check.h"
#include "child.h"

static void names(const char *port)
{
    char found[MPI_MAX_PORT_NAME], name[100];
    sprintf(name, "a name = %d %%", rank);
    CHECK_CLASS(MPI_Lookup_name(name, MPI_INFO_NULL, found), MPI_ERR_NAME);
    CHECK_CLASS(MPI_Unpublish_name(name, MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
    CHECK_CLASS(MPI_Publish_name(name, MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    OK(MPI_Lookup_name(name, MPI_INFO_NULL, found));
    CHECK_STR(found, port);
    CHECK_CLASS(MPI_Unpublish_name(name, MPI_INFO_NULL, "another port"), MPI_ERR_SERVICE);
    OK(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
    CHECK_CLASS(MPI_Lookup_name(name, MPI_INFO_NULL, found), MPI_ERR_NAME);
}

static void bad_ports(MPI_Comm half)
{
    MPI_Comm none = MPI_COMM_NULL;
    CHECK_CLASS(MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, half, &none), MPI_ERR_PORT);
    CHECK_CLASS(MPI_Comm_accept("nowhere", MPI_INFO_NULL, 0, half, &none), MPI_ERR_PORT);
    CHECK_CLASS(MPI_Comm_connect("starling-port:1:0:8", MPI_INFO_NULL, 0, half, &none),
                MPI_ERR_PORT);
    CHECK_CLASS(MPI_Close_port("nowhere"), MPI_ERR_PORT);
    CHECK_SAME(none, MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int server = rank < (size + 1) / 2, own, last;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, other;
    OK(MPI_Comm_split(MPI_COMM_WORLD, server, 0, &half));
    OK(MPI_Comm_rank(half, &own));
    OK(MPI_Comm_size(half, &last));
    last--;
    if (rank == 0) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    }
    OK(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int round = 0; round < 5; round++) {
        if (server) {
            OK(MPI_Comm_accept(own == 0 ? port : NULL, MPI_INFO_NULL, 0, half, &other));
            greet(other, 1, 2);
        } else {
            const char *name = own == last ? port : "only the root's counts";
            OK(MPI_Comm_connect(name, MPI_INFO_NULL, last, half, &other));
            greet(other, 2, 1);
        }
        OK(MPI_Comm_disconnect(&other));
    }
    names(port);
    bad_ports(half);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        OK(MPI_Close_port(port));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!server)
        CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other), MPI_ERR_PORT);
    OK(MPI_Comm_free(&half));
    return check_done();
}
