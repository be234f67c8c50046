// MPI_Comm_split_type: all ranks of one node share memory; keys order; UNDEFINED and hardware.
// ranks: 1 2 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm node;
    int n = -1, r = -1;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &n));
    OK(MPI_Comm_rank(node, &r));
    CHECK_EQ(n, size);
    CHECK_EQ(r, size - 1 - rank);
    OK(MPI_Comm_free(&node));
    int type = rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &node));
    if (rank == 0) {
        CHECK_SAME(node, MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_size(node, &n));
        CHECK_EQ(n, size - 1);
        OK(MPI_Comm_free(&node));
    }
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "a resource that does not exist"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, rank, info, &node));
    CHECK_SAME(node, MPI_COMM_NULL);
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, rank, MPI_INFO_NULL,
                           &node));
    if (node != MPI_COMM_NULL) {
        OK(MPI_Comm_size(node, &n));
        CHECK_LT(n, size); // a strict subset by definition
        OK(MPI_Comm_free(&node));
    }
    return check_done();
}
