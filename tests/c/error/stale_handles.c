// Freed handles are recognised, also when the slot is in use again, and never dereferenced.
// ranks: 1 2
// mpich: it does not recognise every stale handle
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm comm, stale_comm, again;
    MPI_Datatype type, stale_type, other_type;
    MPI_Group group, stale_group;
    MPI_Info info, stale_info, other_info;
    MPI_Request request, stale_request;
    int n = 0, value = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    stale_comm = comm;
    OK(MPI_Comm_free(&comm));
    CHECK_CLASS(MPI_Comm_size(stale_comm, &n), MPI_ERR_COMM);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &again));
    CHECK_CLASS(MPI_Comm_size(stale_comm, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, 0, stale_comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&stale_comm), MPI_ERR_COMM);
    OK(MPI_Comm_free(&again));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    stale_type = type;
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous(3, MPI_INT, &other_type));
    CHECK_CLASS(MPI_Type_size(stale_type, &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(&value, 1, stale_type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    OK(MPI_Type_free(&other_type));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    stale_group = group;
    OK(MPI_Group_free(&group));
    CHECK_CLASS(MPI_Group_size(stale_group, &n), MPI_ERR_GROUP);
    OK(MPI_Info_create(&info));
    stale_info = info;
    OK(MPI_Info_free(&info));
    OK(MPI_Info_create(&other_info));
    CHECK_CLASS(MPI_Info_get_nkeys(stale_info, &n), MPI_ERR_INFO);
    OK(MPI_Info_free(&other_info));
    OK(MPI_Isend(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request));
    stale_request = request;
    OK(MPI_Recv(&n, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_Wait(&stale_request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    // Handles of another kind, and numbers that never were handles.
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)MPI_INT, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)0, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)(intptr_t)-1, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)&n, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Type_size((MPI_Datatype)MPI_COMM_WORLD, &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Group_size((MPI_Group)MPI_COMM_WORLD, &n), MPI_ERR_GROUP);
    return check_done();
}
