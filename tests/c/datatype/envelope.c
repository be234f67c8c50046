// MPI_Type_get_envelope and MPI_Type_get_contents give back what a type was made from.
// ranks: 1
#include "check.h"

static void envelope(MPI_Datatype type, int combiner, int ints, int addresses, int types,
                     int line)
{
    int i = -1, a = -1, t = -1, c = -1;
    char text[120];
    OK(MPI_Type_get_envelope(type, &i, &a, &t, &c));
    if (i != ints || a != addresses || t != types || c != combiner) {
        snprintf(text, sizeof text, "%d integers, %d addresses, %d types, combiner %d", i, a, t, c);
        check_failed(__FILE__, line, text);
    }
}

#define ENVELOPE(...) envelope(__VA_ARGS__, __LINE__)

static void contents(MPI_Datatype type, int ints, int addresses, int types, int *i, MPI_Aint *a,
                     MPI_Datatype *t)
{
    memset(i, -1, 32 * sizeof *i);
    OK(MPI_Type_get_contents(type, ints, addresses, types, i, a, t));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype type, t[4];
    MPI_Aint a[8];
    int i[32];
    ENVELOPE(MPI_INT, MPI_COMBINER_NAMED, 0, 0, 0);
    OK(MPI_Type_dup(MPI_INT, &type));
    ENVELOPE(type, MPI_COMBINER_DUP, 0, 0, 1);
    contents(type, 0, 0, 1, i, a, t);
    CHECK_SAME(t[0], MPI_INT);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_vector(3, 2, 5, MPI_FLOAT, &type));
    ENVELOPE(type, MPI_COMBINER_VECTOR, 3, 0, 1);
    contents(type, 3, 0, 1, i, a, t);
    CHECK(i[0] == 3 && i[1] == 2 && i[2] == 5);
    CHECK_SAME(t[0], MPI_FLOAT);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector(3, 2, -50, MPI_FLOAT, &type));
    ENVELOPE(type, MPI_COMBINER_HVECTOR, 2, 1, 1);
    contents(type, 2, 1, 1, i, a, t);
    CHECK(i[0] == 3 && i[1] == 2 && a[0] == -50);
    OK(MPI_Type_free(&type));
    int lengths[2] = {4, 5}, at[2] = {6, 7};
    MPI_Aint bytes_at[2] = {60, 70};
    OK(MPI_Type_indexed(2, lengths, at, MPI_CHAR, &type));
    ENVELOPE(type, MPI_COMBINER_INDEXED, 5, 0, 1);
    contents(type, 5, 0, 1, i, a, t);
    CHECK(i[0] == 2 && i[1] == 4 && i[2] == 5 && i[3] == 6 && i[4] == 7);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed(2, lengths, bytes_at, MPI_CHAR, &type));
    ENVELOPE(type, MPI_COMBINER_HINDEXED, 3, 2, 1);
    contents(type, 3, 2, 1, i, a, t);
    CHECK(i[0] == 2 && i[1] == 4 && i[2] == 5 && a[0] == 60 && a[1] == 70);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_indexed_block(2, 3, at, MPI_CHAR, &type));
    ENVELOPE(type, MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_block(2, 3, bytes_at, MPI_CHAR, &type));
    ENVELOPE(type, MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1);
    OK(MPI_Type_free(&type));
    MPI_Datatype members[2] = {MPI_INT, MPI_DOUBLE};
    OK(MPI_Type_create_struct(2, lengths, bytes_at, members, &type));
    ENVELOPE(type, MPI_COMBINER_STRUCT, 3, 2, 2);
    contents(type, 3, 2, 2, i, a, t);
    CHECK_SAME(t[1], MPI_DOUBLE);
    OK(MPI_Type_free(&type));
    int sizes[2] = {5, 6}, sub[2] = {2, 3}, start[2] = {1, 2};
    OK(MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &type));
    ENVELOPE(type, MPI_COMBINER_SUBARRAY, 8, 0, 1);
    contents(type, 8, 0, 1, i, a, t);
    CHECK(i[0] == 2 && i[2] == 6 && i[4] == 3 && i[6] == 2 && i[7] == MPI_ORDER_C);
    OK(MPI_Type_free(&type));
    // A derived member comes back as a new handle that the caller frees.
    MPI_Datatype inner;
    OK(MPI_Type_contiguous(3, MPI_INT, &inner));
    OK(MPI_Type_create_resized(inner, -4, 40, &type));
    OK(MPI_Type_free(&inner));
    ENVELOPE(type, MPI_COMBINER_RESIZED, 0, 2, 1);
    contents(type, 0, 2, 1, i, a, t);
    CHECK(a[0] == -4 && a[1] == 40);
    ENVELOPE(t[0], MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    OK(MPI_Type_free(&t[0]));
    OK(MPI_Type_free(&type));
    return check_done();
}
