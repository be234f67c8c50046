// Sessions without MPI_Init: several cycles, several at once, each with communicators of its own.
// ranks: 1 2 4
#include "check.h"

static MPI_Session open_one(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK_NE((intptr_t)session, (intptr_t)MPI_SESSION_NULL);
    return session;
}

static MPI_Comm comm_of(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    OK(MPI_Group_from_session_pset(session, set, &group));
    OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    return comm;
}

static void use(MPI_Comm comm)
{
    int me = -1, n = -1, sum = -1, got = -1;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, n * (n - 1) / 2);
    OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 3, &got, 1, MPI_INT, (me + n - 1) % n, 3, comm,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(got, (me + n - 1) % n);
    // More than fits in a ring, so that the end of a session meets large messages too.
    static char out[1 << 20], in[1 << 20];
    memset(out, me + 1, sizeof out);
    OK(MPI_Sendrecv(out, sizeof out, MPI_BYTE, (me + 1) % n, 4, in, sizeof in, MPI_BYTE,
                    (me + n - 1) % n, 4, comm, MPI_STATUS_IGNORE));
    CHECK_EQ(in[12345], (me + n - 1) % n + 1);
}

int main(void)
{
    int flag = -1, n = -1;
    for (int cycle = 0; cycle < 3; cycle++) {
        MPI_Session one = open_one(), two = open_one();
        CHECK_NE((intptr_t)one, (intptr_t)two);
        MPI_Comm a = comm_of(one, "mpi://WORLD", "tests://a");
        MPI_Comm b = comm_of(two, "mpi://WORLD", "tests://b");
        MPI_Comm self = comm_of(two, "mpi://SELF", "tests://self");
        OK(MPI_Comm_size(self, &n));
        CHECK_EQ(n, 1);
        use(a);
        use(b);
        use(self);
        OK(MPI_Comm_free(&a));
        OK(MPI_Session_finalize(&one));
        CHECK_SAME(one, MPI_SESSION_NULL);
        // The other one goes on.
        MPI_Comm copy;
        OK(MPI_Comm_dup(b, &copy));
        use(copy);
        OK(MPI_Comm_free(&copy));
        OK(MPI_Comm_free(&b));
        OK(MPI_Comm_free(&self));
        OK(MPI_Session_finalize(&two));
        // These two are about the world only.
        OK(MPI_Initialized(&flag));
        CHECK_EQ(flag, 0);
        OK(MPI_Finalized(&flag));
        CHECK_EQ(flag, 0);
    }
    return check_failures > 0;
}
