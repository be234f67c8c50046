// A rank of a 64-rank job takes less than 8 MB before it communicates (proportional set size).
// ranks: 64
// mpich: it takes more
// timeout: 60
#include "check.h"

static int pss_kib(void)
{
    char line[200];
    int kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %d kB", &kib) == 1)
            break;
    fclose(file);
    return kib;
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    sleep(1); // until all are up: what is shared counts in parts
    int mine = pss_kib(), most = -1;
    OK(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    if (rank == 0)
        printf("%d ranks: at most %d KiB each\n", size, most);
    CHECK(mine > 0);
    CHECK_LE(most, 8000000 / 1024);
    return check_done();
}
