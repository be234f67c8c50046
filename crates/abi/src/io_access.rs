//! Data access to files (MPI 5.0, sections 14.4.2 to 14.4.5): bodies of the chapter `io`. What
//! differs from call to call is where it begins and who takes part; the macros below make the
//! bodies of all. Split collectives are in `io_split.rs`.

use crate::decode::require;
use crate::entry::Call;
use crate::generated::types::*;
use crate::io::{find, find_all};
use crate::p2p::new_request;
use crate::status;
use starling_core::coll::{Coll, Operation};
use starling_core::error::Result;
use starling_core::io::{self as engine, Access, Direction, File, How, Place};
use starling_core::request::Activity;
use starling_core::status::Status;
use std::ffi::c_void;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use Direction::{Read, Write};

/// A buffer of the caller.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub buf: *const c_void,
    pub count: i64,
    pub datatype: MPI_Datatype,
}

fn access(
    call: &Call,
    file: &Rc<File>,
    direction: Direction,
    place: Place,
    memory: Memory,
) -> Result<Access> {
    let data = call.data(memory.buf, memory.count, memory.datatype)?;
    file.access(direction, place, data)
}

/// # Safety
/// `to` is `MPI_STATUS_IGNORE` or a status of the caller.
unsafe fn give_status(to: *mut MPI_Status, bytes: u64) {
    // SAFETY: the caller's contract.
    unsafe { status::write(to, &Status { bytes, ..Status::EMPTY }) };
}

/// # Safety
/// The arguments are those of the C caller.
unsafe fn alone(
    call: &Call,
    fh: MPI_File,
    (direction, place): (Direction, Place),
    memory: Memory,
    to: *mut MPI_Status,
) -> Result<()> {
    let access = access(call, &find(call, fh)?, direction, place, memory)?;
    let bytes = call.rank.block_on(engine::independent(call.rank, access, How::Now))??;
    // SAFETY: as for this function.
    unsafe { give_status(to, bytes) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller, who leaves the buffer alone until the request is
/// complete (section 14.4.1).
unsafe fn alone_later(
    call: &Call,
    fh: MPI_File,
    (direction, place): (Direction, Place),
    memory: Memory,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let file = find(call, fh)?;
    let access = access(call, &file, direction, place, memory)?;
    let future = engine::independent(call.rank, access, How::Later);
    let activity = Activity::Collective(Operation::start_counting(call.rank, future));
    // SAFETY: as for this function.
    unsafe { new_request(call, activity, file.comm.clone(), false, request) }
}

/// A collective access, with an error of this process if it has one: the others wait for it.
fn together(
    c: Coll,
    file: &Rc<File>,
    (direction, place): (Direction, Place),
    access: Result<Access>,
    how: How,
) -> Pin<Box<dyn Future<Output = Result<u64>>>> {
    match place {
        Place::Ordered => Box::pin(engine::ordered(c, file.clone(), access, how)),
        _ => Box::pin(engine::collective(c, file.clone(), direction, access, how)),
    }
}

/// # Safety
/// The arguments are those of the C caller.
unsafe fn all(
    call: &Call,
    fh: MPI_File,
    what: (Direction, Place),
    memory: Memory,
    to: *mut MPI_Status,
) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    let access = access(call, &file, what.0, what.1, memory);
    let bytes = call.rank.block_on(together(c, &file, what, access, How::Now))??;
    // SAFETY: as for this function.
    unsafe { give_status(to, bytes) };
    Ok(())
}

/// Starts a collective access that somebody waits for later.
///
/// # Safety
/// As for [`alone_later`].
pub(crate) unsafe fn start_all(
    call: &Call,
    fh: MPI_File,
    what: (Direction, Place),
    memory: Memory,
) -> Result<(Rc<File>, Rc<Operation>)> {
    let (file, c) = find_all(call, fh)?;
    let access = access(call, &file, what.0, what.1, memory);
    let error = access.as_ref().err().cloned();
    let future = together(c, &file, what, access, How::Later);
    let operation = Operation::start_counting(call.rank, future);
    match error {
        None => Ok((file, operation)),
        // The others are served by progress.
        Some(error) => Err(error),
    }
}

/// # Safety
/// As for [`alone_later`].
unsafe fn all_later(
    call: &Call,
    fh: MPI_File,
    what: (Direction, Place),
    memory: Memory,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    // SAFETY: as for this function.
    unsafe {
        let (file, operation) = start_all(call, fh, what, memory)?;
        let activity = Activity::Collective(operation);
        new_request(call, activity, file.comm.clone(), false, request)
    }
}

macro_rules! accesses {
    ($($name:ident($($offset:ident)?) $pointer:ident = $run:ident, $direction:ident, $place:expr,
        $last:ident: $result:ty;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $name(
            call: &Call,
            fh: MPI_File,
            $($offset: MPI_Offset,)?
            buf: pointer!($pointer),
            count: i64,
            datatype: MPI_Datatype,
            $last: *mut $result,
        ) -> Result<()> {
            let memory = Memory { buf: buf as *const c_void, count, datatype };
            // SAFETY: as for this function.
            unsafe { $run(call, fh, ($direction, $place), memory, $last) }
        }
    )* };
}

macro_rules! pointer {
    (into) => { *mut c_void };
    (from) => { *const c_void };
}

accesses! {
    file_read_at(offset) into = alone, Read, Place::At(offset), status: MPI_Status;
    file_write_at(offset) from = alone, Write, Place::At(offset), status: MPI_Status;
    file_read() into = alone, Read, Place::Individual, status: MPI_Status;
    file_write() from = alone, Write, Place::Individual, status: MPI_Status;
    file_read_shared() into = alone, Read, Place::Shared, status: MPI_Status;
    file_write_shared() from = alone, Write, Place::Shared, status: MPI_Status;

    file_iread_at(offset) into = alone_later, Read, Place::At(offset), request: MPI_Request;
    file_iwrite_at(offset) from = alone_later, Write, Place::At(offset), request: MPI_Request;
    file_iread() into = alone_later, Read, Place::Individual, request: MPI_Request;
    file_iwrite() from = alone_later, Write, Place::Individual, request: MPI_Request;
    file_iread_shared() into = alone_later, Read, Place::Shared, request: MPI_Request;
    file_iwrite_shared() from = alone_later, Write, Place::Shared, request: MPI_Request;

    file_read_at_all(offset) into = all, Read, Place::At(offset), status: MPI_Status;
    file_write_at_all(offset) from = all, Write, Place::At(offset), status: MPI_Status;
    file_read_all() into = all, Read, Place::Individual, status: MPI_Status;
    file_write_all() from = all, Write, Place::Individual, status: MPI_Status;
    file_read_ordered() into = all, Read, Place::Ordered, status: MPI_Status;
    file_write_ordered() from = all, Write, Place::Ordered, status: MPI_Status;

    file_iread_at_all(offset) into = all_later, Read, Place::At(offset), request: MPI_Request;
    file_iwrite_at_all(offset) from = all_later, Write, Place::At(offset), request: MPI_Request;
    file_iread_all() into = all_later, Read, Place::Individual, request: MPI_Request;
    file_iwrite_all() from = all_later, Write, Place::Individual, request: MPI_Request;
}
