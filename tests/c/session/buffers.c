// Buffered sends use the session's buffer on communicators that come from it, by whatever way,
// and the communicator's own where it has one.
// ranks: 2
// mpich: it has no error for a missing buffer
#include "check.h"

enum { N = 1000 };

static void send_some(MPI_Comm comm, int me)
{
    static int out[N], in[N];
    for (int i = 0; i < N; i++)
        out[i] = i + me;
    OK(MPI_Bsend(out, N, MPI_INT, 1 - me, 0, comm));
    OK(MPI_Recv(in, N, MPI_INT, 1 - me, 0, comm, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], i + 1 - me);
}

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, half;
    MPI_Request request;
    int me = -1, length = 0, value = 0;
    size_t room = 4 * (N * sizeof(int) + MPI_BSEND_OVERHEAD);
    void *memory = malloc(room), *got = NULL;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "tests://buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                  &comm));
    OK(MPI_Comm_rank(comm, &me));
    CHECK_CLASS(MPI_Bsend(&value, 1, MPI_INT, 1 - me, 0, comm), MPI_ERR_BUFFER);
    OK(MPI_Session_attach_buffer(session, memory, (int)room));
    CHECK_CLASS(MPI_Session_attach_buffer(session, memory, (int)room), MPI_ERR_BUFFER);
    send_some(comm, me);
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Comm_split(comm, 0, me, &half));
    send_some(half, me);
    OK(MPI_Session_iflush_buffer(session, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Session_detach_buffer(session, &got, &length));
    CHECK(got == memory);
    CHECK_EQ(length, room);
    CHECK_CLASS(MPI_Session_detach_buffer(session, &got, &length), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bsend(&value, 1, MPI_INT, 1 - me, 0, comm), MPI_ERR_BUFFER);
    OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
    send_some(comm, me);
    OK(MPI_Comm_detach_buffer(comm, &got, &length));
    OK(MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0));
    send_some(half, me);
    OK(MPI_Session_detach_buffer(session, &got, &length));
    CHECK(got == MPI_BUFFER_AUTOMATIC);
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    free(memory);
    return check_failures > 0;
}
