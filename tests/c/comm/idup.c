// MPI_Comm_idup, MPI_Comm_dup_with_info and MPI_Comm_idup_with_info; several at once, with
// other traffic between start and completion.
// ranks: 1 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm copies[4];
    MPI_Request requests[4];
    MPI_Info info;
    int got = -1, result = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]));
    OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &copies[3], &requests[3]));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, next_rank(), 0, &got, 1, MPI_INT, previous_rank(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(got, previous_rank());
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Comm_compare(copies[i], MPI_COMM_WORLD, &result));
        CHECK_EQ(result, MPI_CONGRUENT);
    }
    for (int i = 0; i < 4; i++)
        OK(MPI_Isend(&rank, 1, MPI_INT, next_rank(), 0, copies[i], &requests[i]));
    for (int i = 3; i >= 0; i--)
        OK(MPI_Recv(&got, 1, MPI_INT, previous_rank(), 0, copies[i], MPI_STATUS_IGNORE));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 4; i++)
        OK(MPI_Comm_free(&copies[i]));
    MPI_Comm with;
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &with));
    MPI_Info used;
    OK(MPI_Comm_get_info(with, &used));
    OK(MPI_Info_free(&used));
    OK(MPI_Comm_set_info(with, info));
    OK(MPI_Comm_free(&with));
    OK(MPI_Info_free(&info));
    return check_done();
}
