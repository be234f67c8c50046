//! Point-to-point: blocking and non-blocking sends and receives, and buffers for buffered sends
//! (MPI 5.0, sections 3.2 to 3.7). Probes are in `probe.rs`, persistent ones in `persistent.rs`,
//! combined ones in `sendrecv.rs`; all are bodies of this chapter, re-exported here.

pub(crate) use crate::persistent::*;
pub(crate) use crate::probe::*;
pub(crate) use crate::sendrecv::*;
pub(crate) use crate::session_buffer::*;

use crate::decode::{bad, insert, require, Peer};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::ints::IntPtr;
use crate::status;
use starling_core::buffer::Buffer;
use starling_core::comm::Comm;
use starling_core::error::{Class, Result};
use starling_core::p2p::bsend::{Attached, Buffers};
use starling_core::p2p::{Mode, TransferId};
use starling_core::request::{Activity, Request};
use starling_core::status::{Status, ANY_SOURCE};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// A send, decoded.
#[derive(Clone)]
pub(crate) struct SendArgs {
    pub comm: Rc<Comm>,
    pub buffer: Buffer,
    pub dest: Peer,
    pub tag: c_int,
}

/// How a send is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Standard,
    Synchronous,
    Buffered,
}

/// A receive, decoded.
#[derive(Clone)]
pub(crate) struct RecvArgs {
    pub comm: Rc<Comm>,
    pub buffer: Buffer,
    pub source: Peer,
    pub tag: c_int,
}

impl SendArgs {
    #[inline]
    pub fn decode(
        call: &Call,
        buf: *const c_void,
        count: i64,
        datatype: MPI_Datatype,
        dest: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> Result<SendArgs> {
        let comm = call.comm(comm)?;
        let dest = call.destination(&comm, dest)?;
        let tag = call.send_tag(tag)?;
        let buffer = call.buffer(buf, count, datatype)?;
        Ok(SendArgs { comm, buffer, dest, tag })
    }

    /// Starts the send; `None` if it is complete.
    ///
    /// # Safety
    /// The user keeps the buffer in place until the send is complete.
    #[inline]
    pub unsafe fn start(&self, call: &Call, how: How) -> Result<Option<TransferId>> {
        let Peer::Rank(rank) = self.dest else { return Ok(None) };
        let to = self.comm.destination(rank, self.tag);
        // SAFETY: the caller's contract.
        unsafe {
            match how {
                How::Standard => call.rank.send(to, &self.buffer, Mode::Standard),
                How::Synchronous => call.rank.send(to, &self.buffer, Mode::Synchronous),
                How::Buffered => {
                    let session = call.rank.session_of(&self.comm);
                    let of_session = session.as_ref().map(|session| &session.bsend);
                    let pools = std::iter::once(&self.comm.bsend).chain(of_session);
                    let attached = pools.into_iter().find(|pool| pool.borrow().is_attached());
                    let pool = attached.unwrap_or(&call.rank.bsend);
                    call.rank.send_buffered(pool, to, &self.buffer).map(|()| None)
                }
            }
        }
    }
}

impl RecvArgs {
    #[inline]
    pub fn decode(
        call: &Call,
        buf: *mut c_void,
        count: i64,
        datatype: MPI_Datatype,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
    ) -> Result<RecvArgs> {
        let comm = call.comm(comm)?;
        let source = call.source(&comm, source)?;
        let tag = call.recv_tag(tag)?;
        let buffer = call.buffer(buf, count, datatype)?;
        Ok(RecvArgs { comm, buffer, source, tag })
    }

    /// Starts the receive; `None` if there is nobody to receive from.
    ///
    /// # Safety
    /// The user keeps the buffer in place until the receive is complete.
    #[inline]
    pub unsafe fn start(&self, call: &Call) -> Result<Option<TransferId>> {
        let source = match self.source {
            Peer::Rank(rank) => rank as i32,
            Peer::Any => ANY_SOURCE,
            Peer::Null => return Ok(None),
        };
        // SAFETY: the caller's contract.
        unsafe { call.rank.receive(&self.comm.queue, source, self.tag, &self.buffer) }.map(Some)
    }

