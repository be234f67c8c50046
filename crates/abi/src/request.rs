//! Requests: waiting, testing, starting, freeing, cancelling (MPI 5.0, sections 3.7.3 to 3.9).
//! Generalised ones are in `grequest.rs`, what statuses hold in `convert.rs`.

pub(crate) use crate::grequest::*;
pub(crate) use crate::request_status::*;
pub(crate) use crate::status_access::*;

use crate::decode::{bad, invalid_handle, narrow, null_handle, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::status;
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use starling_core::request::{Activity, Request};
use starling_core::status::Status;
use std::ffi::c_int;

/// Looks at the request of a handle.
pub(crate) fn with_request<R>(
    call: &Call,
    handle: MPI_Request,
    look: impl FnOnce(&mut Request) -> R,
) -> Result<R> {
    let mut table = call.rank.requests.borrow_mut();
    match table.get_mut(narrow(handle.0)) {
        Ok(request) => Ok(look(request)),
        Err(why) => Err(invalid_handle(Class::REQUEST, Kind::Request, handle.0, why)),
    }
}

/// What a request stands for now; `None` if it is null or inactive.
pub(crate) fn activity(call: &Call, handle: MPI_Request) -> Result<Option<Activity>> {
    if handle == MPI_REQUEST_NULL {
        return Ok(None);
    }
    with_request(call, handle, |request| request.activity.clone())
}

/// Takes the result of a request that is done; it is freed, or inactive if persistent.
///
/// # Safety
/// `request` points to a request of the caller.
pub(crate) unsafe fn complete(call: &Call, request: *mut MPI_Request) -> Result<Status> {
    // SAFETY: the caller's contract.
    let handle = unsafe { *request };
    let taken = with_request(call, handle, |r| {
        (r.activity.take(), r.start.is_some(), r.comm.as_ref().map(|c| c.handle.get()))
    })?;
    let (activity, is_persistent, comm) = taken;
    if !is_persistent {
        let gone = call.rank.requests.borrow_mut().remove(narrow(handle.0));
        drop(gone);
        // SAFETY: the caller's contract.
        unsafe { *request = MPI_REQUEST_NULL };
    }
    let mut status = match activity {
        Some(Activity::Generalized(g)) => finish_generalized(&g),
        Some(activity) => activity.take_status(call.rank),
        None => Status::EMPTY,
    };
    if let Some(comm) = comm {
        status.error = status.error.map(|error| error.on_comm(comm));
    }
    Ok(status)
}

/// Completes one request and gives its status to the caller.
///
/// # Safety
/// `request` points to a request of the caller, `to` is ignored or a status.
unsafe fn complete_one(call: &Call, request: *mut MPI_Request, to: *mut MPI_Status) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        let mut status = complete(call, request)?;
        status::write(to, &status);
        status.error.take().map_or(Ok(()), Err)
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn wait(
    call: &Call,
    request: *mut MPI_Request,
    to: *mut MPI_Status,
) -> Result<()> {
    require(request, "request")?;
    // SAFETY: as for this function.
    unsafe {
        let Some(activity) = activity(call, *request)? else {
            status::write_with_error(to, &Status::EMPTY);
            return Ok(());
        };
        call.rank.wait_until(None, || activity.is_done(call.rank))?;
        complete_one(call, request, to)
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn test(
    call: &Call,
    request: *mut MPI_Request,
    flag: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    require(request, "request")?;
    require(flag, "flag")?;
    // SAFETY: as for this function.
    unsafe {
        *flag = 1;
        let Some(activity) = activity(call, *request)? else {
            status::write_with_error(to, &Status::EMPTY);
            return Ok(());
        };
        if !is_done_now(call, &activity)? {
            *flag = 0;
            return Ok(());
        }
        complete_one(call, request, to)
    }
}

/// Whether something is done, making progress once if it is not.
pub(crate) fn is_done_now(call: &Call, activity: &Activity) -> Result<bool> {
    if activity.is_done(call.rank) {
        return Ok(true);
    }
    call.rank.poll()?;
    Ok(activity.is_done(call.rank))
}

/// The caller's array of requests.
///
/// # Safety
/// `requests` points to `count` requests unless `count` is 0.
pub(crate) unsafe fn list<'a>(
    count: c_int,
    requests: *mut MPI_Request,
) -> Result<&'a mut [MPI_Request]> {
    if count < 0 {
        return Err(bad(Class::COUNT, format!("the number of requests is {count}")));
    }
    if count == 0 {
        return Ok(&mut []);
    }
    require(requests, "array_of_requests")?;
    // SAFETY: the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts_mut(requests, count as usize) })
}

/// The activities of all; an error about the first bad handle.
pub(crate) fn activities(call: &Call, requests: &[MPI_Request]) -> Result<Vec<Option<Activity>>> {
    requests.iter().map(|r| activity(call, *r)).collect()
}

fn done(call: &Call, activity: &Option<Activity>) -> bool {
    activity.as_ref().is_none_or(|a| a.is_done(call.rank))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn waitall(
    call: &Call,
    count: c_int,
    requests: *mut MPI_Request,
    statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe {
        let requests = list(count, requests)?;
        let activities = activities(call, requests)?;
        let mut next = 0;
        call.rank.wait_until(None, || {
            while next < activities.len() && done(call, &activities[next]) {
                next += 1;
            }
            next == activities.len()
        })?;
        complete_all(call, requests, &activities, statuses)
    }
}

/// Completes all; with an error in one, statuses carry every error (section 3.7.5).
///
/// # Safety
/// `statuses` is ignored or as long as `requests`.
unsafe fn complete_all(
    call: &Call,
    requests: &mut [MPI_Request],
    activities: &[Option<Activity>],
    statuses: *mut MPI_Status,
) -> Result<()> {
    let mut results = Vec::with_capacity(requests.len());
    let mut first: Option<Error> = None;
    for (request, activity) in requests.iter_mut().zip(activities) {
        let status = match activity {
            // SAFETY: a request of the caller's array.
            Some(_) => unsafe { complete(call, request) }?,
            None => Status::EMPTY,
        };
        first = first.or_else(|| status.error.clone());
        results.push(status);
    }
    for (i, status) in results.iter().enumerate().filter(|_| !statuses.is_null()) {
        // SAFETY: the caller's contract.
        unsafe {
            match first.is_some() {
                true => status::write_with_error(statuses.add(i), status),
                false => status::write(statuses.add(i), status),
            }
        }
    }
    first.map_or(Ok(()), |error| Err(in_status(error)))
}

/// `MPI_ERR_IN_STATUS`, with the words of the first error.
pub(crate) fn in_status(error: Error) -> Error {
    let text = format!("a request failed (see the statuses): {error}");
    let result = bad(Class::IN_STATUS, text);
    match error.comm() {
        Some(comm) => result.on_comm(comm),
        None => result,
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn testall(
    call: &Call,
    count: c_int,
    requests: *mut MPI_Request,
    flag: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result<()> {
    require(flag, "flag")?;
    // SAFETY: as for this function.
    unsafe {
        let requests = list(count, requests)?;
        let activities = activities(call, requests)?;
        let mut all = activities.iter().all(|a| done(call, a));
        if !all {
            call.rank.poll()?;
            all = activities.iter().all(|a| done(call, a));
        }
        *flag = all as c_int;
        if !all {
            return Ok(());
        }
        complete_all(call, requests, &activities, statuses)
    }
}

/// Index of a request that is done; `Ok(None)` if none is, `Err(())` if none is active.
fn find_done(
    call: &Call,
    activities: &[Option<Activity>],
) -> std::result::Result<Option<usize>, ()> {
    let mut any_active = false;
    for (i, activity) in activities.iter().enumerate() {
        if let Some(activity) = activity {
            any_active = true;
            if activity.is_done(call.rank) {
                return Ok(Some(i));
            }
        }
    }
    if any_active {
        Ok(None)
    } else {
        Err(())
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn waitany(
    call: &Call,
    count: c_int,
    requests: *mut MPI_Request,
    index: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    require(index, "index")?;
    // SAFETY: as for this function.
    unsafe {
        let requests = list(count, requests)?;
        let activities = activities(call, requests)?;
        let mut found = find_done(call, &activities);
        call.rank.wait_until(None, || {
            found = find_done(call, &activities);
            found != Ok(None)
        })?;
        finish_any(call, requests, found, index, to)
    }
}

/// # Safety
/// The pointers are the caller's.
unsafe fn finish_any(
    call: &Call,
    requests: &mut [MPI_Request],
    found: std::result::Result<Option<usize>, ()>,
    index: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        match found {
            Ok(Some(i)) => {
                *index = i as c_int;
                complete_one(call, &mut requests[i], to)
            }
            _ => {
                *index = MPI_UNDEFINED;
                status::write_with_error(to, &Status::EMPTY);
                Ok(())
            }
        }
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn testany(
    call: &Call,
    count: c_int,
    requests: *mut MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    require(index, "index")?;
    require(flag, "flag")?;
    // SAFETY: as for this function.
    unsafe {
        let requests = list(count, requests)?;
        let activities = activities(call, requests)?;
        let mut found = find_done(call, &activities);
        if found == Ok(None) {
            call.rank.poll()?;
            found = find_done(call, &activities);
        }
        if found == Ok(None) {
            *flag = 0;
            *index = MPI_UNDEFINED;
            return Ok(());
        }
        *flag = 1;
        finish_any(call, requests, found, index, to)
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn waitsome(
    call: &Call,
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { some(call, incount, requests, outcount, indices, statuses, true) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn testsome(
    call: &Call,
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { some(call, incount, requests, outcount, indices, statuses, false) }
}

/// # Safety
/// The pointers are the caller's.
unsafe fn some(
    call: &Call,
    incount: c_int,
    requests: *mut MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
    wait: bool,
) -> Result<()> {
    require(outcount, "outcount")?;
    // SAFETY: the caller's contract.
    unsafe {
        let requests = list(incount, requests)?;
        if incount > 0 {
            require(indices, "array_of_indices")?;
        }
        let activities = activities(call, requests)?;
        let found = find_done(call, &activities);
        if found == Err(()) {
            *outcount = MPI_UNDEFINED;
            return Ok(());
        }
        if found == Ok(None) {
            match wait {
                true => call.rank.wait_until(None, || find_done(call, &activities) != Ok(None))?,
                false => _ = call.rank.poll()?,
            }
        }
        let mut count = 0;
        let mut results = Vec::new();
        for (i, activity) in activities.iter().enumerate() {
            if activity.as_ref().is_some_and(|a| a.is_done(call.rank)) {
                *indices.add(count) = i as c_int;
                results.push(complete(call, &mut requests[i])?);
                count += 1;
            }
        }
        *outcount = count as c_int;
        let first = results.iter().find_map(|s| s.error.clone());
        for (i, status) in results.iter().enumerate().filter(|_| !statuses.is_null()) {
            match first.is_some() {
                true => status::write_with_error(statuses.add(i), status),
                false => status::write(statuses.add(i), status),
            }
        }
        first.map_or(Ok(()), |error| Err(in_status(error)))
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn start(call: &Call, request: *mut MPI_Request) -> Result<()> {
    require(request, "request")?;
    // SAFETY: as for this function.
    let handle = unsafe { *request };
    if handle == MPI_REQUEST_NULL {
        return Err(null_handle(Class::REQUEST, "MPI_REQUEST_NULL"));
    }
    let (start, active) = with_request(call, handle, |r| (r.start.clone(), r.activity.is_some()))?;
    let Some(start) = start else {
        let text = "the request is not persistent; only those made by MPI_Send_init and the like \
                    can be started";
        return Err(bad(Class::REQUEST, text));
    };
    if active {
        let text = "the persistent request is active already; wait for it before starting it again";
        return Err(bad(Class::REQUEST, text));
    }
    let activity = start(call.rank)?;
    with_request(call, handle, |r| r.activity = Some(activity))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn startall(call: &Call, count: c_int, requests: *mut MPI_Request) -> Result<()> {
    // SAFETY: as for this function.
    for request in unsafe { list(count, requests) }? {
        // SAFETY: a request of the caller's array.
        unsafe { start(call, request) }?;
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn request_free(call: &Call, request: *mut MPI_Request) -> Result<()> {
    require(request, "request")?;
    // SAFETY: as for this function.
    let handle = unsafe { *request };
    if handle == MPI_REQUEST_NULL {
        return Err(null_handle(Class::REQUEST, "MPI_REQUEST_NULL"));
    }
    if let Some(Activity::Generalized(g)) = activity(call, handle)? {
        if !g.complete.get() {
            // It stays in the table until MPI_Grequest_complete finds it there.
            g.freed.set(true);
            // SAFETY: as for this function.
            unsafe { *request = MPI_REQUEST_NULL };
            return Ok(());
        }
    }
    let removed = call.rank.requests.borrow_mut().remove(narrow(handle.0));
    let removed =
        removed.map_err(|why| invalid_handle(Class::REQUEST, Kind::Request, handle.0, why))?;
    match removed.activity {
        Some(Activity::Generalized(g)) => free_generalized(&g),
        Some(activity) => activity.detach_with(call.rank, removed.keep),
        None => {}
    }
    // SAFETY: as for this function.
    unsafe { *request = MPI_REQUEST_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cancel(call: &Call, request: *mut MPI_Request) -> Result<()> {
    require(request, "request")?;
    // SAFETY: as for this function.
    let handle = unsafe { *request };
    if handle == MPI_REQUEST_NULL {
        return Err(null_handle(Class::REQUEST, "MPI_REQUEST_NULL"));
    }
    let (activity, comm) = with_request(call, handle, |r| (r.activity.clone(), r.comm.clone()))?;
    match (activity, comm) {
        (Some(Activity::Transfer(id)), Some(comm)) => call.rank.cancel(id, comm.context),
        (Some(Activity::Generalized(g)), _) => cancel_generalized(&g),
        (Some(Activity::Collective(_) | Activity::Partitioned(..)), _) => {
            let text = "collective and partitioned operations can not be cancelled (section 6.12)";
            Err(bad(Class::REQUEST, text))
        }
        (None, _) => {
            Err(bad(Class::REQUEST, "the request is not active, there is nothing to cancel"))
        }
        _ => Ok(()),
    }
}
