// Large transfers and accumulates, large counts, pieces at the end of a window, strides of many
// blocks; the same bytes whichever way they go.
// ranks: 2 4
#include "flavor.h"

enum { BYTES = 6 << 20, WORDS = BYTES / 8 };

static void bytes(MPI_Win win, unsigned char *mine)
{
    unsigned char *buffer = malloc(BYTES);
    pattern_fill(buffer, BYTES, rank);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put_c(buffer, BYTES, MPI_BYTE, next_rank(), 0, BYTES, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    CHECK_PATTERN(mine, BYTES, previous_rank());
    memset(buffer, 0, BYTES);
    OK(MPI_Get_c(buffer + 1, BYTES - 5, MPI_BYTE, previous_rank(), 5, BYTES - 5, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    int before = (rank + 2 * size - 2) % size;
    CHECK_EQ(buffer[0], 0);
    CHECK_EQ(buffer[1], pattern_at(5, before));
    CHECK_EQ(buffer[BYTES - 5], pattern_at(BYTES - 1, before));
    CHECK_EQ(buffer[BYTES - 4], 0);
    free(buffer);
}

static void strides(MPI_Win win, unsigned char *mine)
{
    MPI_Datatype type;
    unsigned char *buffer = malloc(BYTES / 4);
    int wrong = 0;
    pattern_fill(buffer, BYTES / 4, rank + 3);
    memset(mine, 0, BYTES);
    OK(MPI_Type_vector(BYTES / 16, 4, 16, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(buffer, BYTES / 4, MPI_BYTE, next_rank(), 0, 1, type, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < BYTES; i++) {
        int there = i % 16 < 4 ? pattern_at(i / 16 * 4 + i % 16, previous_rank() + 3) : 0;
        wrong += mine[i] != there;
    }
    CHECK_EQ(wrong, 0);
    memset(buffer, 0, BYTES / 4);
    OK(MPI_Get(buffer, BYTES / 4, MPI_BYTE, next_rank(), 0, 1, type, win));
    OK(MPI_Win_fence(0, win));
    CHECK_PATTERN(buffer, BYTES / 4, rank + 3);
    OK(MPI_Type_free(&type));
    free(buffer);
}

static void sums(MPI_Win win, unsigned char *mine)
{
    double *values = malloc(BYTES), *old = malloc(BYTES), *there = (double *)mine;
    short *small = (short *)values;
    int wrong = 0;
    for (int i = 0; i < WORDS; i++)
        values[i] = i + rank, there[i] = 0.5;
    OK(MPI_Win_fence(0, win));
    // Everybody adds to everybody at the same time.
    for (int r = 0; r < size; r++)
        OK(MPI_Accumulate(values, WORDS, MPI_DOUBLE, (rank + r) % size, 0, WORDS, MPI_DOUBLE,
                          MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < WORDS; i++)
        wrong += there[i] != 0.5 + (double)size * i + size * (size - 1) / 2;
    CHECK_EQ(wrong, 0);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get_accumulate(values, WORDS, MPI_DOUBLE, old, WORDS, MPI_DOUBLE, next_rank(), 0,
                          WORDS, MPI_DOUBLE, MPI_REPLACE, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < WORDS; i++) {
        wrong += old[i] != 0.5 + (double)size * i + size * (size - 1) / 2;
        wrong += there[i] != i + previous_rank();
    }
    CHECK_EQ(wrong, 0);
    for (int i = 0; i < BYTES / 2; i++)
        small[i] = (short)(i % 1000);
    memset(mine, 0, BYTES);
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < size; r++)
        OK(MPI_Accumulate_c(small, BYTES / 2 - 3, MPI_SHORT, r, 4, BYTES / 2 - 3, MPI_SHORT,
                            MPI_SUM, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < BYTES / 2 - 3; i++)
        wrong += ((short *)(mine + 4))[i] != i % 1000 * size;
    CHECK_EQ(wrong, 0);
    free(values);
    free(old);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int flavor = 0; flavor < FLAVORS; flavor++) {
        unsigned char *mine;
        MPI_Win win = make_window(flavor, BYTES + 8, 1, &mine);
        bytes(win, mine);
        strides(win, mine);
        sums(win, mine);
        free_window(flavor, &win, mine);
    }
    return check_done();
}
