// SUM, PROD, MIN, MAX, logical and bitwise operations on every integer type.
// ranks: 1 2 3 4
#include "check.h"
#include "types.h"

enum { N = 37 };

// A value whose reductions fit in 8 bits and that differ between ranks and elements.
static long long at(int r, int i)
{
    return (r * 5 + i) % 4;
}

static long long expect(MPI_Op op, int i)
{
    long long v = at(0, i);
    int truth = v != 0;
    for (int r = 1; r < size; r++) {
        long long w = at(r, i);
        if (op == MPI_SUM)
            v += w;
        else if (op == MPI_PROD)
            v *= w;
        else if (op == MPI_MIN)
            v = w < v ? w : v;
        else if (op == MPI_MAX)
            v = w > v ? w : v;
        else if (op == MPI_BAND)
            v &= w;
        else if (op == MPI_BOR)
            v |= w;
        else if (op == MPI_BXOR)
            v ^= w;
        else if (op == MPI_LAND)
            truth = truth && w;
        else if (op == MPI_LOR)
            truth = truth || w;
        else
            truth = !truth != !w;
    }
    // A lone value is not touched, so it is not brought to 0 or 1 either.
    int is_logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
    return size > 1 && is_logical ? truth : v;
}

#define TEST(type, datatype)                                                                   \
    do {                                                                                       \
        type mine[N], got[N];                                                                  \
        int wrong = 0;                                                                         \
        for (int i = 0; i < N; i++)                                                            \
            mine[i] = (type)at(rank, i), got[i] = 99;                                          \
        OK(MPI_Allreduce(mine, got, N, datatype, ops[k], MPI_COMM_WORLD));                     \
        for (int i = 0; i < N; i++)                                                            \
            wrong += (long long)got[i] != expect(ops[k], i);                                   \
        if (wrong) {                                                                           \
            char text[100];                                                                    \
            snprintf(text, sizeof text, "%s with operation %d: %d wrong", #datatype, k, wrong); \
            check_failed(__FILE__, __LINE__, text);                                            \
        }                                                                                      \
    } while (0);

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_BAND,
                    MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
    for (int k = 0; k < 10; k++) {
        C_INTEGERS(TEST)
        // Logical operations are not defined for addresses, counts and offsets (section 6.9.2).
        if (ops[k] != MPI_LAND && ops[k] != MPI_LOR && ops[k] != MPI_LXOR) {
            MULTI_LANGUAGE(TEST)
        }
    }
    return check_done();
}
