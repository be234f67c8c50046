// MPI_Dims_create: balanced, non-increasing, given dimensions kept, impossible ones refused.
// ranks: 1
#include "check.h"

static void one(int nodes, int d, const int *given, const int *want)
{
    int dims[5];
    memcpy(dims, given, d * sizeof(int));
    OK(MPI_Dims_create(nodes, d, dims));
    if (memcmp(dims, want, d * sizeof(int)) != 0) {
        char text[120];
        snprintf(text, sizeof text, "%d nodes: %d %d %d", nodes, dims[0], d > 1 ? dims[1] : 0,
                 d > 2 ? dims[2] : 0);
        check_failed(__FILE__, __LINE__, text);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int free_dims[5] = {0};
    // The table of the standard, section 8.5.2.
    one(6, 2, free_dims, (int[]){3, 2});
    one(7, 2, free_dims, (int[]){7, 1});
    one(6, 3, (int[]){0, 3, 0}, (int[]){2, 3, 1});
    int dims[3] = {0, 3, 0};
    CHECK_CLASS2(MPI_Dims_create(7, 3, dims), MPI_ERR_DIMS, MPI_ERR_ARG);
    one(16, 2, free_dims, (int[]){4, 4});
    one(64, 3, free_dims, (int[]){4, 4, 4});
    one(1, 3, free_dims, (int[]){1, 1, 1});
    one(12, 2, free_dims, (int[]){4, 3});
    one(5, 1, free_dims, (int[]){5});
    one(36, 2, (int[]){0, 9}, (int[]){4, 9});
    for (int nodes = 1; nodes <= 300; nodes++) {
        for (int d = 1; d <= 4; d++) {
            int got[4] = {0}, product = 1;
            OK(MPI_Dims_create(nodes, d, got));
            for (int i = 0; i < d; i++) {
                product *= got[i];
                CHECK(i == 0 || got[i] <= got[i - 1]);
            }
            CHECK_EQ(product, nodes);
        }
    }
    int negative[2] = {-2, 0};
    CHECK_CLASS2(MPI_Dims_create(4, 2, negative), MPI_ERR_DIMS, MPI_ERR_ARG);
    return check_done();
}
