// Neighbourhood collectives on a distributed graph with different in and out neighbours.
// ranks: 1 3 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    // Rank r sends to r+1 .. r+d and receives from r-1 .. r-d; counts grow with the distance.
    int d = size > 3 ? 3 : size, to[3], from[3], i, wrong = 0;
    for (i = 0; i < d; i++) {
        to[i] = (rank + i + 1) % size;
        from[i] = (rank + 4 * size - i - 1) % size;
    }
    MPI_Comm graph;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, d, from, MPI_UNWEIGHTED, d, to,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    int counts[3], at[3], out[3][300], in[3][300];
    for (i = 0; i < d; i++) {
        counts[i] = 100 * i; // none for the first
        at[i] = 300 * i;
        for (int k = 0; k < 300; k++)
            out[i][k] = rank * 10000 + i * 1000 + k, in[i][k] = -1;
    }
    OK(MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, graph));
    for (i = 0; i < d; i++)
        for (int k = 0; k < 300; k++)
            wrong += in[i][k] != (k < counts[i] ? from[i] * 10000 + i * 1000 + k : -1);
    CHECK_EQ(wrong, 0);
    // Two at once, on one communicator, with a barrier between.
    MPI_Request requests[3];
    int all[3] = {-1, -1, -1}, each[3] = {-1, -1, -1}, mine[3] = {rank, rank + 50, rank + 99};
    OK(MPI_Ineighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, graph, &requests[0]));
    OK(MPI_Ibarrier(graph, &requests[1]));
    OK(MPI_Ineighbor_alltoall(mine, 1, MPI_INT, each, 1, MPI_INT, graph, &requests[2]));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    static const int plus[3] = {0, 50, 99};
    for (i = 0; i < d; i++) {
        CHECK_EQ(all[i], from[i]);
        CHECK_EQ(each[i], from[i] + plus[i]);
    }
    OK(MPI_Comm_free(&graph));
    return check_done();
}
