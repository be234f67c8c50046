// An intercommunicator out of two groups of a session, without MPI_Init.
// ranks: 2 4
#include "check.h"

int main(void)
{
    MPI_Session session;
    MPI_Group all, low, high;
    MPI_Comm inter;
    int n = -1, me = -1, got = -1;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    OK(MPI_Group_size(all, &n));
    OK(MPI_Group_rank(all, &me));
    int first[1][3] = {{0, n / 2 - 1, 1}}, is_low = me < n / 2;
    OK(MPI_Group_range_incl(all, 1, first, &low));
    OK(MPI_Group_range_excl(all, 1, first, &high));
    OK(MPI_Intercomm_create_from_groups(is_low ? low : high, 0, is_low ? high : low, 0,
                                        "tests://inter", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                        &inter));
    int partner = is_low ? me : me - n / 2;
    OK(MPI_Sendrecv(&me, 1, MPI_INT, partner, 0, &got, 1, MPI_INT, partner, 0, inter,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(got, is_low ? me + n / 2 : me - n / 2);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&low));
    OK(MPI_Group_free(&high));
    OK(MPI_Session_finalize(&session));
    return check_failures > 0;
}
