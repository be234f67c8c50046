//! Error handlers (MPI 5.0, section 9.3). What happens with an error is in `report.rs`; error
//! classes, codes and strings are in `error_codes.rs`.
//!
//! An object without an error handler has `MPI_ERRORS_ARE_FATAL`. A user's error handler is shared
//! by the objects that use it; its handle lives as long as the user holds it (each create and get
//! counts as one, each free takes one away).

pub(crate) use crate::error_codes::*;
pub(crate) use crate::io_errhandler::*;

use crate::decode::{bad, insert, look_up, null_handle, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{report, session};
use starling_core::errhandler::{Action, Errhandler, For};
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use std::ffi::c_int;
use std::rc::Rc;

/// What an object has: `None` is `MPI_ERRORS_ARE_FATAL`.
pub(crate) type Handler = Option<Rc<Errhandler>>;

/// The predefined ones that objects refer to.
struct Predefined {
    abort: Rc<Errhandler>,
    give_back: Rc<Errhandler>,
}

fn predefined(call: &Call) -> Rc<Predefined> {
    call.rank.extra(|| Predefined {
        abort: Rc::new(Errhandler::new(Action::Abort, MPI_ERRORS_ABORT.0 as u32)),
        give_back: Rc::new(Errhandler::new(Action::Return, MPI_ERRORS_RETURN.0 as u32)),
    })
}

/// `MPI_ERRORS_RETURN`.
pub(crate) fn returning(call: &Call) -> Handler {
    Some(predefined(call).give_back.clone())
}

/// The error handler of a handle, to be used by an object of the kind `of`.
pub(crate) fn find(call: &Call, errhandler: MPI_Errhandler, of: For) -> Result<Handler> {
    let found = match errhandler {
        MPI_ERRORS_ARE_FATAL => return Ok(None),
        MPI_ERRORS_ABORT => return Ok(Some(predefined(call).abort.clone())),
        MPI_ERRORS_RETURN => return Ok(Some(predefined(call).give_back.clone())),
        _ => user_made(call, errhandler)?,
    };
    match found.action {
        Action::User(made_for, _) if made_for != of => Err(bad(
            Class::ERRHANDLER,
            format!("the error handler was made for {}, not for {}", noun(made_for), noun(of)),
        )),
        _ => Ok(Some(found)),
    }
}

fn noun(of: For) -> &'static str {
    match of {
        For::Comm => "communicators",
        For::Win => "windows",
        For::File => "files",
        For::Session => "sessions",
    }
}

fn user_made(call: &Call, errhandler: MPI_Errhandler) -> Result<Rc<Errhandler>> {
    if errhandler == MPI_ERRHANDLER_NULL {
        return Err(null_handle(Class::ERRHANDLER, "MPI_ERRHANDLER_NULL"));
    }
    let table = call.rank.errhandlers.borrow();
    look_up(&table, errhandler.0, Kind::Errhandler, Class::ERRHANDLER)
}

/// A handle for the user, which has to be freed like one that was created.
pub(crate) fn handle_of(call: &Call, handler: &Handler) -> Result<MPI_Errhandler> {
    let Some(handler) = handler else { return Ok(MPI_ERRORS_ARE_FATAL) };
    if let Action::User(..) = handler.action {
        if handler.held.get() == 0 {
            handler.handle.set(insert(&call.rank.errhandlers, handler.clone(), "error handlers")?);
        }
        handler.held.set(handler.held.get() + 1);
    }
    Ok(MPI_Errhandler(handler.handle.get() as usize))
}

fn create(call: &Call, of: For, function: usize, errhandler: *mut MPI_Errhandler) -> Result<()> {
    require(errhandler, "errhandler")?;
    require(function as *const u8, "errhandler_fn")?;
    let made = Rc::new(Errhandler::new(Action::User(of, function), 0));
    made.handle.set(insert(&call.rank.errhandlers, made.clone(), "error handlers")?);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errhandler = MPI_Errhandler(made.handle.get() as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_create_errhandler(
    call: &Call,
    function: MPI_Comm_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    create(call, For::Comm, function.0, errhandler)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_create_errhandler(
    call: &Call,
    function: MPI_Win_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    create(call, For::Win, function.0, errhandler)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_create_errhandler(
    call: &Call,
    function: MPI_File_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    create(call, For::File, function.0, errhandler)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_create_errhandler(
    call: &Call,
    function: MPI_Session_errhandler_function,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    create(call, For::Session, function.0, errhandler)
}

/// Objects that use the error handler keep it.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn errhandler_free(call: &Call, errhandler: *mut MPI_Errhandler) -> Result<()> {
    require(errhandler, "errhandler")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *errhandler };
    if !matches!(handle, MPI_ERRORS_ARE_FATAL | MPI_ERRORS_ABORT | MPI_ERRORS_RETURN) {
        let handler = user_made(call, handle)?;
        handler.held.set(handler.held.get() - 1);
        if handler.held.get() == 0 {
            call.rank.errhandlers.borrow_mut().remove(handler.handle.get()).ok();
        }
    }
    // SAFETY: as above.
    unsafe { *errhandler = MPI_ERRHANDLER_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_set_errhandler(
    call: &Call,
    comm: MPI_Comm,
    errhandler: MPI_Errhandler,
) -> Result<()> {
    let comm = call.comm(comm)?;
    let new = find(call, errhandler, For::Comm)?;
    *comm.errhandler.borrow_mut() = new;
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_get_errhandler(
    call: &Call,
    comm: MPI_Comm,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    require(errhandler, "errhandler")?;
    let comm = call.comm(comm)?;
    let handler = comm.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errhandler = handle_of(call, &handler)? };
    Ok(())
}

/// The error that the user reports.
pub(crate) fn reported(call: &Call, code: c_int) -> Error {
    Error::from_code(code, describe(call, code))
}

/// Succeeds when the error handler returns.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_call_errhandler(
    call: &Call,
    comm: MPI_Comm,
    errorcode: c_int,
) -> Result<()> {
    let comm = call.comm(comm)?;
    report::apply(call, Some(&comm), &reported(call, errorcode));
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_set_errhandler(
    call: &Call,
    win: MPI_Win,
    errhandler: MPI_Errhandler,
) -> Result<()> {
    let win = call.win(win)?;
    let new = find(call, errhandler, For::Win)?;
    *win.errhandler.borrow_mut() = new;
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_get_errhandler(
    call: &Call,
    win: MPI_Win,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    require(errhandler, "errhandler")?;
    let win = call.win(win)?;
    let handler = win.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errhandler = handle_of(call, &handler)? };
    Ok(())
}

/// Succeeds when the error handler returns.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_call_errhandler(
    call: &Call,
    win: MPI_Win,
    errorcode: c_int,
) -> Result<()> {
    let win = call.win(win)?;
    report::apply_to_win(call, &win, &reported(call, errorcode));
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_set_errhandler(
    call: &Call,
    session: MPI_Session,
    errhandler: MPI_Errhandler,
) -> Result<()> {
    let session = session::find(call, session)?;
    let new = find(call, errhandler, For::Session)?;
    *session.errhandler.borrow_mut() = new;
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_get_errhandler(
    call: &Call,
    session: MPI_Session,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    require(errhandler, "errhandler")?;
    let handler = session::find(call, session)?.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errhandler = handle_of(call, &handler)? };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn session_call_errhandler(
    call: &Call,
    session: MPI_Session,
    errorcode: c_int,
) -> Result<()> {
    let object = session::find(call, session)?;
    let handler = object.errhandler.borrow().clone();
    session::apply(call, session, &handler, &reported(call, errorcode));
    Ok(())
}
