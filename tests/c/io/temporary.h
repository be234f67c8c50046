// A file name that no other job has, the same on all ranks; and what the tests of files share.
#ifndef STARLING_TESTS_TEMPORARY_H
#define STARLING_TESTS_TEMPORARY_H

#include "check.h"
#include <unistd.h>

static char temporary[300];

// Every test calls it first; the file does not exist then.
UNUSED static const char *temporary_name(void)
{
    const char *folder = getenv("TMPDIR");
    if (rank == 0) {
        snprintf(temporary, sizeof temporary, "%s/starling-io-%ld.tmp", folder ? folder : ".",
                 (long)getpid());
        unlink(temporary);
    }
    OK(MPI_Bcast(temporary, sizeof temporary, MPI_CHAR, 0, MPI_COMM_WORLD));
    return temporary;
}

UNUSED static MPI_File open_file(MPI_Comm comm, int amode)
{
    MPI_File file;
    OK(MPI_File_open(comm, temporary, amode, MPI_INFO_NULL, &file));
    return file;
}

// The file is gone afterwards.
UNUSED static void remove_file(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        OK(MPI_File_delete(temporary, MPI_INFO_NULL));
}

// The status says so many bytes.
#define CHECK_BYTES(status, bytes)                                                             \
    do {                                                                                       \
        MPI_Count check_bytes = -1;                                                            \
        OK(MPI_Get_count_c(&(status), MPI_BYTE, &check_bytes));                                \
        CHECK_EQ(check_bytes, bytes);                                                          \
    } while (0)

// Reads a part of the file without MPI; bytes behind its end are 0. Returns how many there are.
UNUSED static long read_directly(void *into, long from, long bytes)
{
    memset(into, 0, bytes);
    FILE *file = fopen(temporary, "rb");
    CHECK(file != NULL);
    if (!file)
        return 0;
    fseek(file, from, SEEK_SET);
    long got = fread(into, 1, bytes, file);
    fclose(file);
    return got;
}

#endif
