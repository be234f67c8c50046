// Functions that MPI removed long ago are exported for old programs, outside mpi.h.
// ranks: 1
#include "check.h"

typedef void Handler(MPI_Comm *, int *, ...);
extern int MPI_Address(void *, MPI_Aint *);
extern int MPI_Type_extent(MPI_Datatype, MPI_Aint *);
extern int MPI_Type_lb(MPI_Datatype, MPI_Aint *);
extern int MPI_Type_ub(MPI_Datatype, MPI_Aint *);
extern int MPI_Type_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);
extern int MPI_Type_hindexed(int, int *, MPI_Aint *, MPI_Datatype, MPI_Datatype *);
extern int MPI_Type_struct(int, int *, MPI_Aint *, MPI_Datatype *, MPI_Datatype *);
extern int MPI_Errhandler_create(Handler *, MPI_Errhandler *);
extern int MPI_Errhandler_set(MPI_Comm, MPI_Errhandler);
extern int MPI_Errhandler_get(MPI_Comm, MPI_Errhandler *);

static int calls;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls++;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int pair[2], one = 1, lengths[1] = {2};
    MPI_Aint a = 0, b = 0, at[1] = {8};
    MPI_Datatype type, types[1] = {MPI_INT};
    OK(MPI_Address(&pair[0], &a));
    OK(MPI_Address(&pair[1], &b));
    CHECK_EQ(b - a, 4);
    OK(MPI_Type_hvector(2, 1, 12, MPI_INT, &type));
    OK(MPI_Type_extent(type, &a));
    CHECK_EQ(a, 16);
    OK(MPI_Type_ub(type, &a));
    CHECK_EQ(a, 16);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_hindexed(1, lengths, at, MPI_INT, &type));
    OK(MPI_Type_lb(type, &a));
    CHECK_EQ(a, 8);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_struct(1, lengths, at, types, &type));
    OK(MPI_Type_size(type, &one));
    CHECK_EQ(one, 8);
    OK(MPI_Type_free(&type));
    MPI_Errhandler handler, got;
    OK(MPI_Errhandler_create(on_error, &handler));
    OK(MPI_Errhandler_set(MPI_COMM_SELF, handler));
    OK(MPI_Errhandler_get(MPI_COMM_SELF, &got));
    MPI_Send(&one, 1, MPI_INT, 5, 0, MPI_COMM_SELF);
    CHECK_EQ(calls, 1);
    OK(MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Errhandler_free(&got));
    return check_done();
}
