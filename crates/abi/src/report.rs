//! What happens with an error: which error handler is asked, what is printed, how a job ends.
//! Called by `entry.rs` and by the bodies that call error handlers (`errhandler.rs`).

use crate::decode::Extra;
use crate::entry::{Call, On};
use crate::generated::types::{MPI_Comm, MPI_Comm_errhandler_function};
use crate::generated::types::{MPI_Win, MPI_Win_errhandler_function};
use crate::{io_errhandler, session};
use starling_core::bootstrap::host_name;
use starling_core::comm::Comm;
use starling_core::errhandler::{Action, For};
use starling_core::error::{Class, Error};
use starling_core::rma::Win;
use std::ffi::c_int;
use std::rc::Rc;

/// Calls the error handler of the object that `on` names; returns what the call returns.
#[cold]
pub(crate) fn handle(call: &Call, on: On, error: Error) -> c_int {
    remember(call, &error);
    // Errors of the tools interface never call a handler (section 15.3).
    if call.function.name.starts_with("MPI_T_") {
        return error.code();
    }
    if let Some(code) = io_errhandler::handle(call, on, &error) {
        return code;
    }
    if let Some(code) = session::handle(call, on, &error) {
        return code;
    }
    if let On::Win(win) = on {
        if let Ok(win) = call.win(win) {
            return apply_to_win(call, &win, &error);
        }
    }
    let comm = responsible(call, on, &error);
    apply(call, comm.as_deref(), &error)
}

/// Does what the error handler of `comm` says.
pub(crate) fn apply(call: &Call, comm: Option<&Comm>, error: &Error) -> c_int {
    let handler = comm.and_then(|c| c.errhandler.borrow().clone());
    match handler.map_or(Action::Fatal, |h| h.action) {
        Action::Return => error.code(),
        Action::User(For::Comm, function) => {
            let mut handle = MPI_Comm(comm.map_or(0, |c| c.handle.get()) as usize);
            let mut code = error.code();
            // SAFETY: the user gave this address to MPI_Comm_create_errhandler as a function of
            // this type; both pointers are valid during the call.
            unsafe { (MPI_Comm_errhandler_function(function).function())(&mut handle, &mut code) };
            code
        }
        Action::Fatal | Action::Abort | Action::User(..) => {
            fatal(call, comm, error);
            error.code()
        }
    }
}

/// Does what the error handler of `win` says.
pub(crate) fn apply_to_win(call: &Call, win: &Win, error: &Error) -> c_int {
    let handler = win.errhandler.borrow().clone();
    match handler.map_or(Action::Fatal, |h| h.action) {
        Action::Return => error.code(),
        Action::User(For::Win, function) => {
            let (mut handle, mut code) = (MPI_Win(win.handle.get() as usize), error.code());
            // SAFETY: the user gave this address to MPI_Win_create_errhandler as a function of
            // this type; both pointers are valid during the call.
            unsafe { (MPI_Win_errhandler_function(function).function())(&mut handle, &mut code) };
            code
        }
        action => {
            end_job(call, &win.title(), action, error);
            error.code()
        }
    }
}

/// The communicator whose handler counts: the call's, the error's, or `MPI_COMM_SELF` for errors
/// that belong to none (section 9.3.1). Programs written for MPI 3 and before set a handler on
/// `MPI_COMM_WORLD` only and expect it here, so that is asked while `MPI_COMM_SELF` has the
/// default one.
fn responsible(call: &Call, on: On, error: &Error) -> Option<Rc<Comm>> {
    let named = match (error.comm(), on) {
        (Some(handle), _) => call.find_comm(MPI_Comm(handle as usize)).ok(),
        (None, On::Comm(comm)) => call.find_comm(comm).ok(),
        _ => None,
    };
    named.or_else(|| {
        let own = call.rank.myself();
        let has_own = own.is_some_and(|c| c.errhandler.borrow().is_some());
        if has_own { own } else { call.rank.everybody() }.cloned()
    })
}

/// Says what happened and ends the job.
pub(crate) fn fatal(call: &Call, comm: Option<&Comm>, error: &Error) {
    let action = comm.and_then(|c| c.errhandler.borrow().as_ref().map(|h| h.action));
    let on = comm.map_or(String::new(), |c| c.title());
    end_job(call, &on, action.unwrap_or(Action::Fatal), error);
}

/// Says what happened on the object with the title `on` (empty if on none) and ends the job.
fn end_job(call: &Call, on: &str, action: Action, error: &Error) {
    let (name, class) = (call.function.name, class_name(error));
    let who = match call.rank.try_node() {
        Some(node) => format!("rank {} of {}", node.world_rank(), node.size),
        None => "a process outside of any job".to_string(),
    };
    let place = format!("host {}, pid {}", host_name(), std::process::id());
    let on = if on.is_empty() { String::new() } else { format!(", {on}") };
    let handler = match action {
        Action::Abort => "MPI_ERRORS_ABORT",
        _ => "MPI_ERRORS_ARE_FATAL",
    };
    let caller = crate::caller::describe();
    let caller = caller.map_or(String::new(), |place| format!("  called from {place}\n"));
    let text = format!(
        "Starling MPI: {name} failed on {who} ({place}{on}):\n  {error}\n{caller}  {class}; this \
         ends the job, because the error handler in force is {handler}\n"
    );
    print(&text);
    // Exit codes have eight bits, and 0 would look like success.
    call.rank.abort(error.code().clamp(1, 255), &format!("{name}: {class}"));
    std::process::exit(error.code().clamp(1, 255));
}

/// One write, so that lines of several ranks do not mix.
pub(crate) fn print(text: &str) {
    use std::io::Write;
    // Nobody to tell if stderr is gone.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn class_name(error: &Error) -> String {
    let known = Class::ALL.iter().find(|(_, class)| *class == error.class());
    known.map_or_else(|| format!("error code {}", error.code()), |(name, _)| name.to_string())
}

/// A rank's last error and the procedure that reported it, for `MPI_Error_string`.
pub(crate) struct LastError(pub std::cell::RefCell<Option<(&'static str, Error)>>);

/// The rank's last error.
pub(crate) fn last_error(call: &Call) -> Rc<LastError> {
    call.rank.extra(|| LastError(std::cell::RefCell::new(None)))
}

fn remember(call: &Call, error: &Error) {
    *last_error(call).0.borrow_mut() = Some((call.function.name, error.clone()));
}
