//! The MPI engine: ranks, communicators, matching, collectives.
