//! The shared library of the MPI 5.0 standard ABI: everything is re-exported from `starling-abi`.
pub use starling_abi::*;
