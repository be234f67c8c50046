//! Sessions (MPI 5.0, section 11.3): opened and closed as often as a program likes, beside the
//! world or without it. Calls on what comes from a session are allowed while one is open
//! (`entry.rs`). Buffers of sessions are in `session_buffer.rs`.

use crate::decode::{bad, insert, look_up, narrow, null_handle, require, Extra};
use crate::entry::{Call, On};
use crate::errhandler::{self, Handler};
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{env, group, info, report, text};
use starling_core::bootstrap;
use starling_core::errhandler::{Action, For};
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use starling_core::info::Info;
use starling_core::rank::Phase;
use starling_core::session::{processes, Session, SETS};
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::rc::Rc;

/// The session of a handle.
pub(crate) fn find(call: &Call, session: MPI_Session) -> Result<Rc<Session>> {
    if session == MPI_SESSION_NULL {
        return Err(null_handle(Class::SESSION, "MPI_SESSION_NULL"));
    }
    look_up(&call.rank.sessions.borrow(), session.0, Kind::Session, Class::SESSION)
}

/// The error handler that the last `MPI_Session_init` was given: for errors of that call, and for
/// those that belong to no object while the world is not active.
#[derive(Default)]
struct Latest(RefCell<Option<Handler>>);

/// Calls the error handler of a session, if one is responsible; the error code then.
pub(crate) fn handle(call: &Call, on: On, error: &Error) -> Option<c_int> {
    if error.comm().is_some() {
        return None;
    }
    let named = match on {
        On::Session(handle) => find(call, handle).ok().map(|session| (handle, session)),
        _ => None,
    };
    if let Some((handle, session)) = named {
        let handler = session.errhandler.borrow().clone();
        return Some(apply(call, handle, &handler, error));
    }
    let belongs_to_none = match on {
        On::None | On::Session(_) => true,
        On::Comm(comm) => call.find_comm(comm).is_err(),
        On::Win(_) | On::File(_) => false,
    };
    if !belongs_to_none || call.rank.phase.get() == Phase::Active {
        return None;
    }
    let handler = call.rank.extra(Latest::default).0.borrow().clone()?;
    Some(apply(call, MPI_SESSION_NULL, &handler, error))
}

/// Does what the error handler of a session says.
pub(crate) fn apply(call: &Call, session: MPI_Session, handler: &Handler, error: &Error) -> c_int {
    let mut code = error.code();
    match handler.as_ref().map_or(Action::Fatal, |h| h.action) {
        Action::Return => {}
        Action::User(For::Session, function) => {
            let mut session = session;
            let function = MPI_Session_errhandler_function(function);
            // SAFETY: the user gave this address to MPI_Session_create_errhandler as a function
            // of this type; both pointers are valid during the call.
            unsafe { (function.function())(&mut session, &mut code) };
        }
        Action::Fatal | Action::Abort | Action::User(..) => report::fatal(call, None, error),
    }
    code
}

/// What `MPI_Session_get_info` shows: threads may always come, and memory is the system's.
fn in_use(hints: &Info) -> Info {
    let mut info = Info::default();
    info.set("thread_level", "MPI_THREAD_MULTIPLE");
    let wanted = hints.get("mpi_memory_alloc_kinds").unwrap_or("mpi,system");
    let known: Vec<&str> =
        wanted.split(',').map(str::trim).filter(|kind| matches!(*kind, "mpi" | "system")).collect();
    info.set("mpi_memory_alloc_kinds", &known.join(","));
    info
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_init(
    call: &Call,
    hints: MPI_Info,
    errhandler: MPI_Errhandler,
    session: *mut MPI_Session,
) -> Result<()> {
    let handler = errhandler::find(call, errhandler, For::Session)?;
    *call.rank.extra(Latest::default).0.borrow_mut() = Some(handler.clone());
    require(session, "session")?;
    let info = match info::find_hints(call, hints)? {
        Some(hints) => in_use(&hints.borrow()),
        None => in_use(&Info::default()),
    };
    call.rank.lock.enable();
    bootstrap::join(call.rank)?;
    env::warn(call.rank);
    let new = Rc::new(Session { errhandler: RefCell::new(handler), info, ..Session::default() });
    let handle = insert(&call.rank.sessions, new.clone(), "sessions")?;
    new.handle.set(handle);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *session = MPI_Session(handle as usize) };
    Ok(())
}

