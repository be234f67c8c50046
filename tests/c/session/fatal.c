// Without another error handler an error on a session ends the program and names the call.
// ranks: 1 2
// expect-exit: nonzero
// expect-stderr: MPI_Session_get_pset_info
#include "check.h"

int main(void)
{
    MPI_Session session;
    MPI_Info info;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info);
    printf("FAIL: still here\n");
    return 0;
}
