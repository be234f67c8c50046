// Collectives of intercommunicators: data goes from one group to the other (section 6.2.3).
// ranks: 2 3 4 8
#include "check.h"

static MPI_Comm inter;
static int low, mine, others, local;

static void rooted(void)
{
    // Both directions: the root is rank 0 of the low, then of the high side.
    for (int from_low = 1; from_low >= 0; from_low--) {
        int root_side = low == from_low, value = -1, all[8], sum = -1;
        int root = root_side ? (local == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
        value = root_side ? 77 : -1;
        OK(MPI_Bcast(&value, 1, MPI_INT, root, inter));
        CHECK_EQ(value, 77);
        OK(MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, inter));
        if (root == MPI_ROOT)
            for (int r = 0; r < others; r++)
                CHECK_EQ(all[r], low ? r + mine : r);
        for (int r = 0; r < 8; r++)
            all[r] = 100 + r;
        value = -1;
        OK(MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, root, inter));
        CHECK_EQ(value, root_side ? -1 : 100 + local);
        OK(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, inter));
        if (root == MPI_ROOT) {
            int want = 0;
            for (int r = 0; r < size; r++)
                want += (r < (size + 1) / 2) != low ? r : 0;
            CHECK_EQ(sum, want);
        }
    }
}

static void all_to_all(void)
{
    int all[8], out[8], in[8], counts[8], at[8], sum = -1, want = 0;
    OK(MPI_Barrier(inter));
    OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter));
    for (int r = 0; r < others; r++) {
        CHECK_EQ(all[r], low ? r + mine : r);
        want += all[r];
        out[r] = rank * 10 + r, counts[r] = 1, at[r] = others - 1 - r;
    }
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQ(sum, want);
    OK(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter));
    for (int r = 0; r < others; r++)
        CHECK_EQ(in[r], (low ? r + mine : r) * 10 + local);
    OK(MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, at, MPI_INT, inter));
    for (int r = 0; r < others; r++)
        CHECK_EQ(all[at[r]], low ? r + mine : r);
    // Each side reduces mine*others elements; the other side shares them out.
    int wide[64], block[8];
    for (int i = 0; i < mine * others; i++)
        wide[i] = rank + i;
    OK(MPI_Reduce_scatter_block(wide, block, others, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < others; i++) {
        int element = local * others + i;
        CHECK_EQ(block[i], want + others * element);
    }
}

static void nonblocking(void)
{
    MPI_Request requests[3];
    int all[8], sum = -1, value = low ? 5 : -1, want = 0;
    int root = low ? (local == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    OK(MPI_Ibcast(&value, 1, MPI_INT, root, inter, &requests[0]));
    OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, inter, &requests[1]));
    OK(MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter, &requests[2]));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    want = low ? size - 1 : others - 1;
    CHECK_EQ(value, 5);
    CHECK_EQ(sum, want);
    CHECK_EQ(all[others - 1], want);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm half;
    int first = (size + 1) / 2;
    low = rank < first, mine = low ? first : size - first, others = size - mine;
    local = low ? rank : rank - first;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? first : 0, 12, &inter));
    rooted();
    all_to_all();
    nonblocking();
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    return check_done();
}
