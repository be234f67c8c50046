// MPI_BOTTOM with absolute addresses: a struct type over several variables, also in collectives.
// ranks: 1 2 4
#include "check.h"

static int number;
static double reals[3];

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    char *text = calloc(1, 16);
    MPI_Aint at[3];
    int lengths[3] = {1, 3, 16};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, all;
    OK(MPI_Get_address(&number, &at[0]));
    OK(MPI_Get_address(reals, &at[1]));
    OK(MPI_Get_address(text, &at[2]));
    OK(MPI_Type_create_struct(3, lengths, at, types, &all));
    OK(MPI_Type_commit(&all));
    if (rank == 0) {
        number = 77;
        reals[0] = 1, reals[1] = 2, reals[2] = 3;
        strcpy(text, "from the bottom");
    }
    OK(MPI_Bcast(MPI_BOTTOM, 1, all, 0, MPI_COMM_WORLD));
    CHECK_EQ(number, 77);
    CHECK(reals[2] == 3);
    CHECK_STR(text, "from the bottom");
    number = rank;
    text[0] = (char)('a' + rank);
    MPI_Status status;
    OK(MPI_Sendrecv_replace(MPI_BOTTOM, 1, all, next_rank(), 3, previous_rank(), 3,
                            MPI_COMM_WORLD, &status));
    int count = -1;
    OK(MPI_Get_count(&status, all, &count));
    CHECK_EQ(count, 1);
    CHECK_EQ(number, previous_rank());
    CHECK_EQ(text[0], 'a' + previous_rank());
    OK(MPI_Type_free(&all));
    free(text);
    return check_done();
}
