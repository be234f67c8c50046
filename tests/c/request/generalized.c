// Generalized requests: callbacks are called, statuses come through, errors too (section 13.2).
// ranks: 1 2
#include "check.h"

static int queries, frees, cancels, complete_at_cancel;

static int on_query(void *state, MPI_Status *status)
{
    queries++;
    OK(MPI_Status_set_elements(status, MPI_INT, *(int *)state));
    OK(MPI_Status_set_cancelled(status, *(int *)state == 7));
    status->MPI_SOURCE = 12;
    status->MPI_TAG = 34;
    return MPI_SUCCESS;
}

static int on_free(void *state)
{
    (void)state;
    frees++;
    return MPI_SUCCESS;
}

static int on_cancel(void *state, int complete)
{
    (void)state;
    complete_at_cancel = complete;
    cancels++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int state = 5, flag = -1, count = -1;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Grequest_start(on_query, on_free, on_cancel, &state, &request));
    OK(MPI_Test(&request, &flag, &status));
    CHECK_EQ(flag, 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, &status));
    CHECK_SAME(request, MPI_REQUEST_NULL);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 5);
    CHECK_EQ(status.MPI_SOURCE, 12);
    CHECK_EQ(status.MPI_TAG, 34);
    CHECK_EQ(queries, 1);
    CHECK_EQ(frees, 1);
    // Cancelled: the callback runs, the request still needs completion.
    state = 7;
    OK(MPI_Grequest_start(on_query, on_free, on_cancel, &state, &request));
    OK(MPI_Cancel(&request));
    CHECK_EQ(cancels, 1);
    CHECK_EQ(complete_at_cancel, 0);
    OK(MPI_Grequest_complete(request));
    OK(MPI_Waitall(1, &request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(frees, 2);
    // Freed before completion: the free callback runs once it is complete.
    OK(MPI_Grequest_start(on_query, on_free, on_cancel, &state, &request));
    MPI_Request copy = request;
    OK(MPI_Request_free(&request));
    OK(MPI_Grequest_complete(copy));
    CHECK_EQ(frees, 3);
    return check_done();
}
