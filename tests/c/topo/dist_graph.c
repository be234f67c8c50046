// MPI_Dist_graph_create_adjacent and MPI_Dist_graph_create: neighbours, weights, and edges that
// other ranks declare.
// ranks: 1 4 8
#include "check.h"

static void check_neighbours(MPI_Comm graph, int want_weighted)
{
    int in = -1, out = -1, weighted = -1, from[2], to[2], from_weight[2], to_weight[2], kind;
    OK(MPI_Topo_test(graph, &kind));
    CHECK_EQ(kind, MPI_DIST_GRAPH);
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_EQ(in, 2);
    CHECK_EQ(out, 2);
    CHECK_EQ(!weighted, !want_weighted);
    OK(MPI_Dist_graph_neighbors(graph, 2, from, from_weight, 2, to, to_weight));
    int back = previous_rank(), two_back = (rank + size * 2 - 2) % size;
    int next = next_rank(), two_on = (rank + 2) % size;
    CHECK((from[0] == back && from[1] == two_back) || (from[1] == back && from[0] == two_back));
    CHECK((to[0] == next && to[1] == two_on) || (to[1] == next && to[0] == two_on));
    if (want_weighted) {
        for (int i = 0; i < 2; i++) {
            int step = (rank - from[i] + size) % size;
            CHECK(size < 4 || from_weight[i] == step * 10);
        }
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm graph;
    int from[2] = {previous_rank(), (rank + size * 2 - 2) % size};
    int to[2] = {next_rank(), (rank + 2) % size}, weights[2] = {10, 20};
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, weights, 2, to, weights,
                                      MPI_INFO_NULL, 0, &graph));
    check_neighbours(graph, 1);
    OK(MPI_Comm_free(&graph));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    check_neighbours(graph, 0);
    OK(MPI_Comm_free(&graph));
    // Each rank declares its own out-edges.
    int degree = 2;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, to, weights, MPI_INFO_NULL, 0,
                             &graph));
    check_neighbours(graph, 1);
    OK(MPI_Comm_free(&graph));
    // Rank 0 declares those of all; the others nothing.
    int sources[8], degrees[8], targets[16], all_weights[16];
    for (int r = 0; r < size; r++) {
        sources[r] = r, degrees[r] = 2;
        targets[2 * r] = (r + 1) % size, targets[2 * r + 1] = (r + 2) % size;
        all_weights[2 * r] = 10, all_weights[2 * r + 1] = 20;
    }
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, rank ? 0 : size, sources, degrees, targets,
                             all_weights, MPI_INFO_NULL, 0, &graph));
    check_neighbours(graph, 1);
    OK(MPI_Comm_free(&graph));
    // No neighbours at all.
    int in = -1, out = -1, weighted = -1;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                      MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_EQ(in, 0);
    CHECK_EQ(out, 0);
    OK(MPI_Neighbor_alltoall(&in, 1, MPI_INT, &out, 1, MPI_INT, graph));
    OK(MPI_Comm_free(&graph));
    return check_done();
}
