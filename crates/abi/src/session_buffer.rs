//! Buffers for buffered sends on communicators that come from a session (MPI 5.0, section 3.6):
//! bodies of the chapter `p2p`.

use crate::decode::require;
use crate::entry::Call;
use crate::generated::types::*;
use crate::ints::IntPtr;
use crate::p2p::{attach, detach, flush, iflush, on_myself};
use crate::session::find;
use starling_core::error::Result;
use std::ffi::c_void;

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_attach_buffer(
    call: &Call,
    session: MPI_Session,
    buffer: *mut c_void,
    size: i64,
) -> Result<()> {
    attach(&find(call, session)?.bsend, buffer, size)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_detach_buffer(
    call: &Call,
    session: MPI_Session,
    addr: *mut c_void,
    size: IntPtr,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { detach(call, &find(call, session)?.bsend, addr, size) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_flush_buffer(call: &Call, session: MPI_Session) -> Result<()> {
    flush(call, &find(call, session)?.bsend)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_iflush_buffer(
    call: &Call,
    session: MPI_Session,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let (session, rank) = (find(call, session)?, call.rank);
    let drained = move || session.bsend.borrow_mut().drained(rank);
    // SAFETY: as for this function.
    unsafe { iflush(call, on_myself(call), drained, request) }
}
