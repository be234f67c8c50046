// Thousands of communicators one after another, hundreds at once: contexts are given back.
// ranks: 2 4
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int i = 0; i < 3000; i++) {
        MPI_Comm one;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &one));
        if (i % 100 == 0) {
            int sum = 0;
            OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, one));
            CHECK_EQ(sum, i * size);
        }
        OK(MPI_Comm_free(&one));
    }
    enum { N = 500 };
    MPI_Comm all[N];
    for (int i = 0; i < N; i++)
        OK(MPI_Comm_dup(i ? all[i - 1] : MPI_COMM_WORLD, &all[i]));
    // All carry messages of their own.
    MPI_Request requests[N];
    int out[N], in;
    for (int i = 0; i < N; i++) {
        out[i] = i * 10 + rank;
        OK(MPI_Isend(&out[i], 1, MPI_INT, next_rank(), 0, all[i], &requests[i]));
    }
    for (int i = N - 1; i >= 0; i--) {
        OK(MPI_Recv(&in, 1, MPI_INT, previous_rank(), 0, all[i], MPI_STATUS_IGNORE));
        CHECK_EQ(in, i * 10 + previous_rank());
    }
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        OK(MPI_Comm_free(&all[(i * 7) % N]));
    return check_done();
}
