// MPI_Init a second time is an error that names itself.
// ranks: 1
// expect-exit: nonzero
// expect-stderr: Init
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Init(&argc, &argv);
    printf("FAIL: still here\n");
    return 0;
}
