// Derived datatypes at the origin and at the target: put and get against pack and unpack, and
// accumulates with holes, for vectors, indexed, struct, subarray and resized types.
// ranks: 1 2 4
#include "flavor.h"

enum { TYPES = 7, BYTES = 16384 };

static MPI_Datatype types[TYPES];

static void make_types(void)
{
    int lengths[] = {1, 3, 2}, displs[] = {9, 0, 5};
    int sizes[] = {6, 8}, parts[] = {3, 4}, starts[] = {2, 1};
    MPI_Aint bytes[] = {8, 0, 40};
    MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT, MPI_SHORT}, inner;
    OK(MPI_Type_contiguous(12, MPI_INT, &types[0]));
    OK(MPI_Type_vector(4, 3, 5, MPI_INT, &types[1]));
    OK(MPI_Type_indexed(3, (int[]){5, 3, 4}, (int[]){20, 0, 10}, MPI_INT, &types[2]));
    OK(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &types[3]));
    OK(MPI_Type_contiguous(1, MPI_INT, &inner));
    OK(MPI_Type_create_resized(inner, 0, 12, &types[4]));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_vector(3, 2, -4, MPI_INT, &inner));
    OK(MPI_Type_create_hindexed(1, (int[]){2}, (MPI_Aint[]){64}, inner, &types[5]));
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_create_struct(3, lengths, bytes, members, &types[6]));
    (void)displs;
    for (int i = 0; i < TYPES; i++)
        OK(MPI_Type_commit(&types[i]));
}

// All but the struct (26 bytes) hold a multiple of 4 bytes that divides 48: as many as make 48.
static int count_of(int type)
{
    int bytes;
    OK(MPI_Type_size(types[type], &bytes));
    return type == 6 ? 1 : 48 / bytes;
}

static void transfer(MPI_Win win, unsigned char *mine, int from, int into)
{
    static unsigned char origin[4096], expected[4096], packed[64];
    int n = count_of(from), m = count_of(into), at = 0, back = 0;
    if ((from == 6) != (into == 6))
        return;
    pattern_fill(origin, sizeof origin, from + 10 * rank);
    pattern_fill(mine, 2048, 77);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(origin, n, types[from], next_rank(), 128, m, types[into], win));
    OK(MPI_Win_fence(0, win));
    // What the previous rank has put here, by way of pack and unpack.
    pattern_fill(origin, sizeof origin, from + 10 * previous_rank());
    pattern_fill(expected, sizeof expected, 77);
    OK(MPI_Pack(origin, n, types[from], packed, sizeof packed, &at, MPI_COMM_SELF));
    OK(MPI_Unpack(packed, at, &back, expected + 128, m, types[into], MPI_COMM_SELF));
    CHECK(memcmp(mine, expected, 2048) == 0);
    // And back again.
    memset(origin, 0, sizeof origin);
    memset(expected, 0, sizeof expected);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(origin, n, types[from], rank, 128, m, types[into], win));
    OK(MPI_Win_fence(0, win));
    back = 0;
    OK(MPI_Unpack(packed, at, &back, expected, n, types[from], MPI_COMM_SELF));
    CHECK(memcmp(origin, expected, sizeof origin) == 0);
}

static void accumulate(MPI_Win win, int *mine, int from, int into)
{
    int origin[256], old[256], expected[256] = {0}, packed[12], back = 0, at = 0;
    for (int i = 0; i < 256; i++)
        origin[i] = i, old[i] = -1, mine[i] = 1000 + i, expected[i] = 1000 + i;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(origin, count_of(from), types[from], next_rank(), 128, count_of(into),
                      types[into], MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    int sum[256] = {0}, ones[256] = {0};
    OK(MPI_Pack(origin, count_of(from), types[from], packed, sizeof packed, &at, MPI_COMM_SELF));
    OK(MPI_Unpack(packed, at, &back, sum + 32, count_of(into), types[into], MPI_COMM_SELF));
    for (int i = 0; i < 256; i++)
        CHECK_EQ(mine[i], expected[i] + sum[i]);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get_accumulate(ones, 12, MPI_INT, old, count_of(from), types[from], next_rank(), 128,
                          count_of(into), types[into], MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    // The old values came in the layout of the origin's type.
    int values[12];
    at = 0;
    OK(MPI_Pack(old, count_of(from), types[from], values, sizeof values, &at, MPI_COMM_SELF));
    at = 0;
    int there[12];
    OK(MPI_Pack(mine + 32, count_of(into), types[into], there, sizeof there, &at, MPI_COMM_SELF));
    CHECK(memcmp(values, there, sizeof there) == 0);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    make_types();
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        unsigned char *mine;
        MPI_Win win = make_window(flavor, BYTES, 1, &mine);
        for (int from = 0; from < TYPES; from++) {
            for (int into = 0; into < TYPES; into++) {
                transfer(win, mine, from, into);
                if (from < 6 && into < 6)
                    accumulate(win, (int *)mine, from, into);
            }
        }
        int value = 0;
        OK(MPI_Win_fence(0, win));
        if (is_starling()) {
            CHECK_CLASS(MPI_Accumulate(mine, 1, types[6], rank, 0, 1, types[6], MPI_SUM, win),
                        MPI_ERR_TYPE);
            CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, rank, 0, 1, MPI_FLOAT, MPI_SUM, win),
                        MPI_ERR_TYPE);
        }
        OK(MPI_Win_fence(0, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        free_window(flavor, &win, mine);
    }
    for (int i = 0; i < TYPES; i++)
        OK(MPI_Type_free(&types[i]));
    return check_done();
}
