// A root that broadcasts more than another rank expects is seen, at any size; the others get
// their data, and the next collective works.
// ranks: 2 4
#include "check.h"

static void mismatch(int at_root, int elsewhere)
{
    static char buf[200000];
    int code, sum = 0, one = 1;
    memset(buf, rank == 0 ? 5 : 0x33, sizeof buf);
    code = MPI_Bcast(buf, rank == size - 1 ? elsewhere : at_root, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == size - 1) {
        CHECK_CLASS(code, MPI_ERR_TRUNCATE);
        CHECK_EQ(buf[elsewhere], 0x33);
    }
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    mismatch(8, 4);
    mismatch(1000, 10);
    mismatch(100000, 99999);
    return check_done();
}
