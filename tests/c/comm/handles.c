// MPI_X_toint and MPI_X_fromint for predefined and made objects.
// ranks: 1
#include "check.h"

static void nothing(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
}

#define ROUND_TRIP(Kind, handle)                                                               \
    do {                                                                                       \
        __typeof__(handle) before = (handle);                                                  \
        CHECK_SAME(MPI_##Kind##_fromint(MPI_##Kind##_toint(before)), before);                  \
    } while (0)

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Info info;
    MPI_Request request;
    int value = 0;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Info_create(&info));
    OK(MPI_Op_create(nothing, 1, &op));
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request));
    ROUND_TRIP(Comm, comm);
    ROUND_TRIP(Comm, MPI_COMM_WORLD);
    ROUND_TRIP(Comm, MPI_COMM_NULL);
    ROUND_TRIP(Group, group);
    ROUND_TRIP(Group, MPI_GROUP_EMPTY);
    ROUND_TRIP(Type, type);
    ROUND_TRIP(Type, MPI_DOUBLE);
    ROUND_TRIP(Op, op);
    ROUND_TRIP(Op, MPI_SUM);
    ROUND_TRIP(Info, info);
    ROUND_TRIP(Info, MPI_INFO_ENV);
    ROUND_TRIP(Request, request);
    ROUND_TRIP(Request, MPI_REQUEST_NULL);
    ROUND_TRIP(Errhandler, MPI_ERRORS_RETURN);
    // The small numbers of predefined handles are the standard's own.
    CHECK_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    CHECK_EQ(MPI_Type_toint(MPI_DATATYPE_NULL), 0x200);
    OK(MPI_Send(&rank, 1, MPI_INT, 0, 0, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Type_free(&type));
    OK(MPI_Op_free(&op));
    OK(MPI_Info_free(&info));
    return check_done();
}
