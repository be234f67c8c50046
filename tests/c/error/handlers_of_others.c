// Error handlers of windows, files and sessions; bad handles and kinds; references and frees.
// ranks: 1
// mpich: it takes some of the bad arguments
#include "check.h"

static int file_calls;

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void on_win(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
}

static void on_file(MPI_File *file, int *code, ...)
{
    CHECK_SAME(*file, MPI_FILE_NULL);
    CHECK_EQ(*code, MPI_ERR_IO);
    file_calls++;
}

static void on_session(MPI_Session *session, int *code, ...)
{
    (void)session, (void)code;
}

int main(int argc, char **argv)
{
    MPI_Errhandler early, win, file, session, got, twice;
    OK(MPI_Comm_create_errhandler(on_comm, &early)); // before MPI_Init
    check_init(&argc, &argv);
    OK(MPI_Win_create_errhandler(on_win, &win));
    OK(MPI_File_create_errhandler(on_file, &file));
    OK(MPI_Session_create_errhandler(on_session, &session));
    CHECK_CLASS(MPI_Comm_create_errhandler(NULL, &got), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, win), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, file), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, (MPI_Errhandler)MPI_INT),
                MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Comm_set_errhandler((MPI_Comm)&win, early), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_set_errhandler(MPI_WIN_NULL, win), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_get_errhandler((MPI_Win)&win, &got), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Session_set_errhandler(MPI_SESSION_NULL, session), MPI_ERR_SESSION);
    // New files get what MPI_FILE_NULL has: first MPI_ERRORS_RETURN.
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK_SAME(got, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_File_set_errhandler(MPI_FILE_NULL, early), MPI_ERR_ERRHANDLER);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, file));
    OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
    CHECK_EQ(file_calls, 1);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_File_get_errhandler((MPI_File)&win, &got), MPI_ERR_FILE);
    // Each handle that get gives counts; the last free takes the handle away.
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, early));
    OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &got));
    CHECK_SAME(got, early);
    twice = early;
    OK(MPI_Errhandler_free(&early));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, got)); // still valid
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&got));
    CHECK_CLASS(MPI_Errhandler_free(&twice), MPI_ERR_ERRHANDLER);
    OK(MPI_Errhandler_free(&win));
    OK(MPI_Errhandler_free(&file));
    OK(MPI_Errhandler_free(&session));
    got = MPI_ERRORS_RETURN;
    OK(MPI_Errhandler_free(&got));
    CHECK_SAME(got, MPI_ERRHANDLER_NULL);
    return check_done();
}
