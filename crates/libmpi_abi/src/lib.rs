//! The shared library of the MPI 5.0 standard ABI: everything in it is `starling-abi`.

#[cfg(all(panic = "unwind", not(test), not(debug_assertions)))]
compile_error!("a panic must not unwind into C: build with panic = \"abort\"");

pub use starling_abi::generated::exports;
