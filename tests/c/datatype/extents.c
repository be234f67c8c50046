// Sizes, extents, true extents of every constructor, and the _c and _x forms.
// ranks: 1
#include "check.h"

static void check(MPI_Datatype type, long bytes, long low, long extent, long true_low,
                  long true_extent, int line)
{
    int n = -1;
    MPI_Aint a = -1, b = -1;
    MPI_Count c = -1, d = -1;
    char text[200] = "";
    OK(MPI_Type_size(type, &n));
    OK(MPI_Type_get_extent(type, &a, &b));
    if (n != bytes || a != low || b != extent)
        snprintf(text, sizeof text, "size %d lb %ld extent %ld", n, (long)a, (long)b);
    OK(MPI_Type_get_true_extent(type, &a, &b));
    if (a != true_low || b != true_extent)
        snprintf(text, sizeof text, "true lb %ld extent %ld", (long)a, (long)b);
    OK(MPI_Type_size_c(type, &c));
    OK(MPI_Type_get_extent_c(type, &c, &d));
    if (c != low || d != extent)
        snprintf(text, sizeof text, "_c: lb %ld extent %ld", (long)c, (long)d);
    OK(MPI_Type_get_true_extent_c(type, &c, &d));
    if (c != true_low || d != true_extent)
        snprintf(text, sizeof text, "_c: true lb %ld extent %ld", (long)c, (long)d);
    OK(MPI_Type_size_x(type, &c));
    if (c != bytes)
        snprintf(text, sizeof text, "_x: size %ld", (long)c);
    OK(MPI_Type_get_extent_x(type, &c, &d));
    if (c != low || d != extent)
        snprintf(text, sizeof text, "_x: lb %ld extent %ld", (long)c, (long)d);
    OK(MPI_Type_get_true_extent_x(type, &c, &d));
    if (c != true_low || d != true_extent)
        snprintf(text, sizeof text, "_x: true lb %ld extent %ld", (long)c, (long)d);
    if (text[0])
        check_failed(__FILE__, line, text);
}

#define EXTENTS(...) check(__VA_ARGS__, __LINE__)

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype type, inner;
    EXTENTS(MPI_DOUBLE, 8, 0, 8, 0, 8);
    OK(MPI_Type_vector(3, 2, 5, MPI_INT, &type));
    EXTENTS(type, 24, 0, 48, 0, 48);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_vector(3, 2, -5, MPI_INT, &type));
    EXTENTS(type, 24, -40, 48, -40, 48);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_resized(MPI_INT, -8, 100, &inner));
    EXTENTS(inner, 4, -8, 100, 0, 4);
    OK(MPI_Type_contiguous(2, inner, &type));
    EXTENTS(type, 8, -8, 200, 0, 104);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&inner));
    // A struct is padded to the alignment of its members (section 5.1.6).
    int ones[3] = {1, 1, 1};
    MPI_Aint at[3] = {0, 8, 16};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR};
    OK(MPI_Type_create_struct(3, ones, at, types, &type));
    EXTENTS(type, 10, 0, 24, 0, 17);
    OK(MPI_Type_free(&type));
    int lengths[2] = {1, 2}, places[2] = {-3, 4};
    OK(MPI_Type_indexed(2, lengths, places, MPI_SHORT, &type));
    EXTENTS(type, 6, -6, 18, -6, 18);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous(0, MPI_INT, &type));
    EXTENTS(type, 0, 0, 0, 0, 0);
    OK(MPI_Type_free(&type));
    int sizes[2] = {4, 6}, sub[2] = {2, 2}, start[2] = {1, 3};
    OK(MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &type));
    EXTENTS(type, 16, 0, 96, 36, 32);
    OK(MPI_Type_free(&type));
    // Extents beyond 2^31 bytes.
    OK(MPI_Type_create_hvector(2, 1, (MPI_Aint)5 << 30, MPI_INT, &type));
    EXTENTS(type, 8, 0, ((long)5 << 30) + 4, 0, ((long)5 << 30) + 4);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous_c((MPI_Count)1 << 33, MPI_INT, &type));
    int n = 0;
    MPI_Count c = 0;
    OK(MPI_Type_size(type, &n));
    CHECK_EQ(n, MPI_UNDEFINED);
    OK(MPI_Type_size_c(type, &c));
    CHECK_EQ(c, (MPI_Count)1 << 35);
    OK(MPI_Type_get_extent_c(type, &c, &c));
    CHECK_EQ(c, (MPI_Count)1 << 35);
    OK(MPI_Type_free(&type));
    return check_done();
}
