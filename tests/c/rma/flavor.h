// Windows of every flavour that has memory of its own, for programs that go through all of them.
// Included by programs of this folder.
#ifndef STARLING_TESTS_RMA_FLAVOR_H
#define STARLING_TESTS_RMA_FLAVOR_H

#include "check.h"

enum { CREATED, ALLOCATED, SHARED, FLAVORS };

// Makes a window on MPI_COMM_WORLD whose errors return; `*base` is this process's part, zeroed.
UNUSED static MPI_Win make_window(int flavor, MPI_Aint bytes, int unit, void *base)
{
    MPI_Win win;
    void *memory = NULL;
    if (flavor == CREATED) {
        memory = malloc(bytes ? bytes : 1);
        OK(MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    } else if (flavor == ALLOCATED) {
        OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    } else {
        OK(MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    }
    memset(memory, 0, bytes);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    *(void **)base = memory;
    return win;
}

UNUSED static void free_window(int flavor, MPI_Win *win, void *base)
{
    OK(MPI_Win_free(win));
    if (flavor == CREATED)
        free(base);
}

#endif