/// The last one waits for everything that is on its way, so that nobody needs this process any
/// more.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_finalize(call: &Call, session: *mut MPI_Session) -> Result<()> {
    require(session, "session")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *session };
    let (object, rank) = (find(call, handle)?, call.rank);
    rank.wait_until(None, || object.bsend.borrow_mut().drained(rank))?;
    let is_last = rank.sessions.borrow().len() == 1 && rank.phase.get() != Phase::Active;
    rank.wait_until(None, || {
        let p2p = &rank.p2p;
        let is_quiet = || p2p.detached() == 0 && rank.bsend.borrow_mut().drained(rank);
        !p2p.has_unsent() && (!is_last || is_quiet())
    })?;
    rank.sessions.borrow_mut().remove(narrow(handle.0)).ok();
    rank.leave_if_done();
    // SAFETY: as above.
    unsafe { *session = MPI_SESSION_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_get_info(
    call: &Call,
    session: MPI_Session,
    info_used: *mut MPI_Info,
) -> Result<()> {
    require(info_used, "info_used")?;
    let known = find(call, session)?.info.clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *info_used = info::new_handle(call, known)? };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_get_num_psets(
    call: &Call,
    session: MPI_Session,
    hints: MPI_Info,
    npset_names: *mut c_int,
) -> Result<()> {
    require(npset_names, "npset_names")?;
    find(call, session)?;
    info::find_hints(call, hints)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *npset_names = SETS.len() as c_int };
    Ok(())
}

/// The length counts the final zero, in and out; 0 only asks for it.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_get_nth_pset(
    call: &Call,
    session: MPI_Session,
    hints: MPI_Info,
    n: c_int,
    pset_len: *mut c_int,
    pset_name: *mut c_char,
) -> Result<()> {
    require(pset_len, "pset_len")?;
    find(call, session)?;
    info::find_hints(call, hints)?;
    let Some(name) = usize::try_from(n).ok().and_then(|n| SETS.get(n)) else {
        let last = SETS.len() - 1;
        let text = format!("n is {n}, but the process sets have the numbers 0 to {last}");
        return Err(bad(Class::ARG, text));
    };
    // SAFETY: a pointer of the caller, not null.
    let room = unsafe { *pset_len };
    if room < 0 {
        let text = format!("pset_len is {room}; it is the size of pset_name, or 0");
        return Err(bad(Class::ARG, text));
    }
    if room > 0 {
        require(pset_name, "pset_name")?;
        // SAFETY: the caller's memory has that much room.
        unsafe { text::put(name, pset_name, room as usize) };
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *pset_len = name.len() as c_int + 1 };
    Ok(())
}

/// A name of the caller.
///
/// # Safety
/// `pset_name` is null or points to a C string.
unsafe fn name_of(pset_name: *const c_char) -> Result<String> {
    require(pset_name, "pset_name")?;
    // SAFETY: not null, so a C string.
    Ok(unsafe { text::name(pset_name, MPI_MAX_PSET_NAME_LEN as usize + 1) })
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_get_pset_info(
    call: &Call,
    session: MPI_Session,
    pset_name: *const c_char,
    to: *mut MPI_Info,
) -> Result<()> {
    require(to, "info")?;
    find(call, session)?;
    // SAFETY: as for this function.
    let name = unsafe { name_of(pset_name) }?;
    let Some(group) = processes(call.rank, &name) else {
        let known = SETS.join(", ");
        let text = format!("there is no process set \"{name}\"; those known are {known}");
        return Err(bad(Class::ARG, text));
    };
    let mut known = Info::default();
    known.set("mpi_size", &group.size().to_string());
    // SAFETY: a pointer of the caller, not null.
    unsafe { *to = info::new_handle(call, known)? };
    Ok(())
}

/// A name that is not known gives `MPI_GROUP_NULL` (section 11.3.2) and says so as an error.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn group_from_session_pset(
    call: &Call,
    session: MPI_Session,
    pset_name: *const c_char,
    newgroup: *mut MPI_Group,
) -> Result<()> {
    require(newgroup, "newgroup")?;
    let session = find(call, session)?;
    // SAFETY: as for this function.
    let name = unsafe { name_of(pset_name) }?;
    match processes(call.rank, &name) {
        Some(group) => {
            group.origin.set(session.handle.get());
            // SAFETY: a pointer of the caller, not null.
            unsafe { group::give(call, group, newgroup) }
        }
        None => {
            // SAFETY: as above.
            unsafe { *newgroup = MPI_GROUP_NULL };
            let text =
                format!("there is no process set \"{name}\"; those known are {}", SETS.join(", "));
            Err(bad(Class::ARG, text))
        }
    }
}
