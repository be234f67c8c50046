//! The result of a communication, before `abi` writes it into an `MPI_Status`.

use crate::error::Error;

/// `MPI_ANY_SOURCE`.
pub const ANY_SOURCE: i32 = -1;
/// `MPI_ANY_TAG`.
pub const ANY_TAG: i32 = -2;
/// `MPI_PROC_NULL`.
pub const PROC_NULL: i32 = -3;
/// `MPI_ROOT`.
pub const ROOT: i32 = -4;
/// `MPI_UNDEFINED`.
pub const UNDEFINED: i32 = -32766;

/// Who sent, with which tag, how much, and how it ended.
#[derive(Clone, Debug)]
pub struct Status {
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// Tag of the message.
    pub tag: i32,
    /// Bytes received.
    pub bytes: u64,
    /// Whether the operation was cancelled.
    pub cancelled: bool,
    /// Why it failed.
    pub error: Option<Error>,
}

impl Status {
    /// The empty status (MPI 5.0, section 3.7.3): any source, any tag, no bytes.
    pub const EMPTY: Status =
        Status { source: ANY_SOURCE, tag: ANY_TAG, bytes: 0, cancelled: false, error: None };

    /// What a receive from `MPI_PROC_NULL` gives (section 3.10).
    pub const NO_PROCESS: Status =
        Status { source: PROC_NULL, tag: ANY_TAG, bytes: 0, cancelled: false, error: None };
}
