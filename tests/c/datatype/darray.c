// MPI_Type_create_darray: block, cyclic and undistributed dimensions; the parts of all ranks
// together are the whole array, each element once, in the right order.
// ranks: 1 4
#include "check.h"

enum { ROWS = 11, COLUMNS = 13 };

// The process of dimension coordinate that owns index i.
static int owner(int i, int n, int distribution, int argument, int procs)
{
    if (distribution == MPI_DISTRIBUTE_NONE)
        return 0;
    if (distribution == MPI_DISTRIBUTE_BLOCK) {
        int block = argument == MPI_DISTRIBUTE_DFLT_DARG ? (n + procs - 1) / procs : argument;
        return i / block;
    }
    int block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
    return i / block % procs;
}

static void one(int order, const int *distribution, const int *argument, const int *procs)
{
    int sizes[2] = {ROWS, COLUMNS}, array[ROWS * COLUMNS], out[ROWS * COLUMNS], n = 0, wrong = 0;
    int processes = procs[0] * procs[1], position = 0, bytes = 0;
    MPI_Aint low, extent;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        array[i] = i;
    for (int p = 0; p < processes; p++) {
        MPI_Datatype type;
        OK(MPI_Type_create_darray(processes, p, 2, sizes, distribution, argument, procs, order,
                                  MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        OK(MPI_Type_size(type, &bytes));
        OK(MPI_Type_get_extent(type, &low, &extent));
        CHECK_EQ(low, 0);
        CHECK_EQ(extent, sizeof array);
        position = 0;
        OK(MPI_Pack(array, 1, type, out, sizeof out, &position, MPI_COMM_SELF));
        CHECK_EQ(position, bytes);
        // Walk the array in memory order; ranks of the process grid are always row-major.
        int k = 0;
        for (int at = 0; at < ROWS * COLUMNS; at++) {
            int row = order == MPI_ORDER_C ? at / COLUMNS : at % ROWS;
            int column = order == MPI_ORDER_C ? at % COLUMNS : at / ROWS;
            int mine = owner(row, ROWS, distribution[0], argument[0], procs[0]) * procs[1] +
                       owner(column, COLUMNS, distribution[1], argument[1], procs[1]);
            if (mine == p)
                wrong += k >= bytes / 4 || out[k] != at, k++;
        }
        CHECK_EQ(k * 4, bytes);
        n += bytes;
        OK(MPI_Type_free(&type));
    }
    CHECK_EQ(n, sizeof array);
    CHECK_EQ(wrong, 0);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int kinds[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                                 MPI_DISTRIBUTE_NONE};
    for (int first = 0; first < 3; first++) {
        for (int second = 0; second < 3; second++) {
            int distribution[2] = {kinds[first], kinds[second]};
            int procs[2] = {first == 2 ? 1 : 2, second == 2 ? 1 : 3};
            int defaults[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
            int blocks[2] = {first == 0 ? 7 : first == 1 ? 3 : MPI_DISTRIBUTE_DFLT_DARG,
                             second == 0 ? 5 : second == 1 ? 2 : MPI_DISTRIBUTE_DFLT_DARG};
            one(MPI_ORDER_C, distribution, defaults, procs);
            one(MPI_ORDER_C, distribution, blocks, procs);
            one(MPI_ORDER_FORTRAN, distribution, defaults, procs);
            one(MPI_ORDER_FORTRAN, distribution, blocks, procs);
        }
    }
    return check_done();
}
