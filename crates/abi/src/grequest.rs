//! Generalised requests (MPI 5.0, section 13.2): bodies of the chapter `request`.
//! The user says when one is complete; waits and tests then call its query and free functions.

use crate::decode::{bad, insert, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::request::{activity, with_request};
use crate::status;
use starling_core::error::{Class, Error, Result};
use starling_core::request::{Activity, Generalized, Request};
use starling_core::status::Status;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

struct Callbacks {
    query: MPI_Grequest_query_function,
    free: MPI_Grequest_free_function,
    cancel: MPI_Grequest_cancel_function,
    extra_state: *mut c_void,
}

fn callbacks(g: &Generalized) -> &Callbacks {
    g.callbacks.downcast_ref().expect("grequest_start made it")
}

fn check(code: c_int, what: &str) -> Result<()> {
    match code {
        MPI_SUCCESS => Ok(()),
        code => Err(Error::from_code(code, format!("the user's {what} function returned {code}"))),
    }
}

/// Asks for the status and frees; called by the wait or test that completes the request.
pub(crate) fn finish_generalized(g: &Generalized) -> Status {
    let mut status = query_generalized(g);
    let freed = run_free(callbacks(g));
    status.error = status.error.or(freed.err());
    status
}

/// Asks for the status.
pub(crate) fn query_generalized(g: &Generalized) -> Status {
    let callbacks = callbacks(g);
    let mut c_status = MPI_Status {
        MPI_SOURCE: MPI_ANY_SOURCE,
        MPI_TAG: MPI_ANY_TAG,
        MPI_ERROR: MPI_SUCCESS,
        MPI_internal: [0; 5],
    };
    let mut result = Ok(());
    if callbacks.query.0 != 0 {
        // SAFETY: the user gave this function to MPI_Grequest_start; the status is ours.
        let code = unsafe { (callbacks.query.function())(callbacks.extra_state, &mut c_status) };
        result = check(code, "query");
    }
    // SAFETY: `c_status` is a status.
    let (bytes, cancelled) = unsafe { (status::bytes(&c_status), status::is_cancelled(&c_status)) };
    Status {
        source: c_status.MPI_SOURCE,
        tag: c_status.MPI_TAG,
        bytes,
        cancelled,
        error: result.err(),
    }
}

fn run_free(callbacks: &Callbacks) -> Result<()> {
    if callbacks.free.0 == 0 {
        return Ok(());
    }
    // SAFETY: the user gave this function to MPI_Grequest_start.
    check(unsafe { (callbacks.free.function())(callbacks.extra_state) }, "free")
}

/// `MPI_Request_free` of a complete one: its free function runs now.
pub(crate) fn free_generalized(g: &Generalized) {
    // MPI_Request_free has no way to report what the callback says.
    let _ = run_free(callbacks(g));
}

pub(crate) fn cancel_generalized(g: &Generalized) -> Result<()> {
    let callbacks = callbacks(g);
    if callbacks.cancel.0 == 0 {
        return Ok(());
    }
    let complete = g.complete.get() as c_int;
    // SAFETY: the user gave this function to MPI_Grequest_start.
    let code = unsafe { (callbacks.cancel.function())(callbacks.extra_state, complete) };
    check(code, "cancel")
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn grequest_start(
    call: &Call,
    query: MPI_Grequest_query_function,
    free: MPI_Grequest_free_function,
    cancel: MPI_Grequest_cancel_function,
    extra_state: *mut c_void,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let generalized = Generalized {
        complete: Cell::new(false),
        freed: Cell::new(false),
        callbacks: Box::new(Callbacks { query, free, cancel, extra_state }),
    };
    let made = Request {
        activity: Some(Activity::Generalized(Rc::new(generalized))),
        start: None,
        comm: None,
        made_by: call.function.name,
        keep: None,
        is_send: false,
    };
    let handle = insert(&call.rank.requests, made, "requests")?;
    // SAFETY: `request` is a pointer of the caller, not null.
    unsafe { *request = MPI_Request(handle as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn grequest_complete(call: &Call, request: MPI_Request) -> Result<()> {
    let Some(Activity::Generalized(g)) = activity(call, request)? else {
        let text = "the request is not a generalised request (MPI_Grequest_start)";
        return Err(bad(Class::REQUEST, text));
    };
    g.complete.set(true);
    call.rank.completed_elsewhere();
    if g.freed.get() {
        // The user freed it before: nobody waits, so this is the end.
        call.rank.requests.borrow_mut().remove(request.0 as u32).ok();
        return run_free(callbacks(&g));
    }
    with_request(call, request, |_| ())
}
