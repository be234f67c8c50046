/* 2-D heat flow over a picture: bright is hot. A tour of the MPI that most programs need.
 *
 *     mpicc -O3 -ffp-contract=off heat.c png.c -lz -lm -o heat
 *     mpiexec -n 4 ./heat -o result.png murmuration.png
 *
 * The plane is cut into one block a rank over a Cartesian grid. A block is stored with a frame
 * one cell wide, which holds the neighbours' edge cells, or the picture's border: that stays as
 * it is. Each step swaps edges without blocking (columns through a strided datatype), then
 *
 *     change = RATE * (((up + down) + (left + right)) - 4 * here),  next = here + change
 *
 * in just this order, so that the field has the same bits for every number of ranks, and in
 * heat.py. -ffp-contract=off keeps the compiler from fusing the operations. */
#include <mpi.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "png.h"

#define RATE 0.2       /* time step over cell size squared; stable up to 0.25 */
#define CHECK_STEPS 10 /* steps from one residual to the next */

enum { TAG_BLOCK = 1, TAG_UP, TAG_DOWN, TAG_LEFT, TAG_RIGHT };

struct options {
    int iterations, quiet;
    const char *picture, *out, *dump;
};

/* This rank's share of the plane. Rows and columns count the cells that change; (row, column)
 * is where the frame's first cell lies in the picture. */
struct block {
    MPI_Comm grid;
    int rank, ranks, dims[2], rows, columns, row, column;
    int up, down, left, right;
    MPI_Datatype column_type;
    double *now, *next;
};

struct residual {
    double max;     /* the largest change of a cell in the last step */
    double squares; /* all changes of that step, squared and summed */
};

static const char usage[] =
    "usage: heat [-i iterations] [-o result.png] [-d field.bin] [-q] picture.png\n"
    "  -i N     steps to compute, 1 or more (300)\n"
    "  -o FILE  write the result as a picture\n"
    "  -d FILE  write the result as raw numbers, for compare.py\n"
    "  -q       print nothing but errors\n";

/* Reads the command line. Returns -1 to go on, or the status to exit with. */
static int read_options(int argc, char **argv, int rank, struct options *options)
{
    char *end;
    int flag, bad = 0;

    *options = (struct options){.iterations = 300};
    opterr = 0;
    while ((flag = getopt(argc, argv, ":i:o:d:qh")) != -1) {
        switch (flag) {
        case 'i': {
            long steps = strtol(optarg, &end, 10);
            if (*end || end == optarg || steps < 1 || steps > 1000000000) {
                if (rank == 0)
                    fprintf(stderr, "heat: -i takes a number from 1 to 1000000000, not '%s'\n",
                            optarg);
                return 2;
            }
            options->iterations = (int)steps;
            break;
        }
        case 'o': options->out = optarg; break;
        case 'd': options->dump = optarg; break;
        case 'q': options->quiet = 1; break;
        case 'h':
            if (rank == 0)
                fputs(usage, stdout);
            return 0;
        default: bad = 1;
        }
    }
    if (bad || argc - optind != 1) {
        if (rank == 0 && bad)
            fprintf(stderr, "heat: option '-%c' is unknown or lacks its value\n", optopt);
        if (rank == 0)
            fputs(usage, stderr);
        return 2;
    }
    options->picture = argv[optind];
    return -1;
}

