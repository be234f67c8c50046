// A child made by fork that does not use MPI leaves its parent's job alone.
// ranks: 1 2
#include "check.h"
#include <sys/wait.h>

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(5);
        int status = -1;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
        int one = 1, sum = 0;
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, size);
    }
    return check_done();
}
