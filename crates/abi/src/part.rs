//! Partitioned communication (MPI 5.0, chapter 4). The engine's part is in `core::part`; a
//! request keeps its side of the communication in `keep`, where `MPI_Pready` and `MPI_Parrived`
//! find it.

use crate::comm_create::hints;
use crate::decode::{bad, insert, null_handle, require, Peer};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::request::with_request;
use starling_core::comm::Comm;
use starling_core::error::{Class, Error, Result};
use starling_core::part::{Partitions, Receiver, Sender};
use starling_core::request::{Request, Start};
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// The caller's buffer of `partitions` times `count` elements.
fn partitions(
    call: &Call,
    buf: *const c_void,
    partitions: c_int,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<Partitions> {
    let Ok(number) = u32::try_from(partitions) else {
        let text = format!("the number of partitions is {partitions}; it must not be negative");
        return Err(bad(Class::ARG, text));
    };
    crate::decode::check_count(count)?;
    let Some(all) = count.checked_mul(i64::from(number)) else {
        let text = format!("{number} partitions of {count} elements exceed 2^63 elements");
        return Err(bad(Class::COUNT, text));
    };
    Ok(Partitions { data: call.data(buf, all, datatype)?, count, number })
}

/// Makes an inactive request.
///
/// # Safety
/// `to` points to a request of the caller.
unsafe fn new_request(
    call: &Call,
    start: Start,
    comm: Rc<Comm>,
    side: Rc<dyn Any>,
    is_send: bool,
    to: *mut MPI_Request,
) -> Result<()> {
    let request = Request {
        activity: None,
        start: Some(start),
        comm: Some(comm),
        made_by: call.function.name,
        keep: Some(side),
        is_send,
    };
    let handle = insert(&call.rank.requests, request, "requests")?;
    // SAFETY: the caller's contract.
    unsafe { *to = MPI_Request(handle as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn psend_init(
    call: &Call,
    buf: *const c_void,
    number: c_int,
    count: i64,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let comm = call.comm(comm)?;
    let dest = match call.destination(&comm, dest)? {
        Peer::Rank(dest) => Some(dest),
        _ => None,
    };
    let tag = call.send_tag(tag)?;
    hints(call, info)?;
    let partitions = partitions(call, buf, number, count, datatype)?;
    let side = Sender::new(call.rank, &comm, dest, tag, partitions)?;
    let sender = side.clone();
    let start: Start = Rc::new(move |rank| Ok(sender.start(rank)));
    // SAFETY: `request` is the caller's, not null.
    unsafe { new_request(call, start, comm, side, true, request) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn precv_init(
    call: &Call,
    buf: *mut c_void,
    number: c_int,
    count: i64,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let comm = call.comm(comm)?;
    let source = match call.source(&comm, source)? {
        Peer::Rank(source) => Some(source),
        Peer::Null => None,
        Peer::Any => {
            let text = "the source is MPI_ANY_SOURCE; a partitioned receive names its sender";
            return Err(bad(Class::RANK, text));
        }
    };
    if tag == MPI_ANY_TAG {
        return Err(bad(Class::TAG, "the tag is MPI_ANY_TAG; a partitioned receive names its tag"));
    }
    let tag = call.send_tag(tag)?;
    hints(call, info)?;
    let partitions = partitions(call, buf, number, count, datatype)?;
    let side = Receiver::new(call.rank, &comm, source, tag, partitions)?;
    let receiver = side.clone();
    let start: Start = Rc::new(move |rank| Ok(receiver.start(rank)));
    // SAFETY: `request` is the caller's, not null.
    unsafe { new_request(call, start, comm, side, false, request) }
}

/// The side of a communication that a request stands for, and whether it is active. An error
/// goes to the request's communicator.
fn side<T: 'static>(call: &Call, request: MPI_Request, made_by: &str) -> Result<Found<T>> {
    if request == MPI_REQUEST_NULL {
        return Err(null_handle(Class::REQUEST, "MPI_REQUEST_NULL"));
    }
    let (keep, is_active, comm) = with_request(call, request, |r| {
        (r.keep.clone(), r.activity.is_some(), r.comm.as_ref().map_or(0, |c| c.handle.get()))
    })?;
    match keep.and_then(|keep| keep.downcast::<T>().ok()) {
        Some(side) => Ok(Found { side, is_active, comm }),
        None => {
            let text = format!("the request was not made by {made_by}");
            Err(bad(Class::REQUEST, text).on_comm(comm))
        }
    }
}

struct Found<T> {
    side: Rc<T>,
    is_active: bool,
    comm: u32,
}

fn active_sender(call: &Call, request: MPI_Request) -> Result<Found<Sender>> {
    let found = side::<Sender>(call, request, "MPI_Psend_init")?;
    match found.is_active {
        true => Ok(found),
        false => {
            let text = "the request is not active; start it before its partitions are ready";
            Err(bad(Class::REQUEST, text).on_comm(found.comm))
        }
    }
}

/// Marks partitions ready; none if one of them cannot be.
///
/// # Safety
/// The user leaves the partitions alone until the request is complete.
unsafe fn ready(
    call: &Call,
    request: MPI_Request,
    partitions: impl Iterator<Item = c_int> + Clone,
) -> Result<()> {
    let found = active_sender(call, request)?;
    let on_comm = |error: Error| error.on_comm(found.comm);
    for partition in partitions.clone() {
        found.side.check(partition).map_err(on_comm)?;
    }
    for partition in partitions {
        // SAFETY: the caller's contract.
        unsafe { found.side.ready(call.rank, partition) }.map_err(on_comm)?;
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn pready(call: &Call, partition: c_int, request: MPI_Request) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { ready(call, request, std::iter::once(partition)) }
}

/// Both ends belong to the range.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn pready_range(
    call: &Call,
    partition_low: c_int,
    partition_high: c_int,
    request: MPI_Request,
) -> Result<()> {
    if partition_low > partition_high {
        let text = format!("the range of partitions is {partition_low} to {partition_high}");
        return Err(bad(Class::ARG, text));
    }
    // SAFETY: as for this function.
    unsafe { ready(call, request, partition_low..=partition_high) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn pready_list(
    call: &Call,
    length: c_int,
    partitions: *const c_int,
    request: MPI_Request,
) -> Result<()> {
    let Ok(length) = usize::try_from(length) else {
        return Err(bad(Class::ARG, format!("the length of the list is {length}")));
    };
    if length > 0 {
        require(partitions, "array_of_partitions")?;
    }
    // SAFETY: the caller's list has that many elements.
    let list = (0..length).map(|i| unsafe { partitions.add(i).read() });
    // SAFETY: as for this function.
    unsafe { ready(call, request, list) }
}

/// Partitions of a request that is not active count as arrived.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn parrived(
    call: &Call,
    request: MPI_Request,
    partition: c_int,
    flag: *mut c_int,
) -> Result<()> {
    require(flag, "flag")?;
    let found = side::<Receiver>(call, request, "MPI_Precv_init")?;
    let look = || found.side.has_arrived(partition).map_err(|e| e.on_comm(found.comm));
    let mut has_arrived = look()?;
    if !has_arrived {
        call.rank.poll()?;
        has_arrived = look()?;
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = (has_arrived || !found.is_active) as c_int };
    Ok(())
}
