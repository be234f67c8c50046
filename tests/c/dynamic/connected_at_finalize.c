// Parents and children that are still connected when they finalise; buffered and freed messages
// arrive all the same.
// ranks: 1 2 4
#include "check.h"
#include "child.h"

#define BYTES 50000

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    static unsigned char out[BYTES], in[BYTES], room[BYTES + MPI_BSEND_OVERHEAD];
    if (is_child()) {
        OK(MPI_Buffer_attach(room, sizeof room));
        pattern_fill(out, BYTES, rank);
        OK(MPI_Bsend(out, BYTES, MPI_BYTE, 0, 3, parent));
        return check_done();
    }
    MPI_Comm children;
    OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                      MPI_ERRCODES_IGNORE));
    for (int i = 0; rank == 0 && i < 2; i++) {
        OK(MPI_Recv(in, BYTES, MPI_BYTE, i, 3, children, MPI_STATUS_IGNORE));
        CHECK_PATTERN(in, BYTES, i);
    }
    return check_done();
}
