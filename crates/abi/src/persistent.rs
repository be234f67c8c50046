//! Persistent point-to-point requests (MPI 5.0, section 3.9): bodies of the chapter `p2p`.
//! A persistent request keeps a closure that starts the operation anew.

use crate::decode::{insert, require};
use crate::entry::Call;
use crate::generated::types::*;
use crate::p2p::{recv_activity, send_activity, How, RecvArgs, SendArgs};
use starling_core::comm::Comm;
use starling_core::error::Result;
use starling_core::request::{Request, Start};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// Makes an inactive persistent request.
///
/// # Safety
/// `to` points to a request of the caller.
pub(crate) unsafe fn new_persistent(
    call: &Call,
    start: Start,
    comm: Rc<Comm>,
    is_send: bool,
    to: *mut MPI_Request,
) -> Result<()> {
    let request = Request {
        activity: None,
        start: Some(start),
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

macro_rules! persistent_sends {
    ($($name:ident, $how:expr;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $name(
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
            let (comm, function) = (args.comm.clone(), call.function);
            let start: Start = Rc::new(move |rank| {
                // SAFETY: the user leaves the buffer alone while the request is active (3.9).
                let started = unsafe { args.start(&Call { function, rank }, $how) };
                started.map(send_activity)
            });
            // SAFETY: `request` is the caller's.
            unsafe { new_persistent(call, start, comm, true, request) }
        }
    )* };
}

persistent_sends! {
    send_init, How::Standard;
    ssend_init, How::Synchronous;
    rsend_init, How::Standard;
    bsend_init, How::Buffered;
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn recv_init(
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
    let (comm, function) = (args.comm.clone(), call.function);
    let start: Start = Rc::new(move |rank| {
        // SAFETY: the user leaves the buffer alone while the request is active (3.9).
        let started = unsafe { args.start(&Call { function, rank }) };
        started.map(recv_activity)
    });
    // SAFETY: `request` is the caller's.
    unsafe { new_persistent(call, start, comm, false, request) }
}
