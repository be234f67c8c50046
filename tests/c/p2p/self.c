// A rank talks to itself: small and large, every order of posting, MPI_COMM_SELF too.
// ranks: 1 2
#include "check.h"

static void both(MPI_Comm comm, int me, int n)
{
    char *out = malloc(n + 1), *in = malloc(n + 1);
    MPI_Request request, other;
    MPI_Status status;
    pattern_fill(out, n, n);
    OK(MPI_Isend(out, n, MPI_BYTE, me, 1, comm, &request));
    OK(MPI_Recv(in, n, MPI_BYTE, me, 1, comm, &status));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(status.MPI_SOURCE, me);
    CHECK_PATTERN(in, n, n);
    memset(in, 0, n);
    OK(MPI_Irecv(in, n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
    OK(MPI_Ssend(out, n, MPI_BYTE, me, 2, comm));
    OK(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_TAG, 2);
    CHECK_PATTERN(in, n, n);
    memset(in, 0, n);
    OK(MPI_Irecv(in, n, MPI_BYTE, me, 3, comm, &request));
    OK(MPI_Rsend(out, n, MPI_BYTE, me, 3, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_PATTERN(in, n, n);
    memset(in, 0, n);
    OK(MPI_Issend(out, n, MPI_BYTE, me, 4, comm, &other));
    OK(MPI_Probe(me, 4, comm, &status));
    int count;
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, n);
    OK(MPI_Irecv(in, n, MPI_BYTE, me, 4, comm, &request));
    OK(MPI_Wait(&other, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_PATTERN(in, n, n);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 40, 8193, 70000, 4 << 20};
    for (int i = 0; i < 6; i++) {
        both(MPI_COMM_WORLD, rank, sizes[i]);
        both(MPI_COMM_SELF, 0, sizes[i]);
    }
    return check_done();
}
