// A session before, during and after the world: each is valid by itself.
// ranks: 1 2 4
#include "check.h"

static void all_together(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    int one = 1, sum = 0, n = -1;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Group_size(group, &n));
    OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, n);
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    MPI_Session early, late;
    int flag = -1, result = -1;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &early));
    all_together(early, "tests://early");
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_COMM);
    check_init(&argc, &argv);
    OK(MPI_Initialized(&flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &late));
    all_together(late, "tests://late");
    all_together(early, "tests://early");
    // The two kinds of groups have the same processes.
    MPI_Group of_session, of_world;
    OK(MPI_Group_from_session_pset(late, "mpi://WORLD", &of_session));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &of_world));
    OK(MPI_Group_compare(of_session, of_world, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_free(&of_session));
    OK(MPI_Group_free(&of_world));
    OK(MPI_Session_finalize(&early));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    int code = MPI_Finalize();
    CHECK_EQ(code, MPI_SUCCESS);
    OK(MPI_Finalized(&flag));
    CHECK_EQ(flag, 1);
    all_together(late, "tests://after");
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_COMM);
    OK(MPI_Session_finalize(&late));
    // And once more, after everything has been finalised.
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &late));
    all_together(late, "tests://again");
    OK(MPI_Session_finalize(&late));
    return check_failures > 0;
}
