// MPI_Waitall with one failed request: MPI_ERR_IN_STATUS, and the statuses say which.
// ranks: 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int values[3][4];
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            OK(MPI_Send(values, i == 1 ? 4 : 1, MPI_INT, 1, i, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        for (int i = 0; i < 3; i++)
            OK(MPI_Irecv(values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]));
        CHECK_CLASS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
        CHECK_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
        CHECK_CLASS(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
        // One that has neither failed nor completed is pending, and still has to be waited for.
        if (statuses[2].MPI_ERROR != MPI_SUCCESS) {
            CHECK_CLASS(statuses[2].MPI_ERROR, MPI_ERR_PENDING);
            OK(MPI_Wait(&requests[2], &statuses[2]));
        }
        CHECK_EQ(statuses[2].MPI_TAG, 2);
        for (int i = 0; i < 3; i++)
            CHECK_SAME(requests[i], MPI_REQUEST_NULL);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_done();
}
