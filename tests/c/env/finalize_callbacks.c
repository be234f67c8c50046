// Attributes of MPI_COMM_SELF are deleted first in MPI_Finalize, in reverse order of their
// setting, while MPI can still be used (section 11.2.4).
// ranks: 1 2 4
#include "check.h"

static int calls = 0;

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key;
    int flag = -1, expected = *(int *)value;
    CHECK_SAME(comm, MPI_COMM_SELF);
    CHECK_EQ(calls, expected);
    CHECK_EQ(*(int *)extra, 99);
    MPI_Finalized(&flag);
    CHECK_EQ(flag, 0);
    int self_size = -1, sum = 0, one = 1;
    CHECK_EQ(MPI_Comm_size(MPI_COMM_SELF, &self_size), MPI_SUCCESS);
    CHECK_EQ(self_size, 1);
    // A collective inside a callback: all ranks run the same callbacks in the same order.
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(sum, size);
    calls++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static int extra = 99, order[3] = {2, 1, 0};
    for (int i = 0; i < 3; i++) {
        int key;
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, &extra));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &order[i]));
        OK(MPI_Comm_free_keyval(&key));
        CHECK_EQ(key, MPI_KEYVAL_INVALID);
    }
    int code = check_done();
    if (calls != 3) {
        fprintf(stderr, "FAIL rank %d: %d of 3 callbacks ran in MPI_Finalize\n", rank, calls);
        return 1;
    }
    return code || check_failures > 0;
}
