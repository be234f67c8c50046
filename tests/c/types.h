// The predefined datatypes as lists: X(C type, datatype) per group of section 6.9.2, for programs
// that go through all of them. Included by programs of the reduction and datatype chapters.
#ifndef STARLING_TESTS_TYPES_H
#define STARLING_TESTS_TYPES_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#define C_INTEGERS(X)                                                                          \
    X(signed char, MPI_SIGNED_CHAR)                                                            \
    X(unsigned char, MPI_UNSIGNED_CHAR)                                                        \
    X(short, MPI_SHORT)                                                                        \
    X(unsigned short, MPI_UNSIGNED_SHORT)                                                      \
    X(int, MPI_INT)                                                                            \
    X(unsigned, MPI_UNSIGNED)                                                                  \
    X(long, MPI_LONG)                                                                          \
    X(unsigned long, MPI_UNSIGNED_LONG)                                                        \
    X(long long, MPI_LONG_LONG)                                                                \
    X(long long, MPI_LONG_LONG_INT)                                                            \
    X(unsigned long long, MPI_UNSIGNED_LONG_LONG)                                              \
    X(int8_t, MPI_INT8_T)                                                                      \
    X(int16_t, MPI_INT16_T)                                                                    \
    X(int32_t, MPI_INT32_T)                                                                    \
    X(int64_t, MPI_INT64_T)                                                                    \
    X(uint8_t, MPI_UINT8_T)                                                                    \
    X(uint16_t, MPI_UINT16_T)                                                                  \
    X(uint32_t, MPI_UINT32_T)                                                                  \
    X(uint64_t, MPI_UINT64_T)

#define MULTI_LANGUAGE(X)                                                                      \
    X(MPI_Aint, MPI_AINT)                                                                      \
    X(MPI_Offset, MPI_OFFSET)                                                                  \
    X(MPI_Count, MPI_COUNT)

#define FLOATS(X)                                                                              \
    X(float, MPI_FLOAT)                                                                        \
    X(double, MPI_DOUBLE)                                                                      \
    X(long double, MPI_LONG_DOUBLE)

#define COMPLEXES(X)                                                                           \
    X(float _Complex, MPI_C_COMPLEX)                                                           \
    X(float _Complex, MPI_C_FLOAT_COMPLEX)                                                     \
    X(double _Complex, MPI_C_DOUBLE_COMPLEX)                                                   \
    X(long double _Complex, MPI_C_LONG_DOUBLE_COMPLEX)

#define LOGICALS(X) X(_Bool, MPI_C_BOOL)

#define CHARACTERS(X)                                                                          \
    X(char, MPI_CHAR)                                                                          \
    X(wchar_t, MPI_WCHAR)

#define BYTES(X)                                                                               \
    X(unsigned char, MPI_BYTE)                                                                 \
    X(unsigned char, MPI_PACKED)

#define PAIRS(X)                                                                               \
    X(float, MPI_FLOAT_INT)                                                                    \
    X(double, MPI_DOUBLE_INT)                                                                  \
    X(long, MPI_LONG_INT)                                                                      \
    X(int, MPI_2INT)                                                                           \
    X(short, MPI_SHORT_INT)                                                                    \
    X(long double, MPI_LONG_DOUBLE_INT)

#endif
