// Partitioned requests meet in the order of their initialisation, per source and tag, and never
// meet other messages; requests may be freed unused, and a communicator before its requests.
// ranks: 2
#include "check.h"

enum { N = 5 };

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int values[N], other = -1;
    MPI_Request requests[N], unused;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < N; i++) {
        values[i] = rank == 0 ? 10 + i : -1;
        if (rank == 0)
            OK(MPI_Psend_init(&values[i], 1, 1, MPI_INT, 1, i % 2, comm, MPI_INFO_NULL,
                              &requests[i]));
    }
    if (rank == 1) {
        // Tag 1 first: tags are told apart, and within a tag the order counts.
        for (int i = 1; i < N; i += 2)
            OK(MPI_Precv_init(&values[i], 1, 1, MPI_INT, 0, 1, comm, MPI_INFO_NULL, &requests[i]));
        for (int i = 0; i < N; i += 2)
            OK(MPI_Precv_init(&values[i], 1, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &requests[i]));
        OK(MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &unused));
    }
    OK(MPI_Startall(N, requests));
    if (rank == 0) {
        for (int i = N - 1; i >= 0; i--)
            OK(MPI_Pready(0, requests[i]));
    }
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_EQ(values[i], 10 + i);
    if (rank == 0) {
        other = 77;
        OK(MPI_Send(&other, 1, MPI_INT, 1, 0, comm));
    } else {
        OK(MPI_Wait(&unused, MPI_STATUS_IGNORE));
        CHECK_EQ(other, 77);
    }
    // A pair that is never started.
    if (rank == 0)
        OK(MPI_Psend_init(&other, 1, 1, MPI_INT, 1, 0, comm, MPI_INFO_NULL, &unused));
    else
        OK(MPI_Precv_init(&other, 1, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &unused));
    OK(MPI_Request_free(&unused));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Startall(N, requests));
    if (rank == 0) {
        for (int i = 0; i < N; i++)
            OK(MPI_Pready(0, requests[i]));
    }
    for (int i = 0; i < N; i++) {
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&requests[i]));
    }
    return check_done();
}
