// SUM, PROD, MIN, MAX on floating-point types; SUM and PROD on complex; logicals on bool;
// bitwise on bytes.
// ranks: 1 2 3 4
#include "check.h"
#include "types.h"

enum { N = 33 };

static double at(int r, int i)
{
    return ((r * 3 + i) % 5 - 2) * 0.5;
}

static double expect(int k, int i)
{
    double v = at(0, i);
    for (int r = 1; r < size; r++) {
        double w = at(r, i);
        v = k == 0 ? v + w : k == 1 ? v * w : k == 2 ? fmin(v, w) : fmax(v, w);
    }
    return v;
}

static void report(int wrong, const char *datatype, int k, int line)
{
    char text[100];
    snprintf(text, sizeof text, "%s with operation %d: %d wrong", datatype, k, wrong);
    if (wrong)
        check_failed(__FILE__, line, text);
}

#define REAL(type, datatype)                                                                   \
    for (int k = 0; k < 4; k++) {                                                              \
        type mine[N], got[N];                                                                  \
        int wrong = 0;                                                                         \
        for (int i = 0; i < N; i++)                                                            \
            mine[i] = (type)at(rank, i), got[i] = 99;                                          \
        OK(MPI_Allreduce(mine, got, N, datatype, ops[k], MPI_COMM_WORLD));                     \
        for (int i = 0; i < N; i++)                                                            \
            wrong += got[i] != (type)expect(k, i);                                             \
        report(wrong, #datatype, k, __LINE__);                                                 \
    }

#define COMPLEX(type, datatype)                                                                \
    for (int k = 0; k < 2; k++) {                                                              \
        type mine[N], got[N], want;                                                            \
        int wrong = 0;                                                                         \
        for (int i = 0; i < N; i++)                                                            \
            mine[i] = (type)(at(rank, i) + I * at(rank, i + 1)), got[i] = 99;                  \
        OK(MPI_Allreduce(mine, got, N, datatype, ops[k], MPI_COMM_WORLD));                     \
        for (int i = 0; i < N; i++) {                                                          \
            want = (type)(at(0, i) + I * at(0, i + 1));                                        \
            for (int r = 1; r < size; r++) {                                                   \
                type w = (type)(at(r, i) + I * at(r, i + 1));                                  \
                want = k ? want * w : want + w;                                                \
            }                                                                                  \
            wrong += got[i] != want;                                                           \
        }                                                                                      \
        report(wrong, #datatype, k, __LINE__);                                                 \
    }

static void bools(void)
{
    MPI_Op logical[3] = {MPI_LAND, MPI_LOR, MPI_LXOR};
    for (int k = 0; k < 3; k++) {
        _Bool mine[4], got[4];
        int wrong = 0;
        for (int i = 0; i < 4; i++)
            mine[i] = (rank + i) % (i + 1) == 0;
        OK(MPI_Allreduce(mine, got, 4, MPI_C_BOOL, logical[k], MPI_COMM_WORLD));
        for (int i = 0; i < 4; i++) {
            int want = i % (i + 1) == 0;
            for (int r = 1; r < size; r++) {
                int w = (r + i) % (i + 1) == 0;
                want = k == 0 ? want && w : k == 1 ? want || w : want != w;
            }
            wrong += got[i] != want;
        }
        report(wrong, "MPI_C_BOOL", k, __LINE__);
    }
}

static void bytes(void)
{
    MPI_Op bitwise[3] = {MPI_BAND, MPI_BOR, MPI_BXOR};
    for (int k = 0; k < 3; k++) {
        unsigned char mine[256], got[256];
        int wrong = 0;
        for (int i = 0; i < 256; i++)
            mine[i] = (unsigned char)(i + rank * 77);
        OK(MPI_Allreduce(mine, got, 256, MPI_BYTE, bitwise[k], MPI_COMM_WORLD));
        for (int i = 0; i < 256; i++) {
            unsigned char want = (unsigned char)i;
            for (int r = 1; r < size; r++) {
                unsigned char w = (unsigned char)(i + r * 77);
                want = k == 0 ? want & w : k == 1 ? want | w : want ^ w;
            }
            wrong += got[i] != want;
        }
        report(wrong, "MPI_BYTE", k, __LINE__);
    }
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Op ops[4] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    FLOATS(REAL)
    COMPLEXES(COMPLEX)
    bools();
    bytes();
    return check_done();
}
