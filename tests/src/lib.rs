//! What the launched tests stand on: where the tools are, what a test program's header says, how
//! it is compiled, and how a job is run under a time limit so that nothing of it survives.
//!
//! Used by `launched.rs`, `bad_arguments.rs` and `job.rs`. It knows nothing of the library: it
//! sees only the staged prefix (`mpicc`, `mpiexec`) that a user would see, so the same tests run
//! on another MPI with the standard ABI (`STARLING_TEST_MPICC`, `STARLING_TEST_MPIEXEC`).

pub mod job;
pub mod place;
pub mod program;

pub use job::{Job, Outcome};
pub use place::Tools;
pub use program::{ExitWanted, Program};
