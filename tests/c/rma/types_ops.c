// Every predefined operation on every predefined type that it is defined for, on all flavours of
// windows. Accumulate and get-accumulate do what MPI_Reduce_local does; the rest is refused.
// ranks: 1 2
// timeout: 60
// mpich: it ends the job when an operation is not defined
#include "flavor.h"
#include "types.h"

enum { N = 11, BYTES = N * 32 };

static const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN,    MPI_MAX,    MPI_BAND,
                             MPI_BOR, MPI_BXOR, MPI_LAND,   MPI_LOR,    MPI_LXOR,
                             MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
enum { OPS = sizeof ops / sizeof *ops };

static const MPI_Datatype types[] = {
#define ROW(type, datatype) datatype,
    C_INTEGERS(ROW) MULTI_LANGUAGE(ROW) FLOATS(ROW) COMPLEXES(ROW) LOGICALS(ROW)
    CHARACTERS(ROW) BYTES(ROW) PAIRS(ROW) MPI_INTEGER, MPI_LOGICAL, MPI_DOUBLE_PRECISION
#undef ROW
};
enum { TYPES = sizeof types / sizeof *types };

// Small values that every type can hold, written as bytes of integers or by conversion.
static void fill(MPI_Datatype type, void *to, int seed)
{
    memset(to, 0, BYTES);
#define SET(ctype, datatype)                                                                   \
    if (type == datatype) {                                                                    \
        ctype *p = to;                                                                         \
        for (int i = 0; i < N; i++)                                                            \
            p[i] = (ctype)((i * 3 + seed * 5) % 7 % (type == MPI_C_BOOL ? 2 : 7));             \
        return;                                                                                \
    }
    C_INTEGERS(SET) MULTI_LANGUAGE(SET) FLOATS(SET) COMPLEXES(SET) LOGICALS(SET)
    CHARACTERS(SET) BYTES(SET)
#undef SET
#define PAIR(ctype, datatype)                                                                  \
    if (type == datatype) {                                                                    \
        struct {                                                                               \
            ctype value;                                                                       \
            int index;                                                                         \
        } *p = to;                                                                             \
        for (int i = 0; i < N; i++)                                                            \
            p[i].value = (ctype)((i * 3 + seed * 5) % 7), p[i].index = i + seed;               \
        return;                                                                                \
    }
    PAIRS(PAIR)
#undef PAIR
    if (type == MPI_DOUBLE_PRECISION)
        fill(MPI_DOUBLE, to, seed);
    else
        fill(MPI_INT, to, seed);
}

static int is_same(MPI_Datatype type, const void *a, const void *b)
{
    // Packed bytes: without the padding of pairs, which nobody has to copy.
    char left[BYTES], right[BYTES];
    int x = 0, y = 0;
    memset(left, 0, BYTES);
    memset(right, 0, BYTES);
    OK(MPI_Pack(a, N, type, left, BYTES, &x, MPI_COMM_SELF));
    OK(MPI_Pack(b, N, type, right, BYTES, &y, MPI_COMM_SELF));
    if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX) {
        // The six bytes behind the ten of an x87 number hold nothing.
        const long double *p = a, *q = b;
        for (int i = 0; i < N * (type == MPI_LONG_DOUBLE ? 1 : 2); i++)
            if (p[i] != q[i])
                return 0;
        return 1;
    }
    if (type == MPI_LONG_DOUBLE_INT) {
        const struct {
            long double value;
            int index;
        } *p = a, *q = b;
        for (int i = 0; i < N; i++)
            if (p[i].value != q[i].value || p[i].index != q[i].index)
                return 0;
        return 1;
    }
    return memcmp(left, right, BYTES) == 0;
}

static _Alignas(32) char in[BYTES], before[BYTES], old[BYTES], want[BYTES];

static void test(MPI_Op op, MPI_Datatype type, char *mine, MPI_Win win, int fetch)
{
    char text[300];
    fill(type, in, rank + 1);
    fill(type, before, 3);
    fill(type, mine, 3);
    memcpy(want, before, BYTES);
    // Rank 0's operand arrives at the last rank and so on; the expected value is the target's.
    char theirs[BYTES] __attribute__((aligned(32)));
    fill(type, theirs, previous_rank() + 1);
    int defined = 1;
    if (op == MPI_REPLACE)
        memcpy(want, theirs, BYTES);
    else if (op != MPI_NO_OP)
        defined = MPI_Reduce_local(theirs, want, N, type, op) == MPI_SUCCESS;
    memset(old, 0, BYTES);
    OK(MPI_Win_fence(0, win));
    int code;
    if (fetch)
        code = MPI_Get_accumulate(in, N, type, old, N, type, next_rank(), 0, N, type, op, win);
    else
        code = MPI_Accumulate(in, N, type, next_rank(), 0, N, type, op, win);
    OK(MPI_Win_fence(0, win));
    int right = defined ? code == MPI_SUCCESS : check_class_of(code) == MPI_ERR_OP;
    right = right && is_same(type, mine, defined ? want : before);
    if (defined && fetch)
        right = right && is_same(type, old, before);
    if (!right) {
        char name[MPI_MAX_OBJECT_NAME];
        int length;
        MPI_Type_get_name(type, name, &length);
        snprintf(text, sizeof text, "%s, operation %#x, fetch %d: code %d, old %d new %d", name,
                 (int)(intptr_t)op, fetch, code, is_same(type, old, before),
                 is_same(type, mine, want));
        check_failed(__FILE__, __LINE__, text);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        char *mine;
        MPI_Win win = make_window(flavor, BYTES, 1, &mine);
        for (int t = 0; t < TYPES; t++)
            for (int o = 0; o < OPS; o++)
                for (int fetch = 0; fetch < 2; fetch++)
                    test(ops[o], types[t], mine, win, fetch);
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        free_window(flavor, &win, mine);
    }
    return check_done();
}
