// A call before MPI_Init is an error that names the call; nothing crashes.
// ranks: 1
// expect-exit: nonzero
// expect-stderr: (MPI|internal)_Comm_rank
// expect-stderr: MPI_Init|before initializing
#include "check.h"

int main(void)
{
    int r;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    printf("FAIL: still here\n");
    return 0;
}
