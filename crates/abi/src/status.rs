//! `MPI_Status`: three public fields and five integers of ours (MPI 5.0, section 20.3.4).
//!
//! ```text
//! MPI_internal[0..2]  bytes received, u64, low half first
//! MPI_internal[2]     1 if cancelled
//! MPI_internal[3..5]  0
//! ```
//! Called by every body that returns a status.

use crate::generated::constants::MPI_SUCCESS;
use crate::generated::types::MPI_Status;
use starling_core::status::Status;

/// Writes `status` where the caller wants it; `MPI_ERROR` is left alone (section 3.2.5: only
/// calls that return several statuses set it).
///
/// # Safety
/// `to` is `MPI_STATUS_IGNORE` or points to a status of the caller.
#[inline]
pub(crate) unsafe fn write(to: *mut MPI_Status, status: &Status) {
    if to.is_null() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe {
        (*to).MPI_SOURCE = status.source;
        (*to).MPI_TAG = status.tag;
        set_bytes(to, status.bytes);
        set_cancelled(to, status.cancelled);
    }
}

/// As [`write`], with the error code.
///
/// # Safety
/// As for [`write`].
pub(crate) unsafe fn write_with_error(to: *mut MPI_Status, status: &Status) {
    if to.is_null() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe {
        write(to, status);
        (*to).MPI_ERROR = status.error.as_ref().map_or(MPI_SUCCESS, |e| e.code());
    }
}

/// The bytes that a status stands for.
///
/// # Safety
/// `of` points to a status.
pub(crate) unsafe fn bytes(of: *const MPI_Status) -> u64 {
    // SAFETY: the caller's contract.
    let internal = unsafe { (*of).MPI_internal };
    internal[0] as u32 as u64 | (internal[1] as u32 as u64) << 32
}

/// # Safety
/// `of` points to a status of the caller.
pub(crate) unsafe fn set_bytes(of: *mut MPI_Status, bytes: u64) {
    // SAFETY: the caller's contract.
    unsafe {
        (*of).MPI_internal[0] = bytes as u32 as i32;
        (*of).MPI_internal[1] = (bytes >> 32) as u32 as i32;
    }
}

/// # Safety
/// `of` points to a status.
pub(crate) unsafe fn is_cancelled(of: *const MPI_Status) -> bool {
    // SAFETY: the caller's contract.
    unsafe { (*of).MPI_internal[2] & 1 != 0 }
}

/// # Safety
/// `of` points to a status of the caller.
pub(crate) unsafe fn set_cancelled(of: *mut MPI_Status, cancelled: bool) {
    // SAFETY: the caller's contract.
    unsafe { (*of).MPI_internal[2] = cancelled as i32 };
}
