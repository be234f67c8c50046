// MPI_Init leaves the program's arguments alone, in number, text and order.
// ranks: 1 3
// args: one -two --three=3 -n 4
#include "check.h"

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static const char *const wanted[] = {"one", "-two", "--three=3", "-n", "4"};
    CHECK_EQ(argc, 6);
    for (int i = 1; i < argc && i < 6; i++)
        CHECK_STR(argv[i], wanted[i - 1]);
    CHECK(argv[argc] == NULL);
    return check_done();
}
