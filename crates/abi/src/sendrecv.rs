//! Combined send and receive (MPI 5.0, section 3.10): bodies of the chapter `p2p`.

use crate::decode::require;
use crate::entry::Call;
use crate::generated::types::*;
use crate::p2p::{finish_receive, new_request, How, RecvArgs, SendArgs};
use starling_core::buffer::Buffer;
use starling_core::error::Result;
use starling_core::p2p::TransferId;
use starling_core::request::Activity;
use starling_core::status::Status;
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// Waits for both halves; the status is the receive's.
///
/// # Safety
/// `to` is `MPI_STATUS_IGNORE` or a status of the caller.
unsafe fn finish_both(
    call: &Call,
    receive: Option<TransferId>,
    from: Option<u32>,
    send: Option<TransferId>,
    to: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: the caller's contract.
    let received = unsafe { finish_receive(call, receive, from, to) };
    if let Some(send) = send {
        let sent = call.rank.finish(send, None)?;
        received.and(sent.error.map_or(Ok(()), Err))
    } else {
        received
    }
}

/// A copy of a message, to be sent from while its buffer receives.
fn copy_of(buffer: &Buffer) -> (Box<[u8]>, Buffer) {
    let mut copy = vec![0u8; buffer.bytes() as usize].into_boxed_slice();
    // SAFETY: the user's buffer is readable: it is the one to be sent.
    unsafe { buffer.pack(0, &mut copy) };
    let copied = Buffer::contiguous(copy.as_mut_ptr(), buffer.bytes());
    (copy, copied)
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn sendrecv(
    call: &Call,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result<()> {
    let out = SendArgs::decode(call, sendbuf, sendcount, sendtype, dest, sendtag, comm)?;
    let into = RecvArgs::decode(call, recvbuf, recvcount, recvtype, source, recvtag, comm)?;
    // SAFETY: the call returns when both are complete; `status` is the caller's.
    unsafe {
        let receive = into.start(call)?;
        let send = out.start(call, How::Standard)?;
        finish_both(call, receive, into.world_source(), send, status)
    }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn sendrecv_replace(
    call: &Call,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result<()> {
    let mut out = SendArgs::decode(call, buf, count, datatype, dest, sendtag, comm)?;
    let into = RecvArgs::decode(call, buf, count, datatype, source, recvtag, comm)?;
    let (_copy, copied) = copy_of(&out.buffer);
    out.buffer = copied;
    // SAFETY: as in `sendrecv`; the copy lives until both are complete.
    unsafe {
        let receive = into.start(call)?;
        let send = out.start(call, How::Standard)?;
        finish_both(call, receive, into.world_source(), send, status)
    }
}

/// Starts both halves and makes one request of them.
///
/// # Safety
/// The user keeps both buffers in place until the request is complete.
unsafe fn start_pair(
    call: &Call,
    out: SendArgs,
    into: RecvArgs,
    keep: Option<Rc<dyn Any>>,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let receive = into.start(call)?;
        let send = out.start(call, How::Standard)?;
        let activity = match (receive, send) {
            (Some(receive), send) => Activity::Pair(receive, send),
            (None, Some(send)) => Activity::SendOnly(send),
            (None, None) => Activity::Complete(Status::NO_PROCESS),
        };
        new_request(call, activity, out.comm, false, request)?;
        if let Ok(made) = call.rank.requests.borrow_mut().get_mut((*request).0 as u32) {
            made.keep = keep;
        }
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn isendrecv(
    call: &Call,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let out = SendArgs::decode(call, sendbuf, sendcount, sendtype, dest, sendtag, comm)?;
    let into = RecvArgs::decode(call, recvbuf, recvcount, recvtype, source, recvtag, comm)?;
    // SAFETY: the user leaves the buffers alone until the request is complete.
    unsafe { start_pair(call, out, into, None, request) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn isendrecv_replace(
    call: &Call,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let mut out = SendArgs::decode(call, buf, count, datatype, dest, sendtag, comm)?;
    let into = RecvArgs::decode(call, buf, count, datatype, source, recvtag, comm)?;
    let (copy, copied) = copy_of(&out.buffer);
    out.buffer = copied;
    // SAFETY: the request keeps the copy; the user leaves the buffer alone.
    unsafe { start_pair(call, out, into, Some(Rc::new(copy)), request) }
}
