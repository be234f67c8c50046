/* Ping-pong latency between ranks 0 and 1: plain MPI, so it runs on every MPI library.
 *
 *     mpicc -O2 latency.c -o latency;  mpiexec -n 2 ./latency -s 8
 *
 * Rank 0 sends a message, rank 1 sends one back; half of that round is the latency. Rounds are
 * timed in batches, and the smallest and the middle batch are printed, in microseconds. Further
 * ranks wait in the barrier at the end. Used by `make run` and compare_latency.py, which read the
 * lines that do not begin with '#': bytes, smallest, median. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1, BATCHES_MAX = 1000, BYTES_MAX = 1 << 30, SIZES_MAX = 64 };

struct options {
    long sizes[SIZES_MAX]; /* bytes of the messages */
    int size_count;
    long iterations; /* rounds a batch, or 0 to choose by size */
    long batches;
};

static const char usage[] = "usage: latency [-s bytes] [-n iterations] [-b batches]\n"
                            "  -s N  a message size, may be repeated (powers of two to 4194304)\n"
                            "  -n N  rounds in a batch (by size)\n"
                            "  -b N  batches, of which smallest and median are printed (21)\n";

/* The number in `text` if it lies in low..high, else -1. */
static long number(const char *text, long low, long high)
{
    char *end;
    long value = strtol(text, &end, 10);

    return *end || end == text || value < low || value > high ? -1 : value;
}

/* Reads the command line. Returns 0, or the status to exit with. */
static int read_options(int argc, char **argv, int rank, struct options *options)
{
    int flag, bad = 0;

    *options = (struct options){.batches = 21};
    opterr = 0;
    while (!bad && (flag = getopt(argc, argv, "s:n:b:")) != -1) {
        if (flag == 's' && options->size_count < SIZES_MAX) {
            long bytes = number(optarg, 0, BYTES_MAX);
            options->sizes[options->size_count++] = bytes;
            bad = bytes < 0;
        } else if (flag == 'n') {
            bad = (options->iterations = number(optarg, 1, 1000000000)) < 0;
        } else if (flag == 'b') {
            bad = (options->batches = number(optarg, 1, BATCHES_MAX)) < 0;
        } else {
            bad = 1;
        }
    }
    if (bad || optind != argc) {
        if (rank == 0)
            fputs(usage, stderr);
        return 2;
    }
    if (options->size_count == 0) {
        options->sizes[options->size_count++] = 0;
        for (long bytes = 1; bytes <= 4 << 20; bytes *= 2)
            options->sizes[options->size_count++] = bytes;
    }
    return 0;
}

/* `rounds` rounds of `bytes` each. Returns the seconds one way took on average. */
static double batch(int rank, char *buffer, int bytes, long rounds)
{
    int peer = 1 - rank;
    double begin = MPI_Wtime();

    for (long i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) / (2.0 * (double)rounds);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Measures one size after a batch to warm up, and prints its line. */
static void measure(const struct options *options, int rank, char *buffer, long bytes)
{
    double times[BATCHES_MAX];
    long rounds = options->iterations;

    if (rounds == 0)
        rounds = bytes <= 1024 ? 10000 : bytes <= 65536 ? 1000 : bytes <= 1 << 20 ? 100 : 20;
    batch(rank, buffer, (int)bytes, rounds);
    for (long i = 0; i < options->batches; i++)
        times[i] = 1e6 * batch(rank, buffer, (int)bytes, rounds);
    qsort(times, (size_t)options->batches, sizeof times[0], ascending);
    if (rank == 0) {
        printf("%10ld %10.3f %10.3f\n", bytes, times[0], times[options->batches / 2]);
        fflush(stdout);
    }
}

/* Names the library and measures the sizes that were asked for. Only ranks 0 and 1 come here. */
static int run(const struct options *options, int rank)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    long bytes_max = 0;
    char *buffer;
    int length;

    for (int i = 0; i < options->size_count; i++)
        bytes_max = options->sizes[i] > bytes_max ? options->sizes[i] : bytes_max;
    buffer = malloc((size_t)bytes_max + 1);
    if (!buffer) {
        fprintf(stderr, "latency: no memory for %ld bytes\n", bytes_max);
        return 1;
    }
    memset(buffer, 1, (size_t)bytes_max + 1);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\r\n")] = '\0';
    if (rank == 0)
        printf("# %s\n#%9s %10s %10s us\n", library, "bytes", "smallest", "median");
    for (int i = 0; i < options->size_count; i++)
        measure(options, rank, buffer, options->sizes[i]);
    free(buffer);
    return 0;
}

int main(int argc, char **argv)
{
    struct options options;
    int rank, ranks, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    status = read_options(argc, argv, rank, &options);
    if (status == 0 && ranks < 2) {
        fprintf(stderr, "latency: needs 2 ranks; start it with mpiexec -n 2\n");
        status = 2;
    }
    if (status == 0 && rank < 2 && run(&options, rank) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
