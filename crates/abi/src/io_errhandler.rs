//! Error handlers of files (MPI 5.0, section 14.7): bodies of the chapter `errhandler`, and what
//! `report.rs` asks. Errors without a file, and new files, have the handler of `MPI_FILE_NULL`,
//! which is `MPI_ERRORS_RETURN` until a program sets another.

use crate::decode::{require, Extra};
use crate::entry::{Call, On};
use crate::errhandler::{find, handle_of, reported, returning, Handler};
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{io, report};
use starling_core::errhandler::{Action, For};
use starling_core::error::{Error, Result};
use starling_core::handle::Kind;
use starling_core::io::File;
use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;

/// The handler of `MPI_FILE_NULL`.
struct OfNoFile(RefCell<Handler>);

/// A file whose close failed: its handler is asked once more.
#[derive(Default)]
struct Closed(RefCell<Option<Rc<File>>>);

fn null_file(call: &Call) -> Rc<OfNoFile> {
    let first = returning(call);
    call.rank.extra(|| OfNoFile(RefCell::new(first)))
}

/// What new files get.
pub(crate) fn of_no_file(call: &Call) -> Handler {
    null_file(call).0.borrow().clone()
}

/// The handler for an error in closing `file`, which has no handle any more.
pub(crate) fn keep(call: &Call, file: Rc<File>, error: Error) -> Error {
    let handle = file.comm.handle.get();
    *call.rank.extra(Closed::default).0.borrow_mut() = Some(file);
    error.on_comm(handle)
}

/// Calls the error handler of a file, if one is responsible; the error code then. The error of a
/// request names the file by the handle of its communicator (`starling_core::io::File`).
pub(crate) fn handle(call: &Call, on: On, error: &Error) -> Option<c_int> {
    let file = match (error.comm(), on) {
        (Some(handle), _) if Kind::of(handle) == Some(Kind::File) => MPI_File(handle as usize),
        (None, On::File(file)) => file,
        _ => return None,
    };
    let closed = call.rank.extra(Closed::default).0.take();
    let handler = match (io::find(call, file), closed) {
        (Ok(open), _) => open.errhandler.borrow().clone(),
        (Err(_), Some(closed)) => closed.errhandler.borrow().clone(),
        (Err(_), None) => of_no_file(call),
    };
    Some(apply(call, file, &handler, error))
}

/// Does what the error handler of a file says.
fn apply(call: &Call, file: MPI_File, handler: &Handler, error: &Error) -> c_int {
    let mut code = error.code();
    match handler.as_ref().map_or(Action::Fatal, |h| h.action) {
        Action::Return => {}
        Action::User(For::File, function) => {
            let mut file = file;
            let function = MPI_File_errhandler_function(function);
            // SAFETY: the user gave this address to MPI_File_create_errhandler as a function of
            // this type; both pointers are valid during the call.
            unsafe { (function.function())(&mut file, &mut code) };
        }
        Action::Fatal | Action::Abort | Action::User(..) => report::fatal(call, None, error),
    }
    code
}

fn get(call: &Call, file: MPI_File) -> Result<Handler> {
    match file {
        MPI_FILE_NULL => Ok(of_no_file(call)),
        _ => Ok(io::find(call, file)?.errhandler.borrow().clone()),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_set_errhandler(
    call: &Call,
    file: MPI_File,
    errhandler: MPI_Errhandler,
) -> Result<()> {
    get(call, file)?;
    let new = find(call, errhandler, For::File)?;
    match file {
        MPI_FILE_NULL => *null_file(call).0.borrow_mut() = new,
        _ => *io::find(call, file)?.errhandler.borrow_mut() = new,
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_errhandler(
    call: &Call,
    file: MPI_File,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    require(errhandler, "errhandler")?;
    let handler = get(call, file)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errhandler = handle_of(call, &handler)? };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_call_errhandler(
    call: &Call,
    file: MPI_File,
    errorcode: c_int,
) -> Result<()> {
    let handler = get(call, file)?;
    apply(call, file, &handler, &reported(call, errorcode));
    Ok(())
}
