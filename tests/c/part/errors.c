// Wrong uses of partitioned requests are reported, and MPI_PROC_NULL is nobody.
// ranks: 1
// mpich: what is checked, and with which class, is ours
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int out[8] = {0}, in[8] = {0}, flag = -1, list[2] = {0, 9};
    MPI_Request send, recv, other = MPI_REQUEST_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    CHECK_CLASS(MPI_Psend_init(out, -1, 1, MPI_INT, 0, 0, world, none, &send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Psend_init(out, 1, -1, MPI_INT, 0, 0, world, none, &send), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Psend_init(out, 1, 1, MPI_INT, 7, 0, world, none, &send), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Psend_init(out, 1, 1, MPI_INT, 0, -5, world, none, &send), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Psend_init_c(out, 1 << 30, (MPI_Count)1 << 50, MPI_INT, 0, 0, world, none,
                                 &send), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Precv_init(in, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, none, &recv),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Precv_init(in, 1, 1, MPI_INT, 0, MPI_ANY_TAG, world, none, &recv),
                MPI_ERR_TAG);
    OK(MPI_Psend_init(out, 4, 2, MPI_INT, 0, 0, world, none, &send));
    OK(MPI_Precv_init(in, 4, 2, MPI_INT, 0, 0, world, none, &recv));
    CHECK_CLASS(MPI_Pready(0, send), MPI_ERR_REQUEST);
    OK(MPI_Start(&send));
    OK(MPI_Start(&recv));
    CHECK_CLASS(MPI_Pready(4, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready(-1, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready(0, recv), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready_range(2, 1, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_list(2, list, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_list(-1, list, send), MPI_ERR_ARG);
    OK(MPI_Pready(0, send));
    CHECK_CLASS(MPI_Pready(0, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Parrived(recv, 4, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Start(&send), MPI_ERR_REQUEST);
    OK(MPI_Pready_range(1, 3, send));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&recv, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&recv));
    // The two sides must agree on how much there is.
    OK(MPI_Psend_init(out, 4, 2, MPI_INT, 0, 0, world, none, &send));
    OK(MPI_Precv_init(in, 2, 2, MPI_INT, 0, 0, world, none, &recv));
    OK(MPI_Start(&send));
    OK(MPI_Start(&recv));
    OK(MPI_Pready_range(0, 3, send));
    CHECK_CLASS(MPI_Wait(&recv, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&recv));
    OK(MPI_Psend_init(out, 2, 2, MPI_INT, MPI_PROC_NULL, 0, world, none, &send));
    OK(MPI_Precv_init(in, 2, 2, MPI_INT, MPI_PROC_NULL, 0, world, none, &recv));
    OK(MPI_Start(&send));
    OK(MPI_Start(&recv));
    OK(MPI_Pready_range(0, 1, send));
    OK(MPI_Parrived(recv, 1, &flag));
    CHECK_EQ(flag, 1);
    MPI_Status status;
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&recv, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&recv));
    OK(MPI_Send_init(out, 1, MPI_INT, 0, 0, world, &other));
    CHECK_CLASS(MPI_Pready(0, other), MPI_ERR_REQUEST);
    OK(MPI_Request_free(&other));
    return check_done();
}
