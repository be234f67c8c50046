// MPI_MINLOC and MPI_MAXLOC on every pair type; equal values give the lowest index.
// ranks: 1 2 3 4 8
#include "check.h"
#include "types.h"

enum { N = 40 };

static int at(int r, int i)
{
    return (r * 7 + i * 3) % 5;
}

static void expect(int i, int maximum, int *value, int *index)
{
    *value = at(0, i), *index = 0;
    for (int r = 1; r < size; r++) {
        int w = at(r, i);
        if (maximum ? w > *value : w < *value)
            *value = w, *index = r;
    }
}

#define TEST(type, datatype)                                                                   \
    for (int maximum = 0; maximum < 2; maximum++) {                                            \
        struct {                                                                               \
            type value;                                                                        \
            int index;                                                                         \
        } mine[N], got[N];                                                                     \
        MPI_Aint low, extent;                                                                  \
        int wrong = 0, bytes = 0;                                                              \
        OK(MPI_Type_get_extent(datatype, &low, &extent));                                      \
        CHECK_EQ(extent, sizeof mine[0]);                                                      \
        OK(MPI_Type_size(datatype, &bytes));                                                   \
        CHECK_EQ(bytes, sizeof(type) + sizeof(int));                                           \
        for (int i = 0; i < N; i++)                                                            \
            mine[i].value = (type)at(rank, i), mine[i].index = rank;                           \
        OK(MPI_Allreduce(mine, got, N, datatype, maximum ? MPI_MAXLOC : MPI_MINLOC,            \
                         MPI_COMM_WORLD));                                                     \
        for (int i = 0; i < N; i++) {                                                          \
            int value, index;                                                                  \
            expect(i, maximum, &value, &index);                                                \
            wrong += got[i].value != (type)value || got[i].index != index;                     \
        }                                                                                      \
        if (wrong)                                                                             \
            check_failed(__FILE__, __LINE__, #datatype);                                       \
    }

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    PAIRS(TEST)
    return check_done();
}
