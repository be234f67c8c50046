//! The C entry points of the MPI 5.0 standard ABI.
