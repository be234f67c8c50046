// For programs that start themselves: what the started ones do is chosen by their first argument.
// Included by the programs of this folder, after check.h.
#ifndef STARLING_TESTS_CHILD_H
#define STARLING_TESTS_CHILD_H

static MPI_Comm parent UNUSED = MPI_COMM_NULL;

// After check_init: whether this process was started by another. Errors return.
UNUSED static int is_child(void)
{
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL)
        OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    return parent != MPI_COMM_NULL;
}

// Every process of one group tells every process of the other who it is, and hears the same.
UNUSED static void greet(MPI_Comm inter, int mine, int theirs)
{
    int own, others, known[2] = {0, 0};
    OK(MPI_Comm_rank(inter, &own));
    OK(MPI_Comm_remote_size(inter, &others));
    for (int i = 0; i < others; i++) {
        int out[2] = {mine, own};
        MPI_Request request;
        OK(MPI_Isend(out, 2, MPI_INT, i, 5, inter, &request));
        OK(MPI_Recv(known, 2, MPI_INT, i, 5, inter, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(known[0], theirs);
        CHECK_EQ(known[1], i);
    }
}

#endif
