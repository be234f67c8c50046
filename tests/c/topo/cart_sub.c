// MPI_Cart_sub: rows, columns, single ranks; the parts keep their topology; MPI_Cart_map; dup.
// ranks: 6 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int dims[2] = {2, size / 2}, periods[2] = {0, 1}, coords[2], n = -1, me = -1, sum = 0;
    MPI_Comm cart, row, column, single, copy;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    OK(MPI_Comm_rank(cart, &me));
    OK(MPI_Cart_coords(cart, me, 2, coords));
    OK(MPI_Cart_sub(cart, (int[]){0, 1}, &row));
    OK(MPI_Cart_sub(cart, (int[]){1, 0}, &column));
    OK(MPI_Cart_sub(cart, (int[]){0, 0}, &single));
    int at, dim, period, part_rank;
    OK(MPI_Cartdim_get(row, &n));
    CHECK_EQ(n, 1);
    OK(MPI_Cart_get(row, 1, &dim, &period, &at));
    CHECK(dim == size / 2 && period == 1 && at == coords[1]);
    OK(MPI_Comm_rank(row, &part_rank));
    CHECK_EQ(part_rank, coords[1]);
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, row));
    int want = 0;
    for (int c = 0; c < size / 2; c++)
        want += coords[0] * (size / 2) + c;
    CHECK_EQ(sum, want);
    OK(MPI_Comm_size(column, &n));
    CHECK_EQ(n, 2);
    OK(MPI_Comm_size(single, &n));
    CHECK_EQ(n, 1);
    OK(MPI_Cartdim_get(single, &n));
    CHECK_EQ(n, 0);
    OK(MPI_Comm_dup(cart, &copy)); // a copy keeps the topology
    OK(MPI_Topo_test(copy, &n));
    CHECK_EQ(n, MPI_CART);
    int mapped = -5;
    OK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &mapped));
    CHECK(mapped >= 0 && mapped < size);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&single));
    OK(MPI_Comm_free(&column));
    OK(MPI_Comm_free(&row));
    OK(MPI_Comm_free(&cart));
    return check_done();
}
