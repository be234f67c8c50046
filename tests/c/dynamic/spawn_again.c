// Processes that have ended make place for others, whom nobody mistakes for them: more worlds,
// one after the other, than there are places.
// ranks: 1 2
// env: STARLING_SPAWN_MAX=7
// timeout: 60
#include "check.h"
#include "child.h"

#define ROUNDS 60

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    if (is_child()) {
        int round = atoi(argv[1]);
        greet(parent, 1000 + round, round);
        // The last word of a process that has ended.
        OK(MPI_Send(&round, 1, MPI_INT, 0, 9, parent));
        OK(MPI_Comm_disconnect(&parent));
        return check_done();
    }
    for (int round = 0; round < ROUNDS; round++) {
        char text[20], *arguments[2] = {text, NULL};
        int children_here = 1 + round % 3, word;
        MPI_Comm children;
        sprintf(text, "%d", round);
        OK(MPI_Comm_spawn(argv[0], arguments, children_here, MPI_INFO_NULL, round % size,
                          MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
        greet(children, round, 1000 + round);
        for (int i = 0; rank == 0 && i < children_here; i++) {
            OK(MPI_Recv(&word, 1, MPI_INT, i, 9, children, MPI_STATUS_IGNORE));
            CHECK_EQ(word, round);
        }
        OK(MPI_Comm_disconnect(&children));
    }
    return check_done();
}
