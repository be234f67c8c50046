// Every simple constructor between two ranks: sent with the type, received contiguous, and the
// other way round.
// ranks: 1 2
#include "check.h"

enum { ROOM = 4000 };

// Sends `count` of `type`, whose data in order are the ints numbered in `map`.
static void both_ways(MPI_Datatype type, int count, const int *map, int n, const char *what)
{
    int typed[ROOM], flat[ROOM], wrong = 0;
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < ROOM; i++)
        typed[i] = i, flat[i] = -1;
    OK(MPI_Sendrecv(typed, count, type, next_rank(), 1, flat, ROOM, MPI_INT, previous_rank(), 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < n; i++)
        wrong += flat[i] != map[i];
    for (int i = n; i < ROOM; i++)
        wrong += flat[i] != -1;
    for (int i = 0; i < ROOM; i++)
        typed[i] = -1;
    for (int i = 0; i < n; i++)
        flat[i] = i + 7;
    OK(MPI_Sendrecv(flat, n, MPI_INT, next_rank(), 2, typed, count, type, previous_rank(), 2,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < n; i++) {
        wrong += typed[map[i]] != i + 7;
        typed[map[i]] = -1;
    }
    for (int i = 0; i < ROOM; i++)
        wrong += typed[i] != -1;
    if (wrong)
        check_failed(__FILE__, __LINE__, what);
    OK(MPI_Type_free(&type));
    CHECK_SAME(type, MPI_DATATYPE_NULL);
}

static void vectors(void)
{
    MPI_Datatype type;
    int map[ROOM], n = 0;
    for (int b = 0; b < 50; b++)
        for (int i = 0; i < 3; i++)
            map[n++] = b * 7 + i;
    OK(MPI_Type_vector(50, 3, 7, MPI_INT, &type));
    both_ways(type, 1, map, n, "vector");
    OK(MPI_Type_create_hvector(50, 3, 28, MPI_INT, &type));
    both_ways(type, 1, map, n, "hvector");
    OK(MPI_Type_contiguous(300, MPI_INT, &type));
    for (int i = 0; i < 900; i++)
        map[i] = i;
    both_ways(type, 3, map, 900, "contiguous");
    // Two vectors in a row: the second starts where the extent of the first ends.
    OK(MPI_Type_vector(4, 1, 5, MPI_INT, &type));
    for (n = 0; n < 8; n++)
        map[n] = n / 4 * 16 + n % 4 * 5;
    both_ways(type, 2, map, n, "two vectors");
}

static void indexes(void)
{
    MPI_Datatype type;
    int lengths[4] = {2, 0, 5, 1}, at[4] = {40, 3, 10, 0}, map[ROOM], n = 0;
    MPI_Aint byte_at[4];
    for (int b = 0; b < 4; b++) {
        byte_at[b] = at[b] * (MPI_Aint)sizeof(int);
        for (int i = 0; i < lengths[b]; i++)
            map[n++] = at[b] + i;
    }
    OK(MPI_Type_indexed(4, lengths, at, MPI_INT, &type));
    both_ways(type, 1, map, n, "indexed");
    OK(MPI_Type_create_hindexed(4, lengths, byte_at, MPI_INT, &type));
    both_ways(type, 1, map, n, "hindexed");
    n = 0;
    for (int b = 0; b < 4; b++)
        for (int i = 0; i < 2; i++)
            map[n++] = at[b] * 2 + i;
    for (int b = 0; b < 4; b++)
        byte_at[b] = at[b] * 2 * (MPI_Aint)sizeof(int);
    OK(MPI_Type_create_hindexed_block(4, 2, byte_at, MPI_INT, &type));
    both_ways(type, 1, map, n, "hindexed_block");
    for (int b = 0; b < 4; b++)
        at[b] *= 2;
    OK(MPI_Type_create_indexed_block(4, 2, at, MPI_INT, &type));
    both_ways(type, 1, map, n, "indexed_block");
}

static void others(void)
{
    MPI_Datatype type, inner;
    int map[ROOM], n = 0;
    // A resized int: every fourth.
    OK(MPI_Type_create_resized(MPI_INT, 0, 16, &type));
    for (n = 0; n < 100; n++)
        map[n] = n * 4;
    both_ways(type, 100, map, n, "resized");
    // A struct of ints and a nested vector.
    OK(MPI_Type_vector(3, 1, 2, MPI_INT, &inner));
    int lengths[2] = {2, 2};
    MPI_Aint at[2] = {4, 40};
    MPI_Datatype types[2] = {MPI_INT, inner};
    OK(MPI_Type_create_struct(2, lengths, at, types, &type));
    OK(MPI_Type_free(&inner)); // the struct keeps what it needs
    static const int struct_map[8] = {1, 2, 10, 12, 14, 15, 17, 19};
    both_ways(type, 1, struct_map, 8, "struct");
    OK(MPI_Type_dup(MPI_INT, &type));
    for (n = 0; n < 10; n++)
        map[n] = n;
    both_ways(type, 10, map, n, "dup");
    int sizes[3] = {4, 5, 6}, sub[3] = {2, 3, 2}, start[3] = {1, 2, 3};
    OK(MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_C, MPI_INT, &type));
    n = 0;
    for (int i = 1; i < 3; i++)
        for (int j = 2; j < 5; j++)
            for (int k = 3; k < 5; k++)
                map[n++] = (i * 5 + j) * 6 + k;
    both_ways(type, 1, map, n, "subarray C");
    OK(MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_FORTRAN, MPI_INT, &type));
    n = 0;
    for (int k = 3; k < 5; k++)
        for (int j = 2; j < 5; j++)
            for (int i = 1; i < 3; i++)
                map[n++] = (k * 5 + j) * 4 + i;
    both_ways(type, 1, map, n, "subarray Fortran");
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    vectors();
    indexes();
    others();
    return check_done();
}
