// A process that leaves with a session open has not finished properly, and the launcher says so.
// ranks: 2
// expect-exit: nonzero
// mpich: its launcher does not mind
#include "check.h"

int main(void)
{
    MPI_Session session;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    return 0;
}
