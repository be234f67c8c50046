// A session that is opened after everything was finalised once can still end the whole job.
// ranks: 2
// expect-exit: 9
// mpich: it loses the launcher with its last session
#include "check.h"

static MPI_Comm open_one(MPI_Session *session)
{
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session));
    OK(MPI_Group_from_session_pset(*session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "tests://late", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    return comm;
}

int main(void)
{
    MPI_Session session;
    MPI_Comm comm = open_one(&session);
    int me = -1;
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    comm = open_one(&session);
    OK(MPI_Comm_rank(comm, &me));
    if (me == 0)
        MPI_Abort(comm, 9);
    MPI_Barrier(comm);
    MPI_Barrier(comm);
    printf("FAIL: still here\n");
    return 0;
}
