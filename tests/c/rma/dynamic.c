// Dynamic windows: attach, detach, absolute addresses, a list that grows while others walk it,
// derived types over several regions, many regions, and what is not attached.
// ranks: 1 2 4
#include "check.h"

typedef struct {
    MPI_Aint next;
    int owner, value;
} Element;

static MPI_Win make(void)
{
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static void transfers(void)
{
    MPI_Win win = make();
    int memory[32], in[8], out[8], one = 1, got;
    MPI_Aint mine, theirs[64];
    for (int i = 0; i < 32; i++)
        memory[i] = 0;
    OK(MPI_Win_attach(win, memory, sizeof memory));
    OK(MPI_Get_address(memory, &mine));
    OK(MPI_Allgather(&mine, 1, MPI_AINT, theirs, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int i = 0; i < 8; i++)
        in[i] = rank * 8 + i;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(in, 8, MPI_INT, next_rank(), MPI_Aint_add(theirs[next_rank()], 16), 8, MPI_INT,
               win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 8; i++)
        CHECK_EQ(memory[4 + i], previous_rank() * 8 + i);
    OK(MPI_Get(out, 8, MPI_INT, next_rank(), MPI_Aint_add(theirs[next_rank()], 16), 8, MPI_INT,
               win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, 0, theirs[0], 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK(memcmp(in, out, sizeof in) == 0);
    if (rank == 0)
        CHECK_EQ(memory[0], size);
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Fetch_and_op(&one, &got, MPI_INT, size - 1, MPI_Aint_add(theirs[size - 1], 124),
                        MPI_SUM, win));
    OK(MPI_Compare_and_swap(&one, &one, &got, MPI_INT, size - 1,
                            MPI_Aint_add(theirs[size - 1], 120), win));
    OK(MPI_Win_unlock_all(win));
    CHECK_EQ(got, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1)
        CHECK_EQ(memory[31], size);
    OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
}

// Every rank appends elements in its own memory to a list whose head is at rank 0.
static void list(void)
{
    enum { EACH = 10 };
    MPI_Win win = make();
    static Element nodes[EACH];
    static struct {
        MPI_Aint at;
        int owner;
    } head;
    static int lock;
    MPI_Aint place[2] = {0, 0};
    head.owner = -1;
    OK(MPI_Win_attach(win, &head, sizeof head));
    OK(MPI_Win_attach(win, &lock, sizeof lock));
    OK(MPI_Get_address(&head, &place[0]));
    OK(MPI_Get_address(&lock, &place[1]));
    OK(MPI_Bcast(place, 2, MPI_AINT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < EACH; i++) {
        MPI_Aint self;
        OK(MPI_Win_attach(win, &nodes[i], sizeof nodes[i]));
        OK(MPI_Get_address(&nodes[i], &self));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get(&nodes[i], 12, MPI_BYTE, 0, place[0], 12, MPI_BYTE, win));
        OK(MPI_Win_flush(0, win));
        nodes[i].value = rank * 100 + i;
        struct {
            MPI_Aint at;
            int owner;
        } mine = {self, rank};
        OK(MPI_Put(&mine, 12, MPI_BYTE, 0, place[0], 12, MPI_BYTE, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    Element walk;
    long sum = 0, expected = 0, count = 0;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Get(&walk, 12, MPI_BYTE, 0, place[0], 12, MPI_BYTE, win));
    OK(MPI_Win_flush_all(win));
    while (walk.owner >= 0 && count < EACH * size) {
        int owner = walk.owner;
        OK(MPI_Get(&walk, sizeof walk, MPI_BYTE, owner, walk.next, sizeof walk, MPI_BYTE, win));
        OK(MPI_Win_flush(owner, win));
        sum += walk.value;
        count++;
    }
    OK(MPI_Win_unlock_all(win));
    for (int r = 0; r < size; r++)
        for (int i = 0; i < EACH; i++)
            expected += r * 100 + i;
    CHECK_EQ(count, EACH * size);
    CHECK_EQ(walk.owner, -1);
    CHECK_EQ(sum, expected);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < EACH; i++)
        OK(MPI_Win_detach(win, &nodes[i]));
    OK(MPI_Win_free(&win));
}

// A type of absolute addresses that covers two regions, used with MPI_BOTTOM.
static void bottom(void)
{
    MPI_Win win = make();
    int one[4] = {0}, two[4] = {0}, values[4] = {1, 2, 3, 4};
    MPI_Datatype type;
    MPI_Aint at[2], theirs[2];
    OK(MPI_Win_attach(win, one, sizeof one));
    OK(MPI_Win_attach(win, two, sizeof two));
    OK(MPI_Get_address(&one[1], &at[0]));
    OK(MPI_Get_address(&two[2], &at[1]));
    OK(MPI_Sendrecv(at, 2, MPI_AINT, previous_rank(), 1, theirs, 2, MPI_AINT, next_rank(), 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Type_create_hindexed(2, (int[]){2, 2}, theirs, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(values, 4, MPI_INT, next_rank(), (MPI_Aint)MPI_BOTTOM, 1, type, win));
    OK(MPI_Win_fence(0, win));
    CHECK(one[0] == 0 && one[1] == 1 && one[2] == 2 && one[3] == 0);
    CHECK(two[1] == 0 && two[2] == 3 && two[3] == 4);
    OK(MPI_Type_free(&type));
    OK(MPI_Win_free(&win));
}

static void many_regions(void)
{
    enum { MANY = 200 };
    MPI_Win win = make();
    static int memory[MANY * 4];
    MPI_Aint start, theirs;
    int value = rank + 50;
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_attach(win, &memory[4 * i], 8));
    OK(MPI_Get_address(memory, &start));
    OK(MPI_Sendrecv(&start, 1, MPI_AINT, previous_rank(), 1, &theirs, 1, MPI_AINT, next_rank(), 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next_rank(), MPI_Aint_add(theirs, 16 * 150 + 4), 1, MPI_INT,
               win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(memory[4 * 150 + 1], previous_rank() + 50);
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_detach(win, &memory[4 * i]));
    OK(MPI_Win_free(&win));
}

static void mistakes(void)
{
    MPI_Win win = make(), other;
    int memory[8] = {0}, value = 1;
    MPI_Aint at;
    if (is_starling()) {
        OK(MPI_Win_attach(win, memory, 16));
        CHECK_CLASS(MPI_Win_attach(win, &memory[2], 16), MPI_ERR_RMA_ATTACH);
        CHECK_CLASS(MPI_Win_detach(win, &memory[1]), MPI_ERR_RMA_ATTACH);
        CHECK_CLASS(MPI_Win_attach(win, &memory[4], -1), MPI_ERR_SIZE);
        OK(MPI_Get_address(&memory[3], &at));
        OK(MPI_Win_fence(0, win));
        CHECK_CLASS(MPI_Put(memory, 2, MPI_INT, rank, at, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
        OK(MPI_Put(&value, 1, MPI_INT, rank, at, 1, MPI_INT, win));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        OK(MPI_Win_detach(win, memory));
        OK(MPI_Win_fence(0, win));
        CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, rank, at, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
        OK(MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN));
        CHECK_CLASS(MPI_Win_attach(other, memory, 8), MPI_ERR_RMA_FLAVOR);
        CHECK_CLASS(MPI_Win_detach(other, memory), MPI_ERR_RMA_FLAVOR);
        OK(MPI_Win_free(&other));
    }
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    transfers();
    list();
    bottom();
    many_regions();
    mistakes();
    return check_done();
}
