//! Looking at requests without completing them (MPI 5.0, section 3.7.6): bodies of the chapter
//! `request`.

use crate::decode::require;
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::request::{activities, activity, is_done_now, list};
use crate::status;
use starling_core::error::Result;
use starling_core::request::Activity;
use starling_core::status::Status;
use std::ffi::c_int;

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn request_get_status(
    call: &Call,
    request: MPI_Request,
    flag: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    require(flag, "flag")?;
    let status = match activity(call, request)? {
        None => Some(Status::EMPTY),
        Some(activity) => is_done_now(call, &activity)?.then(|| activity.peek_status(call.rank)),
    };
    // SAFETY: as for this function.
    unsafe {
        *flag = status.is_some() as c_int;
        if let Some(status) = &status {
            status::write_with_error(to, status);
        }
    }
    status.and_then(|s| s.error).map_or(Ok(()), Err)
}

fn peek(call: &Call, activity: &Option<Activity>) -> Status {
    match activity {
        None => Status::EMPTY,
        Some(Activity::Generalized(g)) => crate::request::query_generalized(g),
        Some(activity) => activity.peek_status(call.rank),
    }
}

fn done(call: &Call, activity: &Option<Activity>) -> bool {
    activity.as_ref().is_none_or(|a| a.is_done(call.rank))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn request_get_status_all(
    call: &Call,
    count: c_int,
    requests: *const MPI_Request,
    flag: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result<()> {
    require(flag, "flag")?;
    // SAFETY: as for this function; the list is only read.
    unsafe {
        let activities = activities(call, list(count, requests.cast_mut())?)?;
        call.rank.poll()?;
        let all = activities.iter().all(|a| done(call, a));
        *flag = all as c_int;
        for (i, activity) in activities.iter().enumerate().filter(|_| all && !statuses.is_null()) {
            status::write(statuses.add(i), &peek(call, activity));
        }
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn request_get_status_any(
    call: &Call,
    count: c_int,
    requests: *const MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    to: *mut MPI_Status,
) -> Result<()> {
    require(index, "index")?;
    require(flag, "flag")?;
    // SAFETY: as for this function; the list is only read.
    unsafe {
        let activities = activities(call, list(count, requests.cast_mut())?)?;
        call.rank.poll()?;
        let active = |a: &&Option<Activity>| a.is_some();
        let found = activities.iter().position(|a| a.is_some() && done(call, a));
        *index = found.map_or(MPI_UNDEFINED, |i| i as c_int);
        let none_active = activities.iter().find(active).is_none();
        *flag = (found.is_some() || none_active) as c_int;
        match found {
            Some(i) => status::write(to, &peek(call, &activities[i])),
            None if none_active => status::write_with_error(to, &Status::EMPTY),
            None => {}
        }
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn request_get_status_some(
    call: &Call,
    incount: c_int,
    requests: *const MPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result<()> {
    require(outcount, "outcount")?;
    // SAFETY: as for this function; the list is only read.
    unsafe {
        let activities = activities(call, list(incount, requests.cast_mut())?)?;
        if activities.iter().all(|a| a.is_none()) {
            *outcount = MPI_UNDEFINED;
            return Ok(());
        }
        require(indices, "array_of_indices")?;
        call.rank.poll()?;
        let mut count = 0;
        for (i, activity) in activities.iter().enumerate() {
            if activity.is_some() && done(call, activity) {
                *indices.add(count) = i as c_int;
                if !statuses.is_null() {
                    status::write(statuses.add(count), &peek(call, activity));
                }
                count += 1;
            }
        }
        *outcount = count as c_int;
    }
    Ok(())
}
