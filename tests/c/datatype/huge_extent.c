// Counts and displacements beyond 2^31 with little data: the large-count (_c) constructors and
// calls, on memory that is reserved but hardly touched.
// ranks: 1 2
#include "check.h"
#include <sys/mman.h>

static const MPI_Count STRIDE = (MPI_Count)3 << 30; // bytes, beyond an int

static void far_apart(char *room)
{
    MPI_Datatype type;
    MPI_Count size_c = 0, low = 0, extent = 0;
    int got[3] = {0};
    OK(MPI_Type_create_hvector_c(3, 1, STRIDE, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_size_c(type, &size_c));
    CHECK_EQ(size_c, 12);
    OK(MPI_Type_get_extent_c(type, &low, &extent));
    CHECK_EQ(extent, 2 * STRIDE + 4);
    for (int i = 0; i < 3; i++)
        *(int *)(room + i * STRIDE) = 10 + i + rank;
    OK(MPI_Sendrecv_c(room, 1, type, next_rank(), 1, got, 3, MPI_INT, previous_rank(), 1,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(got[i], 10 + i + previous_rank());
    OK(MPI_Sendrecv_c(got, 3, MPI_INT, next_rank(), 2, room, 1, type, previous_rank(), 2,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(*(int *)(room + i * STRIDE), 10 + i + (rank + 2 * size - 2) % size);
    OK(MPI_Type_free(&type));
}

static void displaced(char *room)
{
    MPI_Datatype type;
    MPI_Count lengths[2] = {1, 2}, at[2] = {2 * STRIDE, 16}, ints = -1, addresses = -1,
              counts = -1, types = -1;
    int got[3] = {0}, combiner = -1;
    OK(MPI_Type_create_hindexed_c(2, lengths, at, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_get_envelope_c(type, &ints, &addresses, &counts, &types, &combiner));
    CHECK_EQ(combiner, MPI_COMBINER_HINDEXED);
    CHECK_EQ(ints, 0);
    CHECK_EQ(addresses, 0);
    CHECK_EQ(counts, 5);
    CHECK_EQ(types, 1);
    *(int *)(room + 2 * STRIDE) = 5;
    ((int *)room)[4] = 6;
    ((int *)room)[5] = 7;
    OK(MPI_Sendrecv_c(room, 1, type, next_rank(), 1, got, 3, MPI_INT, previous_rank(), 1,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got[0] == 5 && got[1] == 6 && got[2] == 7);
    OK(MPI_Type_free(&type));
}

static void zero_sized(void)
{
    // More than 2^31 elements of a type without data.
    MPI_Datatype empty;
    MPI_Status status;
    MPI_Count count = -1;
    OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    OK(MPI_Type_commit(&empty));
    char byte = 0;
    OK(MPI_Sendrecv_c(&byte, (MPI_Count)1 << 35, empty, next_rank(), 3, &byte, 0, MPI_INT,
                      previous_rank(), 3, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK_EQ(count, 0);
    OK(MPI_Type_free(&empty));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    size_t length = 2 * STRIDE + 4096;
    char *room = mmap(NULL, length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(room != MAP_FAILED);
    if (room != MAP_FAILED) {
        far_apart(room);
        displaced(room);
        munmap(room, length);
    }
    zero_sized();
    return check_done();
}
