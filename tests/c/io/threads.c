// Several threads use one file and files of their own at the same time, blocking and not.
// ranks: 1 2
// timeout: 60
// cflags: -pthread
#include "temporary.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60, BYTES = 20000 };

static MPI_File file;
static MPI_Comm alone[THREADS];

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument, seed = 50 * rank + 10 * thread;
    MPI_Offset place = (MPI_Offset)(rank * THREADS + thread) * 2 * BYTES;
    unsigned char *out = malloc(BYTES), *in = malloc(BYTES);
    MPI_File own = MPI_FILE_NULL;
    MPI_Request requests[2];
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        pattern_fill(out, BYTES, seed + round);
        memset(in, 0, BYTES);
        if (round % 2) {
            OK(MPI_File_write_at(file, place, out, BYTES, MPI_BYTE, &status));
            CHECK_BYTES(status, BYTES);
            OK(MPI_File_read_at(file, place, in, BYTES, MPI_BYTE, &status));
        } else {
            OK(MPI_File_iwrite_at(file, place, out, BYTES / 2, MPI_BYTE, &requests[0]));
            OK(MPI_File_iwrite_at(file, place + BYTES / 2, out + BYTES / 2, BYTES / 2, MPI_BYTE,
                                  &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            OK(MPI_File_iread_at(file, place, in, BYTES, MPI_BYTE, &requests[0]));
            OK(MPI_Wait(&requests[0], &status));
        }
        CHECK_BYTES(status, BYTES);
        CHECK_PATTERN(in, BYTES, seed + round);
        if (round % 20 == 0) {
            OK(MPI_File_open(alone[thread], temporary, MPI_MODE_RDONLY, MPI_INFO_NULL, &own));
            OK(MPI_File_seek(own, place, MPI_SEEK_SET));
            OK(MPI_File_read(own, in, BYTES, MPI_BYTE, &status));
            CHECK_PATTERN(in, BYTES, seed + round);
            OK(MPI_File_close(&own));
        }
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_init_threads(&argc, &argv);
    temporary_name();
    file = open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_dup(MPI_COMM_SELF, &alone[i]));
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        OK(MPI_Comm_free(&alone[i]));
    }
    OK(MPI_File_close(&file));
    remove_file();
    return check_done();
}
