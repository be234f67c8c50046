// Processor name, clock and its tick, address arithmetic.
// ranks: 1 4
#include "check.h"

static void clock_runs(void)
{
    double start = MPI_Wtime(), tick = MPI_Wtick(), last = start;
    CHECK(tick > 0 && tick < 0.01);
    for (int i = 0; i < 1000; i++) {
        double now = MPI_Wtime();
        CHECK(now >= last);
        last = now;
    }
    usleep(20000);
    double slept = MPI_Wtime() - start;
    CHECK(slept >= 0.0199 && slept < 30);
}

static void addresses(void)
{
    char bytes[64];
    MPI_Aint first = 0, last = 0;
    OK(MPI_Get_address(&bytes[0], &first));
    OK(MPI_Get_address(&bytes[63], &last));
    CHECK_EQ(last - first, 63);
    CHECK_EQ(MPI_Aint_diff(last, first), 63);
    CHECK_EQ(MPI_Aint_add(first, 63), last);
    CHECK_EQ(MPI_Aint_diff(first, last), -63);
    CHECK((char *)MPI_BOTTOM + first == &bytes[0]);
}

int main(int argc, char **argv)
{
    check_init(&argc, &argv);
    char name[MPI_MAX_PROCESSOR_NAME], host[256] = "";
    memset(name, 'x', sizeof name);
    int length = -1;
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    CHECK_EQ(length, strlen(name));
    gethostname(host, sizeof host);
    CHECK_STR(name, host);
    clock_runs();
    addresses();
    return check_done();
}
