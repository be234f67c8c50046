// MPI_Alloc_mem and MPI_Free_mem: sizes from 0 up, with and without hints, used in messages.
// ranks: 1 2
#include "check.h"

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static const MPI_Aint sizes[] = {0, 1, 17, 4096, 1 << 20, 8 << 20};
    for (int i = 0; i < 6; i++) {
        MPI_Info info = MPI_INFO_NULL;
        if (i % 2) {
            OK(MPI_Info_create(&info));
            OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
        }
        unsigned char *mem = (void *)1;
        OK(MPI_Alloc_mem(sizes[i], info, &mem));
        CHECK(sizes[i] == 0 || mem != NULL);
        if (i % 2) {
            CHECK_EQ((uintptr_t)mem % 4096, 0);
            OK(MPI_Info_free(&info));
        }
        pattern_fill(mem, sizes[i], i);
        MPI_Request request;
        OK(MPI_Isend(mem, (int)sizes[i], MPI_BYTE, next_rank(), i, MPI_COMM_WORLD, &request));
        unsigned char *got = malloc(sizes[i] + 1);
        OK(MPI_Recv(got, (int)sizes[i], MPI_BYTE, previous_rank(), i, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
        CHECK_PATTERN(got, sizes[i], i);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        free(got);
        OK(MPI_Free_mem(mem));
    }
    return check_done();
}
