// MPI_Graph_create and its inquiries: a ring with a chord, all neighbours as given.
// ranks: 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    int index[8], edges[32], n = 0, reordered = 0;
    // Each node is joined to both neighbours of the ring; 0 and 2 to each other.
    for (int r = 0; r < size; r++) {
        edges[n++] = (r + 1) % size;
        edges[n++] = (r + size - 1) % size;
        if (r == 0)
            edges[n++] = 2;
        if (r == 2)
            edges[n++] = 0;
        index[r] = n;
    }
    MPI_Comm graph;
    OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, reordered, &graph));
    int kind = -1, nodes = -1, links = -1, got_index[8], got_edges[32], count = -1, list[8];
    OK(MPI_Topo_test(graph, &kind));
    CHECK_EQ(kind, MPI_GRAPH);
    OK(MPI_Graphdims_get(graph, &nodes, &links));
    CHECK_EQ(nodes, size);
    CHECK_EQ(links, n);
    OK(MPI_Graph_get(graph, size, n, got_index, got_edges));
    CHECK(memcmp(index, got_index, size * sizeof(int)) == 0);
    CHECK(memcmp(edges, got_edges, n * sizeof(int)) == 0);
    for (int r = 0; r < size; r++) {
        int start = r ? index[r - 1] : 0;
        OK(MPI_Graph_neighbors_count(graph, r, &count));
        CHECK_EQ(count, index[r] - start);
        OK(MPI_Graph_neighbors(graph, r, 8, list));
        CHECK(memcmp(list, edges + start, count * sizeof(int)) == 0);
    }
    int mapped = -1;
    OK(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &mapped));
    CHECK(mapped >= 0 && mapped < size);
    // Exchange with the neighbours.
    int got[3], start = rank ? index[rank - 1] : 0;
    OK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph));
    for (int i = 0; i < index[rank] - start; i++)
        CHECK_EQ(got[i], edges[start + i]);
    OK(MPI_Comm_free(&graph));
    // A graph over some of the ranks only.
    OK(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &graph));
    CHECK_EQ(graph == MPI_COMM_NULL, rank >= 2);
    if (rank < 2)
        OK(MPI_Comm_free(&graph));
    return check_done();
}