/* Memory, or the end of the job with a word about it. */
static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory) {
        fprintf(stderr, "heat: no memory for %zu x %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Rank 0 reads the picture as temperatures from 0 to 1; everyone learns its shape (rows, columns).
 * NULL on the other ranks, and everywhere with shape 0 x 0 when it cannot be read. */
static double *read_picture(const char *path, int rank, int shape[2])
{
    double *plane = NULL;

    if (rank == 0) {
        struct png_picture picture;
        const char *error = png_read(path, &picture);

        shape[0] = shape[1] = 0;
        if (error) {
            fprintf(stderr, "heat: %s: %s\n", path, error);
        } else {
            size_t cells = picture.width * picture.height, step = picture.channels;

            shape[0] = (int)picture.height;
            shape[1] = (int)picture.width;
            plane = allocate(cells, sizeof *plane);
            for (size_t i = 0; i < cells; i++) {
                const unsigned char *p = picture.pixels + i * step;
                plane[i] = step < 3 ? p[0] / 255.0
                                    : (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255.0;
            }
            free(picture.pixels);
        }
    }
    MPI_Bcast(shape, 2, MPI_INT, 0, MPI_COMM_WORLD);
    return plane;
}

/* The cells that rank `coordinate` of `parts` gets of `total`: sizes differ by one at most. */
static void share(int total, int parts, int coordinate, int *first, int *count)
{
    int rest = total % parts, before = coordinate < rest ? coordinate : rest;

    *first = coordinate * (total / parts) + before;
    *count = total / parts + (coordinate < rest);
}

/* Where grid rank `rank` lies in the picture, without its memory. */
static void place(struct block *block, int rank, const int shape[2])
{
    int coords[2];

    MPI_Cart_coords(block->grid, rank, 2, coords);
    share(shape[0] - 2, block->dims[0], coords[0], &block->row, &block->rows);
    share(shape[1] - 2, block->dims[1], coords[1], &block->column, &block->columns);
}

/* Lays the grid over the picture. Returns 0, or 1 when there are more ranks than cells. */
static int make_grid(struct block *block, const int shape[2])
{
    int periodic[2] = {0, 0};
    size_t cells;

    MPI_Comm_size(MPI_COMM_WORLD, &block->ranks);
    block->dims[0] = block->dims[1] = 0;
    MPI_Dims_create(block->ranks, 2, block->dims);
    if (shape[0] - 2 < block->dims[0] || shape[1] - 2 < block->dims[1])
        return 1;
    MPI_Cart_create(MPI_COMM_WORLD, 2, block->dims, periodic, 0, &block->grid);
    MPI_Comm_rank(block->grid, &block->rank);
    MPI_Cart_shift(block->grid, 0, 1, &block->up, &block->down);
    MPI_Cart_shift(block->grid, 1, 1, &block->left, &block->right);
    place(block, block->rank, shape);
    MPI_Type_vector(block->rows, 1, block->columns + 2, MPI_DOUBLE, &block->column_type);
    MPI_Type_commit(&block->column_type);
    cells = (size_t)(block->rows + 2) * (size_t)(block->columns + 2);
    block->now = allocate(cells, sizeof(double));
    block->next = allocate(cells, sizeof(double));
    return 0;
}

/* A block of `rows` x `columns` at (row, column) of the picture, as rank 0 stores it. */
static MPI_Datatype window(const int shape[2], int row, int column, int rows, int columns)
{
    int sizes[2] = {rows, columns}, starts[2] = {row, column};
    MPI_Datatype type;

    MPI_Type_create_subarray(2, shape, sizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Rank 0 sends (deal) everyone's block with its frame, or receives (!deal) it without. */
static void move_blocks(const struct block *mine, double *plane, const int shape[2], int deal)
{
    MPI_Request *requests = allocate((size_t)mine->ranks + 1, sizeof *requests);
    int frame = deal ? 2 : 0, inset = deal ? 0 : 1, pending = 0;
    int own[2] = {mine->rows + 2, mine->columns + 2};
    MPI_Datatype type = window(own, inset, inset, mine->rows + frame, mine->columns + frame);

    if (deal)
        MPI_Irecv(mine->now, 1, type, 0, TAG_BLOCK, mine->grid, &requests[pending++]);
    else
        MPI_Isend(mine->now, 1, type, 0, TAG_BLOCK, mine->grid, &requests[pending++]);
    MPI_Type_free(&type);
    for (int rank = 0; mine->rank == 0 && rank < mine->ranks; rank++) {
        struct block b = *mine;

        place(&b, rank, shape);
        type = window(shape, b.row + inset, b.column + inset, b.rows + frame, b.columns + frame);
        if (deal)
            MPI_Isend(plane, 1, type, rank, TAG_BLOCK, b.grid, &requests[pending++]);
        else
            MPI_Irecv(plane, 1, type, rank, TAG_BLOCK, b.grid, &requests[pending++]);
        MPI_Type_free(&type); /* lives on until the transfer is done */
    }
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

/* Fills the frame with the neighbours' edges. At the plane's rim the neighbour is MPI_PROC_NULL,
 * nothing is sent, and the frame keeps the picture's border. */
static void swap_edges(const struct block *block)
{
    int rows = block->rows, columns = block->columns, pitch = columns + 2;
    double *cells = block->now, *first = cells + pitch + 1, *last = cells + rows * pitch + 1;
    MPI_Datatype column = block->column_type;
    MPI_Comm grid = block->grid;
    MPI_Request r[8];

    MPI_Irecv(cells + 1, columns, MPI_DOUBLE, block->up, TAG_DOWN, grid, &r[0]);
    MPI_Irecv(last + pitch, columns, MPI_DOUBLE, block->down, TAG_UP, grid, &r[1]);
    MPI_Irecv(cells + pitch, 1, column, block->left, TAG_RIGHT, grid, &r[2]);
    MPI_Irecv(first + columns, 1, column, block->right, TAG_LEFT, grid, &r[3]);
    MPI_Isend(first, columns, MPI_DOUBLE, block->up, TAG_UP, grid, &r[4]);
    MPI_Isend(last, columns, MPI_DOUBLE, block->down, TAG_DOWN, grid, &r[5]);
    MPI_Isend(first, 1, column, block->left, TAG_LEFT, grid, &r[6]);
    MPI_Isend(first + columns - 1, 1, column, block->right, TAG_RIGHT, grid, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

static void step(struct block *block)
{
    int pitch = block->columns + 2;
    double *swap;

    for (int y = 1; y <= block->rows; y++) {
        const double *restrict here = block->now + y * pitch;
        double *restrict next = block->next + y * pitch;

        for (int x = 1; x <= block->columns; x++) {
            double around = (here[x - pitch] + here[x + pitch]) + (here[x - 1] + here[x + 1]);
            next[x] = here[x] + RATE * (around - 4.0 * here[x]);
        }
    }
    swap = block->now;
    block->now = block->next;
    block->next = swap;
}

/* What the last step changed, over all ranks. Each rank adds up its cells row by row; in
 * which order the library adds the ranks' sums is its affair (Starling's is always the same). */
static struct residual measure(const struct block *block)
{
    struct residual own = {0.0, 0.0}, all;
    int pitch = block->columns + 2;

    for (int y = 1; y <= block->rows; y++) {
        for (int x = 1; x <= block->columns; x++) {
            double change = block->now[y * pitch + x] - block->next[y * pitch + x];
            own.max = fmax(own.max, fabs(change));
            own.squares += change * change;
        }
    }
    MPI_Allreduce(&own.max, &all.max, 1, MPI_DOUBLE, MPI_MAX, block->grid);
    MPI_Allreduce(&own.squares, &all.squares, 1, MPI_DOUBLE, MPI_SUM, block->grid);
    return all;
}

/* Runs all steps. Returns the residual of the last one, and the seconds they took. */
static struct residual simulate(struct block *block, int iterations, double *seconds)
{
    struct residual residual = {0.0, 0.0};
    size_t cells = (size_t)(block->rows + 2) * (size_t)(block->columns + 2);

    memcpy(block->next, block->now, cells * sizeof(double)); /* for the border in the frame */
    MPI_Barrier(block->grid);
    *seconds = MPI_Wtime();
    for (int i = 1; i <= iterations; i++) {
        swap_edges(block);
        step(block);
        if (i % CHECK_STEPS == 0 || i == iterations)
            residual = measure(block);
    }
    *seconds = MPI_Wtime() - *seconds;
    return residual;
}

/* Temperatures as colours, from black through violet and orange to white. */
static void colour_of(double heat, unsigned char rgb[3])
{
    static const double stops[][4] = {
        {0.00, 6, 4, 20},    {0.16, 38, 14, 78},  {0.34, 100, 24, 112}, {0.52, 172, 46, 92},
        {0.68, 224, 88, 54}, {0.83, 249, 156, 28}, {0.94, 253, 218, 88}, {1.00, 255, 251, 212},
    };
    int i = 1;

    while (i < 7 && heat > stops[i][0])
        i++;
    heat = (heat - stops[i - 1][0]) / (stops[i][0] - stops[i - 1][0]);
    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)(stops[i - 1][c + 1] +
                                 (stops[i][c + 1] - stops[i - 1][c + 1]) * heat + 0.5);
}

/* Writes the plane with its coldest cell as black and its hottest as white. */
static const char *write_picture(const char *path, const double *plane, const int shape[2])
{
    size_t cells = (size_t)shape[0] * (size_t)shape[1];
    unsigned char *pixels = allocate(cells, 3);
    double low = plane[0], high = plane[0];
    const char *error;

    for (size_t i = 1; i < cells; i++) {
        low = fmin(low, plane[i]);
        high = fmax(high, plane[i]);
    }
    for (size_t i = 0; i < cells; i++)
        colour_of(high > low ? (plane[i] - low) / (high - low) : 0.0, pixels + 3 * i);
    error = png_write_rgb(path, (size_t)shape[1], (size_t)shape[0], pixels);
    free(pixels);
    return error;
}

/* Raw numbers for compare.py: rows and columns (int64), residual (2 doubles), the cells. */
static const char *write_dump(const char *path, const double *plane, const int shape[2],
                              struct residual residual)
{
    int64_t head[2] = {shape[0], shape[1]};
    size_t cells = (size_t)shape[0] * (size_t)shape[1];
    FILE *out = fopen(path, "wb");
    int good;

    if (!out)
        return "cannot be opened for writing";
    good = fwrite(head, sizeof head, 1, out) == 1 &&
           fwrite(&residual, sizeof residual, 1, out) == 1 &&
           fwrite(plane, sizeof *plane, cells, out) == cells;
    return fclose(out) == 0 && good ? NULL : "cannot be written in full";
}

/* Rank 0 tells what came out and writes the files. Returns the status to exit with. */
static int report(const struct options *options, const struct block *block, const double *plane,
                  const int shape[2], struct residual residual, double seconds)
{
    size_t bytes = (size_t)shape[0] * (size_t)shape[1] * sizeof *plane;
    const char *error;
    int status = 0;

    if (!options->quiet) {
        printf("heat: %d x %d cells on %d ranks (%d x %d), %d iterations\n", shape[1], shape[0],
               block->ranks, block->dims[0], block->dims[1], options->iterations);
        printf("heat: %.1f iterations per second\n", options->iterations / seconds);
        printf("heat: residual max %.17g (%.13a), squares %.17g (%.13a)\n", residual.max,
               residual.max, residual.squares, residual.squares);
        printf("heat: field crc32 %08lx\n",
               (unsigned long)crc32_z(0, (const unsigned char *)plane, bytes));
    }
    if (options->out && (error = write_picture(options->out, plane, shape))) {
        fprintf(stderr, "heat: %s: %s\n", options->out, error);
        status = 1;
    }
    if (options->dump && (error = write_dump(options->dump, plane, shape, residual))) {
        fprintf(stderr, "heat: %s: %s\n", options->dump, error);
        status = 1;
    }
    return status;
}

/* Everything between reading the picture and the report. Returns the status to exit with. */
static int run(const struct options *options, int rank)
{
    struct residual residual;
    struct block block;
    double seconds, *plane;
    int shape[2], status = 0;

    plane = read_picture(options->picture, rank, shape);
    if (shape[0] == 0)
        return 1;
    if (make_grid(&block, shape)) {
        if (rank == 0)
            fprintf(stderr,
                    "heat: %s is too small: %d x %d pixels for a grid of %d x %d ranks; "
                    "start fewer ranks\n",
                    options->picture, shape[1], shape[0], block.dims[1], block.dims[0]);
        free(plane);
        return 1;
    }
    move_blocks(&block, plane, shape, 1);
    residual = simulate(&block, options->iterations, &seconds);
    move_blocks(&block, plane, shape, 0);
    if (rank == 0)
        status = report(options, &block, plane, shape, residual, seconds);
    MPI_Bcast(&status, 1, MPI_INT, 0, block.grid);
    MPI_Type_free(&block.column_type);
    MPI_Comm_free(&block.grid);
    free(block.now);
    free(block.next);
    free(plane);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    int rank, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    status = read_options(argc, argv, rank, &options);
    if (status < 0)
        status = run(&options, rank);
    MPI_Finalize();
    return status;
}
