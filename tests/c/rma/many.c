// Many windows one after the other and at the same time: nothing of them is left, neither memory
// nor descriptors. Windows of parts of the world, and of one process; communicators freed early.
// ranks: 1 4
#include "flavor.h"
#include <dirent.h>

static int descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident;
}

static void in_turn(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        int *mine, value = i;
        MPI_Win win = make_window(i % FLAVORS, 1 << 16, sizeof(int), &mine);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Put(&value, 1, MPI_INT, next_rank(), i % 100, 1, MPI_INT, win));
        OK(MPI_Win_fence(0, win));
        CHECK_EQ(mine[i % 100], i);
        free_window(i % FLAVORS, &win, mine);
    }
}

static void at_once(void)
{
    enum { MANY = 300 };
    static MPI_Win wins[MANY];
    static int *parts[MANY];
    for (int i = 0; i < MANY; i++)
        wins[i] = make_window(i % FLAVORS, 64, sizeof(int), &parts[i]);
    CHECK_LT(descriptors(), 100);
    for (int i = 0; i < MANY; i++) {
        int value = i;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, next_rank(), 0, wins[i]));
        OK(MPI_Put(&value, 1, MPI_INT, next_rank(), 3, 1, MPI_INT, wins[i]));
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_unlock(next_rank(), wins[i]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(parts[i][3], i);
    for (int i = MANY - 1; i >= 0; i--)
        free_window(i % FLAVORS, &wins[i], parts[i]);
}

static void of_parts(void)
{
    MPI_Comm half;
    MPI_Win win;
    int me, n, *mine, value = rank;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    OK(MPI_Comm_rank(half, &me));
    OK(MPI_Comm_size(half, &n));
    OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, half, &mine, &win));
    OK(MPI_Comm_free(&half));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    // The ranks of a half are in reverse order.
    CHECK_EQ(mine[0] % 2, rank % 2);
    CHECK_EQ(mine[0], me == 0 ? rank % 2 : rank + 2);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    int got = -1, add = 5;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Get_accumulate(&add, 1, MPI_INT, &got, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_unlock(0, win));
    CHECK_EQ(got, rank);
    CHECK_EQ(value, rank + 5);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    in_turn(30);
    int open = descriptors();
    long pages = resident_pages();
    in_turn(300);
    CHECK_EQ(descriptors(), open);
    CHECK_LT(resident_pages(), pages + 1000);
    at_once();
    of_parts();
    CHECK_EQ(descriptors(), open);
    return check_done();
}
