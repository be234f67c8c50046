// Topology calls with bad arguments: each is refused with its class and nothing crashes.
// ranks: 1 4
// mpich: it has other classes for some, and crashes on null pointers
#include "check.h"

static void grids(void)
{
    MPI_Comm cart;
    int dims[2] = {size, 1}, periods[2] = {0, 0}, zero[2] = {0, 1}, n, m, two[2];
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &cart), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, NULL, periods, 0, &cart), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, NULL, 0, &cart), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, zero, periods, 0, &cart), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, NULL), MPI_ERR_ARG);
    int huge[3] = {2147483647, 2147483647, 2147483647}, none[3] = {0};
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 3, huge, none, 0, &cart), MPI_ERR_DIMS);
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    OK(MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN));
    two[0] = size, two[1] = 0;
    CHECK_CLASS(MPI_Cart_rank(cart, two, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_rank(cart, NULL, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_coords(cart, size, 2, two), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Cart_coords(cart, 0, 1, two), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_coords(cart, 0, 2, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_get(cart, 1, two, two, two), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_shift(cart, 2, 1, &n, &m), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_shift(cart, -1, 1, &n, &m), MPI_ERR_DIMS);
    OK(MPI_Cart_shift(cart, 0, 2147483647, &n, &m));
    CHECK(n == MPI_PROC_NULL && m == MPI_PROC_NULL);
    OK(MPI_Cart_shift(cart, 0, -2147483647 - 1, &n, &m));
    CHECK(n == MPI_PROC_NULL && m == MPI_PROC_NULL);
    CHECK_CLASS(MPI_Cart_sub(cart, NULL, &(MPI_Comm){0}), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graphdims_get(cart, &n, &m), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(cart, &n, &m, &two[0]), MPI_ERR_TOPOLOGY);
    OK(MPI_Comm_free(&cart));
    CHECK_CLASS(MPI_Cartdim_get(MPI_COMM_WORLD, &n), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Dims_create(0, 2, two), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dims_create(4, 2, NULL), MPI_ERR_ARG);
    OK(MPI_Cart_map(MPI_COMM_WORLD, 1, (int[]){1}, periods, &n));
    CHECK_EQ(n, rank == 0 ? 0 : MPI_UNDEFINED);
}

static void graphs(void)
{
    MPI_Comm graph;
    int n, index[2] = {1, 0}, edges[2] = {0, 0};
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, size + 1, index, edges, 0, &graph), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, -1, index, edges, 0, &graph), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, NULL, edges, 0, &graph), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){-1}, edges, 0, &graph), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){1}, 0, &graph),
                MPI_ERR_ARG);
    if (size > 1)
        CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph), MPI_ERR_ARG);
    OK(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &graph));
    CHECK_SAME(graph, MPI_COMM_NULL);
    OK(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){1}, edges, 0, &graph));
    if (rank == 0) {
        OK(MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN));
        CHECK_CLASS(MPI_Graph_neighbors_count(graph, 1, &n), MPI_ERR_RANK);
        CHECK_CLASS(MPI_Graph_neighbors(graph, 0, 0, &n), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Graph_get(graph, 0, 1, index, edges), MPI_ERR_ARG);
        OK(MPI_Comm_free(&graph));
    }
}

static void distributed(void)
{
    MPI_Comm graph;
    int far[1] = {size}, minus[1] = {-5}, zero[1] = {0}, weights[3] = {-1, -1, -1}, in[3];
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, NULL, MPI_UNWEIGHTED, 0, NULL,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, far, MPI_UNWEIGHTED, 0, NULL,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zero, minus, 0, NULL,
                                               MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zero, zero, 1, zero,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zero, MPI_WEIGHTS_EMPTY, 0,
                                               NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, minus, zero, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &graph), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, far, zero, zero, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &graph), MPI_ERR_RANK);
    // Some with and some without weights: all are told.
    if (size > 1)
        CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (int[]){1}, zero,
                                          rank ? MPI_UNWEIGHTED : zero, MPI_INFO_NULL, 0, &graph),
                    MPI_ERR_ARG);
    // A star whose edges the ends declare; only the first part is asked for, without weights.
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (int[]){1}, zero, (int[]){rank + 3},
                             MPI_INFO_NULL, 0, &graph));
    OK(MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN));
    int ins, outs, weighted, n = rank == 0 ? size : 0, out = -1, out_weight = -1;
    OK(MPI_Dist_graph_neighbors_count(graph, &ins, &outs, &weighted));
    CHECK(ins == n && outs == 1 && weighted);
    OK(MPI_Dist_graph_neighbors(graph, 1, in, MPI_UNWEIGHTED, 1, &out, &out_weight));
    CHECK(out == 0 && out_weight == rank + 3);
    OK(MPI_Dist_graph_neighbors(graph, n < 3 ? n : 3, in, weights, 0, NULL, NULL));
    for (int i = 0; i < 3 && i < n; i++)
        CHECK(in[i] == i && weights[i] == i + 3);
    if (n > 0)
        CHECK_CLASS(MPI_Dist_graph_neighbors(graph, 1, NULL, weights, 0, NULL, NULL),
                    MPI_ERR_ARG);
    OK(MPI_Comm_free(&graph));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    grids();
    graphs();
    distributed();
    return check_done();
}
