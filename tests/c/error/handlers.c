// Error handlers: create, set, get, call, free; which object's handler is called; return values.
// ranks: 1 2
#include "check.h"

// The class that the failed call returns. MPICH 5.0.2 returns success after a user's handler.
#define RETURNS(call, class)                                                                   \
    do {                                                                                       \
        int returned = (call);                                                                 \
        if (is_starling())                                                                     \
            CHECK_CLASS(returned, class);                                                      \
    } while (0)

static int calls, last_class;
static MPI_Comm last_comm;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    last_class = check_class_of(*code);
}

static void on_other(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls += 100;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Errhandler handler, other, got;
    MPI_Comm comm, copy;
    int value = 0;
    OK(MPI_Comm_create_errhandler(on_error, &handler));
    OK(MPI_Comm_create_errhandler(on_other, &other));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_get_errhandler(comm, &got));
    CHECK_SAME(got, MPI_ERRORS_RETURN); // inherited by dup
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_get_errhandler(comm, &got));
    CHECK_SAME(got, handler);
    OK(MPI_Errhandler_free(&got));
    CHECK_SAME(got, MPI_ERRHANDLER_NULL);
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Comm_set_errhandler(copy, other));
    OK(MPI_Errhandler_free(&handler)); // still in use by comm
    CHECK_SAME(handler, MPI_ERRHANDLER_NULL);
    // The call returns after the handler does, with the error code.
    RETURNS(MPI_Send(&value, 1, MPI_INT, size, 0, comm), MPI_ERR_RANK);
    CHECK_EQ(calls, 1);
    CHECK_SAME(last_comm, comm);
    CHECK_EQ(last_class, MPI_ERR_RANK);
    RETURNS(MPI_Send(&value, 1, MPI_INT, size, 0, copy), MPI_ERR_RANK);
    CHECK_EQ(calls, 101);
    OK(MPI_Comm_call_errhandler(comm, MPI_ERR_TAG));
    CHECK_EQ(calls, 102);
    CHECK_EQ(last_class, MPI_ERR_TAG);
    // Errors of calls without a communicator go to MPI_COMM_SELF (section 9.3).
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, other));
    calls = 0;
    MPI_Type_contiguous(-1, MPI_INT, &(MPI_Datatype){0});
    CHECK_EQ(calls, 100);
    RETURNS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_EQ(calls, 200);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    // A wait calls the handler of the request's communicator.
    MPI_Request request;
    int small = 0, large[2] = {1, 2};
    calls = 0;
    OK(MPI_Irecv(&small, 1, MPI_INT, rank, 0, copy, &request));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    MPI_Request send;
    MPI_Isend(large, 2, MPI_INT, rank, 0, copy, &send);
    RETURNS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK_GE(calls, 100);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    OK(MPI_Errhandler_free(&other));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&comm));
    return check_done();
}
