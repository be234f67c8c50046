// Error handlers of sessions: set, got, called, and asked for errors of calls on the session.
// ranks: 1
// mpich: which classes are reported is ours
#include "check.h"

static int calls, last_class;
static MPI_Session last;

static void on_error(MPI_Session *session, int *code, ...)
{
    calls++;
    last = *session;
    MPI_Error_class(*code, &last_class);
}

int main(void)
{
    MPI_Session session, stale;
    MPI_Errhandler handler, got;
    MPI_Info info;
    MPI_Group group;
    int n;
    // An error handler may be made before any session.
    OK(MPI_Session_create_errhandler(on_error, &handler));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Session_get_errhandler(session, &got));
    CHECK_SAME(got, MPI_ERRORS_RETURN);
    OK(MPI_Session_set_errhandler(session, handler));
    OK(MPI_Session_get_errhandler(session, &got));
    CHECK_SAME(got, handler);
    OK(MPI_Errhandler_free(&got));
    CHECK_CLASS(MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info), MPI_ERR_ARG);
    CHECK_EQ(calls, 1);
    CHECK_SAME(last, session);
    CHECK_EQ(last_class, MPI_ERR_ARG);
    OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    CHECK_EQ(calls, 2);
    CHECK_EQ(last_class, MPI_ERR_OTHER);
    stale = session;
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    // Errors that belong to nothing go to the handler that the session was opened with.
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_SELF, &n), MPI_ERR_COMM);
    OK(MPI_Session_finalize(&session));
    CHECK_CLASS(MPI_Session_finalize(&session), MPI_ERR_SESSION);
    CHECK_CLASS(MPI_Session_finalize(&stale), MPI_ERR_SESSION);
    CHECK_CLASS(MPI_Session_get_info(stale, &info), MPI_ERR_SESSION);
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
    // No session is open.
    CHECK_CLASS(MPI_Group_from_session_pset(stale, "mpi://WORLD", &group), MPI_ERR_OTHER);
    CHECK_EQ(calls, 2);
    CHECK_SAME(MPI_Session_fromint(MPI_Session_toint(stale)), stale);
    return check_failures > 0;
}
