//! Probing, and receiving matched messages (MPI 5.0, section 3.8): bodies of the chapter `p2p`.

use crate::decode::{insert, invalid_handle, narrow, null_handle, require, Peer};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::p2p::{finish_receive, new_request, recv_activity};
use crate::status;
use starling_core::comm::Comm;
use starling_core::error::{Class, Result};
use starling_core::handle::Kind;
use starling_core::p2p::probe::Matched;
use starling_core::status::{Status, ANY_SOURCE};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// What a probe asks for; `None` as source stands for `MPI_PROC_NULL`.
fn wanted(
    call: &Call,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result<(Rc<Comm>, Option<i32>, c_int)> {
    let comm = call.comm(comm)?;
    let source = match call.source(&comm, source)? {
        Peer::Rank(rank) => Some(rank as i32),
        Peer::Any => Some(ANY_SOURCE),
        Peer::Null => None,
    };
    Ok((comm, source, call.recv_tag(tag)?))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn probe(
    call: &Call,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    to: *mut MPI_Status,
) -> Result<()> {
    let (comm, source, tag) = wanted(call, source, tag, comm)?;
    let found = match source {
        Some(source) => call.rank.probe(&comm.queue, source, tag)?,
        None => Status::NO_PROCESS,
    };
    // SAFETY: as for this function.
    unsafe { status::write(to, &found) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn iprobe(
    call: &Call,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    require(flag, "flag")?;
    let (comm, source, tag) = wanted(call, source, tag, comm)?;
    let found = match source {
        Some(source) => call.rank.probe_now(&comm.queue, source, tag)?,
        None => Some(Status::NO_PROCESS),
    };
    // SAFETY: as for this function.
    unsafe {
        *flag = found.is_some() as c_int;
        if let Some(found) = found {
            status::write(to, &found);
        }
    }
    Ok(())
}

/// Gives a matched message a handle.
fn keep(call: &Call, matched: Matched) -> Result<MPI_Message> {
    Ok(MPI_Message(insert(&call.rank.messages, matched, "matched messages")? as usize))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn mprobe(
    call: &Call,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *mut MPI_Message,
    to: *mut MPI_Status,
) -> Result<()> {
    require(message, "message")?;
    let (comm, source, tag) = wanted(call, source, tag, comm)?;
    let (handle, found) = match source {
        None => (MPI_MESSAGE_NO_PROC, Status::NO_PROCESS),
        Some(source) => loop {
            call.rank.probe(&comm.queue, source, tag)?;
            // Another thread may have taken it in between.
            if let Some((matched, found)) = call.rank.take_now(&comm, &comm.queue, source, tag)? {
                break (keep(call, matched)?, found);
            }
        },
    };
    // SAFETY: as for this function.
    unsafe {
        *message = handle;
        status::write(to, &found);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn improbe(
    call: &Call,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    message: *mut MPI_Message,
    to: *mut MPI_Status,
) -> Result<()> {
    require(flag, "flag")?;
    require(message, "message")?;
    let (comm, source, tag) = wanted(call, source, tag, comm)?;
    let found = match source {
        None => Some((MPI_MESSAGE_NO_PROC, Status::NO_PROCESS)),
        Some(source) => match call.rank.take_now(&comm, &comm.queue, source, tag)? {
            Some((matched, found)) => Some((keep(call, matched)?, found)),
            None => None,
        },
    };
    // SAFETY: as for this function.
    unsafe {
        *flag = found.is_some() as c_int;
        *message = MPI_MESSAGE_NULL;
        if let Some((handle, found)) = found {
            *message = handle;
            status::write(to, &found);
        }
    }
    Ok(())
}

/// Takes the message of a handle; `None` for `MPI_MESSAGE_NO_PROC`.
///
/// # Safety
/// `message` is a pointer of the caller.
unsafe fn take(call: &Call, message: *mut MPI_Message) -> Result<Option<Matched>> {
    require(message, "message")?;
    // SAFETY: as for this function.
    let value = unsafe { *message };
    if value == MPI_MESSAGE_NULL {
        return Err(null_handle(Class::REQUEST, "MPI_MESSAGE_NULL"));
    }
    if value == MPI_MESSAGE_NO_PROC {
        return Ok(None);
    }
    let matched = call.rank.messages.borrow_mut().remove(narrow(value.0));
    matched.map(Some).map_err(|why| invalid_handle(Class::REQUEST, Kind::Message, value.0, why))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn mrecv(
    call: &Call,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    to: *mut MPI_Status,
) -> Result<()> {
    let buffer = call.buffer(buf, count, datatype)?;
    // SAFETY: as for this function; the call returns when the receive is complete.
    unsafe {
        let matched = take(call, message)?;
        *message = MPI_MESSAGE_NULL;
        let handle = matched.as_ref().map(|m| m.comm.handle.get());
        let result = match matched {
            None => finish_receive(call, None, None, to),
            Some(m) => {
                let transfer = call.rank.receive_matched(m, &buffer)?;
                finish_receive(call, Some(transfer), None, to)
            }
        };
        result.map_err(|e| match handle {
            Some(handle) => e.on_comm(handle),
            None => e,
        })
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn imrecv(
    call: &Call,
    buf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let buffer = call.buffer(buf, count, datatype)?;
    // SAFETY: as for this function; the user leaves the buffer alone until completion.
    unsafe {
        let matched = take(call, message)?;
        *message = MPI_MESSAGE_NULL;
        let comm = matched.as_ref().map(|m| m.comm.clone()).or_else(|| call.rank.myself().cloned());
        let transfer = match matched {
            Some(m) => Some(call.rank.receive_matched(m, &buffer)?),
            None => None,
        };
        let comm = comm.expect("MPI is initialised, so MPI_COMM_SELF exists");
        new_request(call, recv_activity(transfer), comm, false, request)
    }
}
