// Cartesian topologies: create, coordinates and back, periods, shift, get, dimension counts.
// ranks: 1 4 6 8
#include "check.h"

static void grid(const int *dims, const int *periods, int reorder)
{
    MPI_Comm cart;
    int coords[2], back = -1, n = -1, status = -1, got_dims[2], got_periods[2], me = -1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &cart));
    if (cart == MPI_COMM_NULL) {
        CHECK_GE(rank, dims[0] * dims[1]);
        return;
    }
    OK(MPI_Comm_size(cart, &n));
    CHECK_EQ(n, dims[0] * dims[1]);
    OK(MPI_Comm_rank(cart, &me));
    OK(MPI_Topo_test(cart, &status));
    CHECK_EQ(status, MPI_CART);
    OK(MPI_Cartdim_get(cart, &n));
    CHECK_EQ(n, 2);
    OK(MPI_Cart_get(cart, 2, got_dims, got_periods, coords));
    CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1]);
    CHECK(!got_periods[0] == !periods[0] && !got_periods[1] == !periods[1]);
    // Row-major numbering.
    CHECK(coords[0] == me / dims[1] && coords[1] == me % dims[1]);
    for (int r = 0; r < dims[0] * dims[1]; r++) {
        OK(MPI_Cart_coords(cart, r, 2, coords));
        CHECK(coords[0] == r / dims[1] && coords[1] == r % dims[1]);
        OK(MPI_Cart_rank(cart, coords, &back));
        CHECK_EQ(back, r);
    }
    for (int d = 0; d < 2; d++) {
        for (int step = -3; step <= 3; step++) {
            int from = -9, to = -9;
            OK(MPI_Cart_shift(cart, d, step, &from, &to));
            for (int side = 0; side < 2; side++) {
                coords[0] = me / dims[1], coords[1] = me % dims[1];
                coords[d] += side ? step : -step;
                int outside = coords[d] < 0 || coords[d] >= dims[d], want = MPI_PROC_NULL;
                if (!outside || periods[d])
                    OK(MPI_Cart_rank(cart, coords, &want)); // wraps where periodic
                CHECK_EQ(side ? to : from, want);
            }
        }
    }
    OK(MPI_Comm_free(&cart));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int rows = 1; rows <= size; rows++) {
        if (size % rows)
            continue;
        int dims[2] = {rows, size / rows};
        for (int p = 0; p < 4; p++)
            grid(dims, (int[]){p & 1, p >> 1}, rows % 2);
    }
    if (size > 2)
        grid((int[]){1, size - 1}, (int[]){0, 1}, 0); // one rank is left out
    // No dimensions: one rank, the others get null.
    MPI_Comm point;
    int n = -1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point));
    CHECK_EQ(point == MPI_COMM_NULL, rank > 0);
    if (rank == 0) {
        OK(MPI_Cartdim_get(point, &n));
        CHECK_EQ(n, 0);
        OK(MPI_Comm_free(&point));
    }
    OK(MPI_Topo_test(MPI_COMM_WORLD, &n));
    CHECK_EQ(n, MPI_UNDEFINED);
    return check_done();
}
