// Non-contiguous messages of every size around the limits, to a contiguous and to another
// non-contiguous buffer, blocking and synchronous.
// ranks: 2
#include "check.h"

enum { MAX = 300000 };
static unsigned char wide[3 * MAX], flat[MAX], other[2 * MAX];

static MPI_Datatype strided(int blocks, int length, int stride)
{
    MPI_Datatype type;
    OK(MPI_Type_vector(blocks, length, stride, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    return type;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {4, 36, 40, 44, 4096, 8188, 8192, 8196, 65536, 65540, 300000};
    for (int s = 0; s < 11; s++) {
        int n = sizes[s], wrong = 0;
        MPI_Datatype triple = strided(n / 4, 4, 12), twice = strided(n / 2, 2, 4);
        if (rank == 0) {
            memset(wide, 0, sizeof wide);
            for (int i = 0; i < n; i++)
                wide[i / 4 * 12 + i % 4] = pattern_at(i, s);
            OK(MPI_Send(wide, 1, triple, 1, 0, MPI_COMM_WORLD));
            OK(MPI_Ssend(wide, 1, triple, 1, 0, MPI_COMM_WORLD));
            pattern_fill(flat, n, s + 1);
            OK(MPI_Send(flat, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
        } else {
            OK(MPI_Recv(flat, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_PATTERN(flat, n, s);
            memset(other, 0xdd, sizeof other);
            OK(MPI_Recv(other, 1, twice, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < n; i++)
                wrong += other[i / 2 * 4 + i % 2] != pattern_at(i, s);
            for (int i = 0; i + 2 < n / 2; i++)
                wrong += other[i * 4 + 2] != 0xdd || other[i * 4 + 3] != 0xdd;
            memset(wide, 0xdd, sizeof wide);
            OK(MPI_Recv(wide, 1, triple, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < n; i++)
                wrong += wide[i / 4 * 12 + i % 4] != pattern_at(i, s + 1);
            CHECK_EQ(wrong, 0);
        }
        OK(MPI_Type_free(&triple));
        OK(MPI_Type_free(&twice));
    }
    return check_done();
}
