// The v and w collectives of intercommunicators, blocking and not.
// ranks: 3 4
#include "check.h"

static MPI_Comm inter;
static int low, mine, others, local, first;

static int world_of(int remote)
{
    return low ? remote + first : remote;
}

static void to_root(int from_low)
{
    int root_side = low == from_low, counts[4], at[4], all[64], data[8], total = 0;
    int root = root_side ? (local == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    for (int i = 0; i < 8; i++)
        data[i] = rank * 100 + i;
    for (int r = 0; r < others; r++)
        counts[r] = world_of(r) + 1, at[r] = total, total += counts[r] + 1;
    OK(MPI_Gatherv(data, rank + 1, MPI_INT, all, counts, at, MPI_INT, root, inter));
    for (int r = 0; root == MPI_ROOT && r < others; r++)
        for (int i = 0; i < counts[r]; i++)
            CHECK_EQ(all[at[r] + i], world_of(r) * 100 + i);
    for (int i = 0; i < 64; i++)
        all[i] = 5000 + i;
    memset(data, -1, sizeof data);
    OK(MPI_Scatterv(all, counts, at, MPI_INT, data, rank + 1, MPI_INT, root, inter));
    int start = 0;
    for (int r = 0; r < local; r++)
        start += (low ? r : r + first) + 2;
    for (int i = 0; !root_side && i < rank + 1; i++)
        CHECK_EQ(data[i], 5000 + start + i);
}

static void all_to_all(void)
{
    // To remote rank r: r + local + 1 numbers.
    int out[32], in[32], in_w[32], counts[4], at[4], bytes[4];
    MPI_Datatype types[4];
    MPI_Request requests[2];
    for (int r = 0; r < others; r++) {
        counts[r] = r + local + 1, at[r] = r * 8, bytes[r] = r * 32, types[r] = MPI_INT;
        for (int i = 0; i < 8; i++)
            out[r * 8 + i] = rank * 1000 + r * 100 + i;
    }
    OK(MPI_Alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, inter));
    OK(MPI_Ialltoallw(out, counts, bytes, types, in_w, counts, bytes, types, inter, &requests[0]));
    int sum = -1, want = 0, one = rank;
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int r = 0; r < others; r++) {
        want += world_of(r);
        for (int i = 0; i < counts[r]; i++) {
            CHECK_EQ(in[r * 8 + i], world_of(r) * 1000 + local * 100 + i);
            CHECK_EQ(in_w[r * 8 + i], in[r * 8 + i]);
        }
    }
    CHECK_EQ(sum, want);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Comm half;
    first = (size + 1) / 2, low = rank < first;
    mine = low ? first : size - first, others = size - mine, local = low ? rank : rank - first;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? first : 0, 3, &inter));
    to_root(0);
    to_root(1);
    all_to_all();
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    return check_done();
}
