// One MPI_Waitall over everything there is: sends, receives, persistent, collectives, generalized
// and null requests, on several communicators.
// ranks: 1 2 4
#include "check.h"

static int on_query(void *state, MPI_Status *status)
{
    (void)state;
    OK(MPI_Status_set_elements(status, MPI_BYTE, 3));
    OK(MPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int on_free(void *state)
{
    ++*(int *)state;
    return MPI_SUCCESS;
}

static int on_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm copy;
    MPI_Request requests[8];
    MPI_Status statuses[8];
    int got = -1, kept = -1, sum = 0, one = 1, freed = 0, count = -1, value = rank * 2;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Irecv(&got, 1, MPI_INT, previous_rank(), 0, MPI_COMM_WORLD, &requests[0]));
    requests[1] = MPI_REQUEST_NULL;
    OK(MPI_Recv_init(&kept, 1, MPI_INT, previous_rank(), 1, copy, &requests[2]));
    OK(MPI_Start(&requests[2]));
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy, &requests[3]));
    OK(MPI_Grequest_start(on_query, on_free, on_cancel, &freed, &requests[4]));
    OK(MPI_Isend(&rank, 1, MPI_INT, next_rank(), 0, MPI_COMM_WORLD, &requests[5]));
    OK(MPI_Send_init(&value, 1, MPI_INT, next_rank(), 1, copy, &requests[6]));
    OK(MPI_Start(&requests[6]));
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[7]));
    OK(MPI_Grequest_complete(requests[4]));
    OK(MPI_Waitall(8, requests, statuses));
    CHECK_EQ(got, previous_rank());
    CHECK_EQ(kept, previous_rank() * 2);
    CHECK_EQ(sum, size);
    CHECK_EQ(freed, 1);
    CHECK_EQ(statuses[0].MPI_SOURCE, previous_rank());
    CHECK_EQ(statuses[2].MPI_TAG, 1);
    OK(MPI_Get_count(&statuses[4], MPI_BYTE, &count));
    CHECK_EQ(count, 3);
    CHECK_SAME(requests[4], MPI_REQUEST_NULL);
    CHECK_NE((intptr_t)requests[2], (intptr_t)MPI_REQUEST_NULL);
    OK(MPI_Request_free(&requests[2]));
    OK(MPI_Request_free(&requests[6]));
    OK(MPI_Comm_free(&copy));
    return check_done();
}
