// Types made by large-count constructors: their contents are counts, which only the large-count
// queries return; types made by the others look the same to both.
// ranks: 1
#include "check.h"

static MPI_Count counts[16];
static MPI_Aint addresses[4];
static int integers[16];
static MPI_Datatype inner[2];

static void envelope(MPI_Datatype *type, int combiner, int ints, int large, int types, int line)
{
    MPI_Count i = -1, a = -1, l = -1, t = -1;
    int c = -1, n = -1;
    char text[160];
    OK(MPI_Type_get_envelope_c(*type, &i, &a, &l, &t, &c));
    if (i != ints || a != 0 || l != large || t != types || c != combiner) {
        snprintf(text, sizeof text, "%lld integers, %lld addresses, %lld counts, %lld types, "
                 "combiner %d", (long long)i, (long long)a, (long long)l, (long long)t, c);
        check_failed(__FILE__, line, text);
    }
    memset(counts, -1, sizeof counts);
    OK(MPI_Type_get_contents_c(*type, ints, 0, large, types, integers, addresses, counts, inner));
    CHECK_CLASS(MPI_Type_get_envelope(*type, &n, &n, &n, &c), MPI_ERR_TYPE);
    OK(MPI_Type_free(type));
}

#define ENVELOPE(...) envelope(__VA_ARGS__, __LINE__)

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    MPI_Datatype type, members[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Count lengths[2] = {4, 5}, at[2] = {60, 70}, huge = (MPI_Count)1 << 33, size = -1;
    OK(MPI_Type_contiguous_c(huge, MPI_INT, &type));
    OK(MPI_Type_size_c(type, &size));
    CHECK_EQ(size, 4 * huge);
    int narrow = 0;
    OK(MPI_Type_size(type, &narrow));
    CHECK_EQ(narrow, MPI_UNDEFINED);
    ENVELOPE(&type, MPI_COMBINER_CONTIGUOUS, 0, 1, 1);
    CHECK(counts[0] == huge && inner[0] == MPI_INT);
    OK(MPI_Type_vector_c(3, 2, -5, MPI_FLOAT, &type));
    ENVELOPE(&type, MPI_COMBINER_VECTOR, 0, 3, 1);
    CHECK(counts[0] == 3 && counts[1] == 2 && counts[2] == -5);
    OK(MPI_Type_create_hvector_c(3, 2, 50, MPI_FLOAT, &type));
    ENVELOPE(&type, MPI_COMBINER_HVECTOR, 0, 3, 1);
    CHECK(counts[0] == 3 && counts[1] == 2 && counts[2] == 50);
    OK(MPI_Type_indexed_c(2, lengths, at, MPI_CHAR, &type));
    ENVELOPE(&type, MPI_COMBINER_INDEXED, 0, 5, 1);
    CHECK(counts[0] == 2 && counts[1] == 4 && counts[2] == 5 && counts[3] == 60);
    OK(MPI_Type_create_hindexed_c(2, lengths, at, MPI_CHAR, &type));
    ENVELOPE(&type, MPI_COMBINER_HINDEXED, 0, 5, 1);
    CHECK(counts[0] == 2 && counts[2] == 5 && counts[4] == 70);
    OK(MPI_Type_create_indexed_block_c(2, 3, at, MPI_CHAR, &type));
    ENVELOPE(&type, MPI_COMBINER_INDEXED_BLOCK, 0, 4, 1);
    CHECK(counts[0] == 2 && counts[1] == 3 && counts[3] == 70);
    OK(MPI_Type_create_struct_c(2, lengths, at, members, &type));
    ENVELOPE(&type, MPI_COMBINER_STRUCT, 0, 5, 2);
    CHECK(counts[0] == 2 && counts[2] == 5 && counts[3] == 60 && inner[1] == MPI_DOUBLE);
    OK(MPI_Type_create_resized_c(MPI_INT, -4, huge, &type));
    ENVELOPE(&type, MPI_COMBINER_RESIZED, 0, 2, 1);
    CHECK(counts[0] == -4 && counts[1] == huge);
    MPI_Count sizes[2] = {5, 6}, sub[2] = {2, 3}, start[2] = {1, 2};
    OK(MPI_Type_create_subarray_c(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &type));
    ENVELOPE(&type, MPI_COMBINER_SUBARRAY, 2, 6, 1);
    CHECK(integers[0] == 2 && integers[1] == MPI_ORDER_C);
    CHECK(counts[0] == 5 && counts[2] == 2 && counts[5] == 2);

    MPI_Count i = -1, a = -1, l = -1, t = -1;
    int combiner = -1;
    MPI_Aint places[2] = {8, 16};
    int ones[2] = {1, 1};
    OK(MPI_Type_create_hindexed(2, ones, places, MPI_CHAR, &type));
    OK(MPI_Type_get_envelope_c(type, &i, &a, &l, &t, &combiner));
    CHECK(i == 3 && a == 2 && l == 0 && t == 1);
    OK(MPI_Type_get_contents_c(type, 3, 2, 0, 1, integers, addresses, NULL, inner));
    CHECK(integers[0] == 2 && addresses[1] == 16);
    CHECK_CLASS2(MPI_Type_get_contents_c(type, 2, 2, 0, 1, integers, addresses, NULL, inner),
                 MPI_ERR_ARG, MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Type_get_contents(MPI_INT, 0, 0, 0, NULL, NULL, NULL), MPI_ERR_TYPE);
    OK(MPI_Type_free(&type));
    return check_done();
}
