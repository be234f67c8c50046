// Checks for the test programs: each prints what differs and where, and is counted; the program
// then exits with 1. Included by every program below tests/c; relies on nothing but mpi.h.
#ifndef STARLING_TESTS_CHECK_H
#define STARLING_TESTS_CHECK_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

// Rank and size in MPI_COMM_WORLD, set by check_init.
static int rank UNUSED = -1, size UNUSED = -1;
static int check_failures UNUSED = 0;

UNUSED static void check_failed(const char *file, int line, const char *text)
{
    const char *name = strrchr(file, '/');
    fprintf(stderr, "FAIL %s:%d: rank %d: %s\n", name ? name + 1 : file, line, rank, text);
    fflush(stderr);
    if (__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) >= 20) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        _exit(1);
    }
}

// The condition holds.
#define CHECK(cond)                                                                            \
    do {                                                                                       \
        if (!(cond))                                                                           \
            check_failed(__FILE__, __LINE__, #cond);                                           \
    } while (0)

#define CHECK_COMPARE(a, op, b)                                                                \
    do {                                                                                       \
        long long check_a = (long long)(a), check_b = (long long)(b);                          \
        if (!(check_a op check_b)) {                                                           \
            char check_text[400];                                                              \
            snprintf(check_text, sizeof check_text, "%s " #op " %s, but they are %lld and %lld", \
                     #a, #b, check_a, check_b);                                                \
            check_failed(__FILE__, __LINE__, check_text);                                      \
        }                                                                                      \
    } while (0)

// Two integers (or handles) compare so.
#define CHECK_EQ(a, b) CHECK_COMPARE(a, ==, b)
#define CHECK_NE(a, b) CHECK_COMPARE(a, !=, b)
#define CHECK_LE(a, b) CHECK_COMPARE(a, <=, b)
#define CHECK_LT(a, b) CHECK_COMPARE(a, <, b)
#define CHECK_GE(a, b) CHECK_COMPARE(a, >=, b)

// Two handles are the same.
#define CHECK_SAME(a, b) CHECK_EQ((intptr_t)(a), (intptr_t)(b))

// Two floating-point numbers differ by no more than `tolerance`.
#define CHECK_NEAR(a, b, tolerance)                                                            \
    do {                                                                                       \
        double check_a = (double)(a), check_b = (double)(b);                                   \
        if (!(fabs(check_a - check_b) <= (tolerance))) {                                       \
            char check_text[400];                                                              \
            snprintf(check_text, sizeof check_text, "%s ~ %s, but they are %.17g and %.17g", #a, \
                     #b, check_a, check_b);                                                    \
            check_failed(__FILE__, __LINE__, check_text);                                      \
        }                                                                                      \
    } while (0)

// Two strings are equal.
#define CHECK_STR(a, b)                                                                        \
    do {                                                                                       \
        const char *check_a = (a), *check_b = (b);                                             \
        if (strcmp(check_a, check_b) != 0) {                                                   \
            char check_text[900];                                                              \
            snprintf(check_text, sizeof check_text,                                            \
                     "%s == %s, but they are '%.200s' and '%.200s'", #a, #b, check_a, check_b); \
            check_failed(__FILE__, __LINE__, check_text);                                      \
        }                                                                                      \
    } while (0)

// A call succeeds; if it does not, the program cannot go on.
#define OK(call)                                                                               \
    do {                                                                                       \
        int check_code = (call);                                                               \
        if (check_code != MPI_SUCCESS) {                                                       \
            char check_text[MPI_MAX_ERROR_STRING + 200], check_why[MPI_MAX_ERROR_STRING] = ""; \
            int check_len;                                                                     \
            MPI_Error_string(check_code, check_why, &check_len);                               \
            snprintf(check_text, sizeof check_text, "%.180s returned %d: %s", #call, check_code, \
                     check_why);                                                               \
            check_failed(__FILE__, __LINE__, check_text);                                      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                      \
        }                                                                                      \
    } while (0)

UNUSED static int check_class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

// A call returns an error code of this class.
#define CHECK_CLASS(call, class) CHECK_EQ(check_class_of(call), class)

// A call returns an error of one of two classes; the standard leaves which.
#define CHECK_CLASS2(call, one, other)                                                         \
    do {                                                                                       \
        int check_class = check_class_of(call);                                                \
        if (check_class != (one))                                                              \
            CHECK_EQ(check_class, other);                                                      \
    } while (0)

// A call of the tools interface succeeds: its errors are codes that no error handler sees.
#define T_OK(call) CHECK_EQ(call, MPI_SUCCESS)

// A call of the tools interface returns this code.
#define T_FAILS(call, code) CHECK_EQ(call, code)

// Byte `i` of the pattern with this seed.
UNUSED static unsigned char pattern_at(size_t i, int seed)
{
    return (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 16) * 3 + (unsigned)seed * 101 + 1);
}

// Writes the pattern.
UNUSED static void pattern_fill(void *buf, size_t bytes, int seed)
{
    unsigned char *p = buf;
    for (size_t i = 0; i < bytes; i++)
        p[i] = pattern_at(i, seed);
}

UNUSED static void pattern_check(const void *buf, size_t bytes, int seed, const char *file,
                                 int line)
{
    const unsigned char *p = buf;
    for (size_t i = 0; i < bytes; i++) {
        if (p[i] != pattern_at(i, seed)) {
            char text[200];
            snprintf(text, sizeof text, "byte %zu of %zu (seed %d) is %d, should be %d", i, bytes,
                     seed, p[i], pattern_at(i, seed));
            check_failed(file, line, text);
            return;
        }
    }
}

// The buffer holds the pattern.
#define CHECK_PATTERN(buf, bytes, seed) pattern_check(buf, bytes, seed, __FILE__, __LINE__)

// Initialises the world; errors return from now on.
UNUSED static void check_init(int *argc, char ***argv)
{
    if (MPI_Init(argc, argv) != MPI_SUCCESS)
        exit(1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

// The same with threads; MPI_THREAD_MULTIPLE must be provided.
UNUSED static void check_init_threads(int *argc, char ***argv)
{
    int provided = -1;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
        exit(1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
}

// Finalises; what main returns.
UNUSED static int check_done(void)
{
    int code = MPI_Finalize();
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "FAIL rank %d: MPI_Finalize returned %d\n", rank, code);
        return 1;
    }
    return check_failures > 0;
}

// Whether the library under test is Starling; a few checks are about our own promises.
UNUSED static int is_starling(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return strncmp(version, "Starling MPI", 12) == 0;
}

// A message between two pending operations of the same pair that everyone agrees on: the
// neighbours of a ring.
UNUSED static int next_rank(void)
{
    return (rank + 1) % size;
}

UNUSED static int previous_rank(void)
{
    return (rank + size - 1) % size;
}

#endif
