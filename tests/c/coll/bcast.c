// MPI_Bcast from every root in every size, with a type whose layout differs between ranks.
// ranks: 1 2 3 4 8
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const int sizes[] = {0, 1, 8, 40, 41, 1000, 8192, 8193, 70000, 1 << 20};
    char *buf = malloc(1 << 20);
    for (int i = 0; i < 10; i++) {
        for (int root = 0; root < size; root += sizes[i] > 70000 ? size : 1) {
            int n = sizes[i];
            if (rank == root)
                pattern_fill(buf, n, root + i);
            else
                memset(buf, 0, n);
            OK(MPI_Bcast(buf, n, MPI_BYTE, root, MPI_COMM_WORLD));
            CHECK_PATTERN(buf, n, root + i);
        }
    }
    free(buf);
    // The root sends contiguous integers, the others place them with a stride.
    enum { N = 5000 };
    int *wide = calloc(3 * N, sizeof(int));
    MPI_Datatype strided;
    OK(MPI_Type_vector(N, 1, 3, MPI_INT, &strided));
    OK(MPI_Type_commit(&strided));
    int root = size - 1;
    if (rank == root) {
        for (int i = 0; i < N; i++)
            wide[i] = i * 5;
        OK(MPI_Bcast(wide, N, MPI_INT, root, MPI_COMM_WORLD));
    } else {
        OK(MPI_Bcast(wide, 1, strided, root, MPI_COMM_WORLD));
        int wrong = 0;
        for (int i = 0; i < N; i++)
            wrong += wide[3 * i] != i * 5 || (i > 0 && (wide[3 * i - 1] || wide[3 * i - 2]));
        CHECK_EQ(wrong, 0);
    }
    OK(MPI_Type_free(&strided));
    free(wide);
    return check_done();
}
