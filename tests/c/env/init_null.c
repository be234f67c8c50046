// MPI_Init(NULL, NULL), Initialized and Finalized at every stage of a program.
// ranks: 1 2 4
#include "check.h"

static void states(int initialized, int finalized)
{
    int flag = -1;
    CHECK_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
    CHECK_EQ(flag, initialized);
    flag = -1;
    CHECK_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
    CHECK_EQ(flag, finalized);
}

int main(void)
{
    states(0, 0);
    OK(MPI_Init(NULL, NULL));
    states(1, 0);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_GE(rank, 0);
    CHECK_LT(rank, size);
    int self_rank = -1, self_size = -1;
    OK(MPI_Comm_rank(MPI_COMM_SELF, &self_rank));
    OK(MPI_Comm_size(MPI_COMM_SELF, &self_size));
    CHECK_EQ(self_rank, 0);
    CHECK_EQ(self_size, 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    states(1, 1);
    return check_failures > 0;
}
