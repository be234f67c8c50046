// The body of the two programs about denied copies between processes.
#include "flavor.h"

enum { WORDS = 100000 };

static int *make(MPI_Win *win, int dynamic, MPI_Aint *places)
{
    int *mine = calloc(WORDS, sizeof(int));
    MPI_Aint at = 0;
    if (dynamic) {
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win));
        OK(MPI_Win_attach(*win, mine, WORDS * sizeof(int)));
        OK(MPI_Get_address(mine, &at));
    } else {
        OK(MPI_Win_create(mine, WORDS * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, win));
    }
    OK(MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN));
    OK(MPI_Allgather(&at, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD));
    return mine;
}

static void transfers(MPI_Win win, int *mine, const MPI_Aint *places)
{
    int *out = malloc(WORDS * sizeof(int)), *in = malloc(WORDS * sizeof(int)), wrong = 0;
    MPI_Datatype strided;
    for (int i = 0; i < WORDS; i++)
        out[i] = rank * 7 + i;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, WORDS, MPI_INT, next_rank(), places[next_rank()], WORDS, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < WORDS; i++)
        wrong += mine[i] != previous_rank() * 7 + i;
    CHECK_EQ(wrong, 0);
    OK(MPI_Get(in, WORDS, MPI_INT, next_rank(), places[next_rank()], WORDS, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK(memcmp(in, out, WORDS * sizeof(int)) == 0);
    OK(MPI_Type_vector(WORDS / 4, 1, 2, MPI_INT, &strided));
    OK(MPI_Type_commit(&strided));
    for (int i = 0; i < WORDS; i++)
        out[i] = -1 - i;
    OK(MPI_Put(out, WORDS / 4, MPI_INT, next_rank(), places[next_rank()], 1, strided, win));
    OK(MPI_Win_fence(0, win));
    wrong = 0;
    for (int i = 0; i < WORDS; i++)
        wrong += mine[i] != (i < WORDS / 2 && i % 2 == 0 ? -1 - i / 2 : previous_rank() * 7 + i);
    CHECK_EQ(wrong, 0);
    OK(MPI_Get(in, 1, strided, next_rank(), places[next_rank()], WORDS / 4, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(in[0], -1);
    OK(MPI_Type_free(&strided));
    free(out);
    free(in);
}

static void counters(MPI_Win win, int *mine, const MPI_Aint *places)
{
    int one = 1, got, zero = 0, target = size - 1, *many = malloc(5000 * sizeof(int));
    struct {
        double value;
        int index;
    } pair = {-rank, rank}, *best = (void *)(mine + 200);
    long double half = 0.5L, *total = (void *)(mine + 208);
    memset(mine, 0, WORDS * sizeof(int));
    for (int i = 0; i < 5000; i++)
        many[i] = i;
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 50; i++) {
        OK(MPI_Accumulate(&one, 1, MPI_INT, target, places[target], 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, target, places[target] + 4, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
        CHECK(got >= 0 && got < 50 * size);
        do {
            OK(MPI_Compare_and_swap(&one, &zero, &got, MPI_INT, target, places[target] + 8, win));
            OK(MPI_Win_flush(target, win));
        } while (got);
        OK(MPI_Get(&got, 1, MPI_INT, target, places[target] + 12, 1, MPI_INT, win));
        OK(MPI_Win_flush(target, win));
        got++;
        OK(MPI_Put(&got, 1, MPI_INT, target, places[target] + 12, 1, MPI_INT, win));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Accumulate(&zero, 1, MPI_INT, target, places[target] + 8, 1, MPI_INT, MPI_REPLACE,
                          win));
        OK(MPI_Accumulate(&pair, 1, MPI_DOUBLE_INT, target, places[target] + 800, 1,
                          MPI_DOUBLE_INT, MPI_MINLOC, win));
        OK(MPI_Accumulate(&half, 1, MPI_LONG_DOUBLE, target, places[target] + 832, 1,
                          MPI_LONG_DOUBLE, MPI_SUM, win));
    }
    OK(MPI_Accumulate(many, 5000, MPI_INT, target, places[target] + 4000, 5000, MPI_INT, MPI_SUM,
                      win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == target) {
        int wrong = 0;
        for (int i = 0; i < 4; i++)
            CHECK_EQ(mine[i], i == 2 ? 0 : 50 * size);
        for (int i = 0; i < 5000; i++)
            wrong += mine[1000 + i] != i * size;
        CHECK_EQ(wrong, 0);
        CHECK_NEAR(best->value, -(size - 1), 0);
        CHECK_EQ(best->index, size - 1);
        CHECK_NEAR(*total, 25.0 * size, 0);
    }
    free(many);
}

static void exclusive(MPI_Win win, int *mine, const MPI_Aint *places)
{
    int value;
    for (int i = 0; i < 20; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get(&value, 1, MPI_INT, 0, places[0] + 40, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT, 0, places[0] + 40, 1, MPI_INT, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_EQ(mine[10], 20 * size);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        MPI_Win win;
        MPI_Aint places[64];
        int *mine = make(&win, dynamic, places);
        transfers(win, mine, places);
        counters(win, mine, places);
        exclusive(win, mine, places);
        OK(MPI_Win_free(&win));
        free(mine);
    }
    return check_done();
}