    /// World rank of the sender, if there is only one possible.
    #[inline]
    pub fn world_source(&self) -> Option<u32> {
        match self.source {
            Peer::Rank(rank) => Some(self.comm.peers().world(rank)),
            _ => None,
        }
    }
}

/// Waits for a blocking receive and gives its status to the caller.
///
/// # Safety
/// `to` is `MPI_STATUS_IGNORE` or a status of the caller.
pub(crate) unsafe fn finish_receive(
    call: &Call,
    transfer: Option<TransferId>,
    from: Option<u32>,
    to: *mut MPI_Status,
) -> Result<()> {
    let mut received = match transfer {
        Some(transfer) => call.rank.finish(transfer, from)?,
        None => Status::NO_PROCESS,
    };
    // SAFETY: the caller's contract.
    unsafe { status::write(to, &received) };
    received.error.take().map_or(Ok(()), Err)
}

/// Makes a request for something that has been started.
///
/// # Safety
/// `to` points to a request of the caller.
pub(crate) unsafe fn new_request(
    call: &Call,
    activity: Activity,
    comm: Rc<Comm>,
    is_send: bool,
    to: *mut MPI_Request,
) -> Result<()> {
    let request = Request {
        activity: Some(activity),
        start: None,
        comm: Some(comm),
        made_by: call.function.name,
        keep: None,
        is_send,
    };
    let handle = insert(&call.rank.requests, request, "requests")?;
    // SAFETY: the caller's contract.
    unsafe { *to = MPI_Request(handle as usize) };
    Ok(())
}

pub(crate) fn send_activity(started: Option<TransferId>) -> Activity {
    started.map_or(Activity::Complete(Status::EMPTY), Activity::Transfer)
}

pub(crate) fn recv_activity(started: Option<TransferId>) -> Activity {
    started.map_or(Activity::Complete(Status::NO_PROCESS), Activity::Transfer)
}

macro_rules! sends {
    ($($blocking:ident, $nonblocking:ident, $how:expr;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        #[inline]
        pub(crate) unsafe fn $blocking(
            call: &Call,
            buf: *const c_void,
            count: i64,
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
        ) -> Result<()> {
            let args = SendArgs::decode(call, buf, count, datatype, dest, tag, comm)?;
            // SAFETY: the call returns when the send is complete.
            match unsafe { args.start(call, $how) }? {
                None => Ok(()),
                Some(id) => call.rank.finish(id, None)?.error.map_or(Ok(()), Err),
            }
        }

        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $nonblocking(
            call: &Call,
            buf: *const c_void,
            count: i64,
            datatype: MPI_Datatype,
            dest: c_int,
            tag: c_int,
            comm: MPI_Comm,
            request: *mut MPI_Request,
        ) -> Result<()> {
            require(request, "request")?;
            let args = SendArgs::decode(call, buf, count, datatype, dest, tag, comm)?;
            // SAFETY: the user leaves the buffer alone until the request is complete (3.7.2).
            unsafe {
                let activity = send_activity(args.start(call, $how)?);
                new_request(call, activity, args.comm, true, request)
            }
        }
    )* };
}

sends! {
    send, isend, How::Standard;
    ssend, issend, How::Synchronous;
    rsend, irsend, How::Standard;
    bsend, ibsend, How::Buffered;
}

/// # Safety
/// The arguments are those of the C caller.
#[inline]
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn recv(
    call: &Call,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Result<()> {
    let args = RecvArgs::decode(call, buf, count, datatype, source, tag, comm)?;
    // SAFETY: the call returns when the receive is complete; `status` is the caller's.
    unsafe {
        if let Peer::Rank(rank) = args.source {
            let from = args.comm.origin(rank, args.tag);
            let received = call.rank.receive_at_once(&args.comm.queue, from, &args.buffer)?;
            if let Some(received) = received {
                status::write(status, &received);
                return Ok(());
            }
        }
        let transfer = args.start(call)?;
        finish_receive(call, transfer, args.world_source(), status)
    }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn irecv(
    call: &Call,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let args = RecvArgs::decode(call, buf, count, datatype, source, tag, comm)?;
    // SAFETY: the user leaves the buffer alone until the request is complete (3.7.2).
    unsafe {
        let activity = recv_activity(args.start(call)?);
        new_request(call, activity, args.comm, false, request)
    }
}

pub(crate) fn attach(pool: &RefCell<Buffers>, buffer: *mut c_void, size: i64) -> Result<()> {
    if buffer.cast_const() == MPI_BUFFER_AUTOMATIC {
        return pool.borrow_mut().attach(Attached::Automatic);
    }
    if size < 0 {
        return Err(bad(Class::ARG, format!("the size of the buffer is {size} bytes")));
    }
    if buffer.is_null() && size > 0 {
        return Err(bad(Class::BUFFER, "the buffer is a null pointer"));
    }
    pool.borrow_mut().attach(Attached::User(buffer as usize, size as u64))
}

pub(crate) fn flush(call: &Call, pool: &RefCell<Buffers>) -> Result<()> {
    call.rank.wait_until(None, || pool.borrow_mut().drained(call.rank))
}

/// # Safety
/// `address` points to a pointer of the caller.
pub(crate) unsafe fn detach(
    call: &Call,
    pool: &RefCell<Buffers>,
    address: *mut c_void,
    size: IntPtr,
) -> Result<()> {
    require(address, "buffer_addr")?;
    if size.is_null() {
        return Err(bad(Class::ARG, "the argument size is a null pointer"));
    }
    flush(call, pool)?;
    let (buffer, bytes) = match pool.borrow_mut().detach() {
        Some(Attached::User(buffer, bytes)) => (buffer as *mut c_void, bytes as i64),
        Some(Attached::Automatic) => (MPI_BUFFER_AUTOMATIC.cast_mut(), 0),
        None => return Err(bad(Class::BUFFER, "no buffer is attached")),
    };
    // SAFETY: the caller's contract; the user's pointer may be anywhere.
    unsafe { address.cast::<*mut c_void>().write_unaligned(buffer) };
    size.set(bytes);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn buffer_attach(call: &Call, buffer: *mut c_void, size: i64) -> Result<()> {
    attach(&call.rank.bsend, buffer, size)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn buffer_detach(call: &Call, addr: *mut c_void, size: IntPtr) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { detach(call, &call.rank.bsend, addr, size) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn buffer_flush(call: &Call) -> Result<()> {
    flush(call, &call.rank.bsend)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn buffer_iflush(call: &Call, request: *mut MPI_Request) -> Result<()> {
    let rank = call.rank;
    let drained = move || rank.bsend.borrow_mut().drained(rank);
    // SAFETY: as for this function.
    unsafe { iflush(call, on_myself(call), drained, request) }
}

/// Whose error handler is used for a request that belongs to no communicator.
pub(crate) fn on_myself(call: &Call) -> Rc<Comm> {
    call.rank.myself().expect("a session is open or the world active").clone()
}

/// A request that is complete when the messages buffered so far have left.
///
/// # Safety
/// `request` points to a request of the caller.
pub(crate) unsafe fn iflush(
    call: &Call,
    comm: Rc<Comm>,
    drained: impl Fn() -> bool + 'static,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let rank = call.rank;
    let drained = std::future::poll_fn(move |_| match drained() {
        true => std::task::Poll::Ready(Ok(())),
        false => std::task::Poll::Pending,
    });
    let operation = starling_core::coll::Operation::start(rank, drained);
    // SAFETY: the caller's contract.
    unsafe { new_request(call, Activity::Collective(operation), comm, true, request) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_attach_buffer(
    call: &Call,
    comm: MPI_Comm,
    buffer: *mut c_void,
    size: i64,
) -> Result<()> {
    attach(&call.comm(comm)?.bsend, buffer, size)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_detach_buffer(
    call: &Call,
    comm: MPI_Comm,
    addr: *mut c_void,
    size: IntPtr,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { detach(call, &call.comm(comm)?.bsend, addr, size) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_flush_buffer(call: &Call, comm: MPI_Comm) -> Result<()> {
    flush(call, &call.comm(comm)?.bsend)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_iflush_buffer(
    call: &Call,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    let (comm, rank) = (call.comm(comm)?, call.rank);
    let pool = comm.clone();
    let drained = move || pool.bsend.borrow_mut().drained(rank);
    // SAFETY: as for this function.
    unsafe { iflush(call, comm, drained, request) }
}
