// A call after MPI_Finalize is an error that names the call; nothing crashes.
// ranks: 1 2
// expect-exit: nonzero
// expect-stderr: (MPI|internal)_Send
// expect-stderr: (?i)finali[sz]
#include "check.h"

int main(int argc, char **argv)
{
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    printf("FAIL: still here\n");
    return 0;
}
