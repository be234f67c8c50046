// Bad arguments of point-to-point calls give their class under MPI_ERRORS_RETURN, and the world
// works as before afterwards.
// ranks: 1 2
#include "check.h"

static int value[4];
static const MPI_Comm W = MPI_COMM_WORLD;

static void sends(void)
{
    int *bound, flag;
    OK(MPI_Comm_get_attr(W, MPI_TAG_UB, &bound, &flag));
    CHECK_CLASS(MPI_Send(value, 1, MPI_INT, size, 0, W), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(value, 1, MPI_INT, -7, 0, W), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(value, 1, MPI_INT, MPI_ANY_SOURCE, 0, W), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(value, 1, MPI_INT, 0, -5, W), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(value, 1, MPI_INT, 0, MPI_ANY_TAG, W), MPI_ERR_TAG);
    if (*bound < 0x7fffffff)
        CHECK_CLASS(MPI_Send(value, 1, MPI_INT, 0, *bound + 1, W), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(value, -1, MPI_INT, 0, 0, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, W), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, 0, 0, W), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Send(value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Ssend(value, 1, MPI_INT, size + 3, 0, W), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Rsend(value, -2, MPI_INT, 0, 0, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Bsend(value, 1, MPI_INT, 0, -9, W), MPI_ERR_TAG);
}

static void receives(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag;
    CHECK_CLASS(MPI_Recv(value, 1, MPI_INT, size, 0, W, &status), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Recv(value, 1, MPI_INT, 0, -5, W, &status), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Recv(value, -1, MPI_INT, 0, 0, W, &status), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Recv(value, 1, MPI_DATATYPE_NULL, 0, 0, W, &status), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Irecv(value, 1, MPI_INT, -9, 0, W, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isend(value, 1, MPI_INT, size, 0, W, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Probe(size, 0, W, &status), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Iprobe(0, -5, W, &flag, &status), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send_init(value, -1, MPI_INT, 0, 0, W, &request), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Recv_init(value, 1, MPI_INT, size, 0, W, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Sendrecv(value, 1, MPI_INT, size, 0, value + 1, 1, MPI_INT, 0, 0, W, &status),
                MPI_ERR_RANK);
    MPI_Message message = MPI_MESSAGE_NULL;
    CHECK_NE(MPI_Mrecv(value, 1, MPI_INT, &message, &status), MPI_SUCCESS);
}

static void types(void)
{
    MPI_Datatype raw;
    OK(MPI_Type_contiguous(2, MPI_INT, &raw));
    CHECK_CLASS(MPI_Send(value, 1, raw, 0, 0, W), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Recv(value, 1, raw, 0, 0, W, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    OK(MPI_Type_free(&raw));
}

static void requests(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_NE(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_SUCCESS);
    OK(MPI_Irecv(value, 1, MPI_INT, rank, 0, W, &request));
    MPI_Request copy = request;
    CHECK_CLASS(MPI_Start(&copy), MPI_ERR_REQUEST); // not persistent
    OK(MPI_Send(value + 1, 1, MPI_INT, rank, 0, W));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    sends();
    receives();
    types();
    requests();
    int out = rank, in = -1;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, next_rank(), 0, &in, 1, MPI_INT, previous_rank(), 0, W,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(in, previous_rank());
    return check_done();
}
