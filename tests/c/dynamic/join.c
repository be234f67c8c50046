// Two processes that share a socket become an intercommunicator; the socket stays theirs.
// ranks: 2 3
#include "check.h"
#include "child.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static struct sockaddr_in address;
static socklen_t length = sizeof address;

static int serve(void)
{
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_EQ(bind(listener, (struct sockaddr *)&address, length), 0);
    CHECK_EQ(listen(listener, 1), 0);
    CHECK_EQ(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    OK(MPI_Send(&address, sizeof address, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
    int connected = accept(listener, NULL, NULL);
    close(listener);
    return connected;
}

static int reach(void)
{
    OK(MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    int connected = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQ(connect(connected, (struct sockaddr *)&address, length), 0);
    return connected;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (rank < 2) {
        int fd = rank == 0 ? serve() : reach();
        MPI_Comm joined = MPI_COMM_NULL;
        // The other one needs this process's progress before it gets to the socket.
        static char buffer[300000];
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0)
            OK(MPI_Isend(buffer, sizeof buffer, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request));
        else
            OK(MPI_Recv(buffer, sizeof buffer, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Comm_join(fd, &joined));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        int others = 0, own = -1;
        OK(MPI_Comm_remote_size(joined, &others));
        OK(MPI_Comm_size(joined, &own));
        CHECK_EQ(others, 1);
        CHECK_EQ(own, 1);
        greet(joined, rank, 1 - rank);
        char byte = 'x';
        CHECK_EQ(write(fd, &byte, 1), 1);
        byte = 0;
        CHECK_EQ(read(fd, &byte, 1), 1);
        CHECK_EQ(byte, 'x');
        close(fd);
        OK(MPI_Comm_disconnect(&joined));
        MPI_Comm none = MPI_COMM_NULL;
        CHECK_CLASS(MPI_Comm_join(-1, &none), MPI_ERR_ARG);
    }
    return check_done();
}
