// One message of more than 2^31 bytes, with an int count of a larger type and with MPI_Send_c.
// ranks: 2
// memory: 9000
// timeout: 120
#include "check.h"

static const size_t BYTES = ((size_t)1 << 31) + (1 << 26) + 8;

static unsigned long at(size_t i)
{
    return i * 0x9e3779b97f4a7c15UL;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    size_t n = BYTES / 8;
    unsigned long *data = malloc(BYTES);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Status status;
        MPI_Count count = -1;
        if (rank == 0) {
            for (size_t i = 0; i < n; i++)
                data[i] = at(i + turn);
            if (turn == 0)
                OK(MPI_Send(data, (int)n, MPI_UNSIGNED_LONG, 1, 0, MPI_COMM_WORLD));
            else
                OK(MPI_Send_c(data, (MPI_Count)BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
        } else {
            memset(data, 0, BYTES);
            if (turn == 0)
                OK(MPI_Recv(data, (int)n, MPI_UNSIGNED_LONG, 0, 0, MPI_COMM_WORLD, &status));
            else
                OK(MPI_Recv_c(data, (MPI_Count)BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
            CHECK_EQ(count, BYTES);
            int small = 0;
            OK(MPI_Get_count(&status, MPI_BYTE, &small));
            CHECK_EQ(small, MPI_UNDEFINED);
            size_t wrong = 0;
            for (size_t i = 0; i < n; i++)
                wrong += data[i] != at(i + turn);
            CHECK_EQ(wrong, 0);
        }
    }
    free(data);
    return check_done();
}
