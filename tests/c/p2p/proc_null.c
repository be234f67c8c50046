// Every call with MPI_PROC_NULL completes at once and leaves buffers alone (section 3.10).
// ranks: 1 2
#include "check.h"

static void status_is_null(const MPI_Status *status, const char *file, int line)
{
    int count = -1;
    OK(MPI_Get_count(status, MPI_INT, &count));
    if (status->MPI_SOURCE != MPI_PROC_NULL || status->MPI_TAG != MPI_ANY_TAG || count != 0) {
        char text[100];
        snprintf(text, sizeof text, "source %d tag %d count %d", status->MPI_SOURCE,
                 status->MPI_TAG, count);
        check_failed(file, line, text);
    }
}

#define CHECK_STATUS(status) status_is_null(status, __FILE__, __LINE__)

static void blocking(void)
{
    int value = 17, null = MPI_PROC_NULL;
    MPI_Status status;
    OK(MPI_Send(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD));
    OK(MPI_Ssend(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD));
    OK(MPI_Rsend(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD));
    OK(MPI_Bsend(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD));
    OK(MPI_Recv(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD, &status));
    CHECK_STATUS(&status);
    OK(MPI_Probe(null, 1, MPI_COMM_WORLD, &status));
    CHECK_STATUS(&status);
    OK(MPI_Sendrecv_replace(&value, 1, MPI_INT, null, 1, null, 1, MPI_COMM_WORLD, &status));
    CHECK_STATUS(&status);
    CHECK_EQ(value, 17);
}

static void nonblocking(void)
{
    int value = 17, null = MPI_PROC_NULL, flag = 0;
    MPI_Status status;
    MPI_Request request;
    OK(MPI_Irecv(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, &status));
    CHECK_STATUS(&status);
    OK(MPI_Issend(&value, 1, MPI_INT, null, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 1);
    flag = 0;
    OK(MPI_Iprobe(null, 1, MPI_COMM_WORLD, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_STATUS(&status);
    MPI_Message message;
    OK(MPI_Mprobe(null, 1, MPI_COMM_WORLD, &message, &status));
    CHECK_SAME(message, MPI_MESSAGE_NO_PROC);
    CHECK_STATUS(&status);
    OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    CHECK_SAME(message, MPI_MESSAGE_NULL);
    CHECK_STATUS(&status);
    OK(MPI_Improbe(null, 1, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_EQ(flag, 1);
    OK(MPI_Imrecv(&value, 1, MPI_INT, &message, &request));
    OK(MPI_Wait(&request, &status));
    CHECK_STATUS(&status);
    CHECK_EQ(value, 17);
}

static void persistent(void)
{
    int value = 17;
    MPI_Status status;
    MPI_Request request;
    OK(MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, &status));
        if (is_starling()) // MPICH 5.0.2 gives the empty status here
            CHECK_STATUS(&status);
    }
    OK(MPI_Request_free(&request));
    CHECK_EQ(value, 17);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    blocking();
    nonblocking();
    persistent();
    return check_done();
}
