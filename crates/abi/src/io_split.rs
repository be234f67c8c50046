//! Split collective data access (MPI 5.0, section 14.4.5): bodies of the chapter `io`. The first
//! call starts what a non-blocking collective would, the second waits for it.

use crate::decode::bad;
use crate::entry::Call;
use crate::generated::types::*;
use crate::io::find;
use crate::io_access::{start_all, Memory};
use crate::status;
use starling_core::error::{Class, Result};
use starling_core::io::{Direction, Place, Split};
use std::ffi::c_void;
use Direction::{Read, Write};

/// # Safety
/// The arguments are those of the C caller, who leaves the buffer alone until the second call.
unsafe fn begin(
    call: &Call,
    fh: MPI_File,
    what: (Direction, Place),
    memory: Memory,
    name: &'static str,
) -> Result<()> {
    // SAFETY: as for this function.
    let (file, operation) = unsafe { start_all(call, fh, what, memory) }?;
    *file.split.borrow_mut() = Some(Split { name, operation });
    Ok(())
}

/// # Safety
/// `to` is `MPI_STATUS_IGNORE` or a status of the caller.
unsafe fn end(call: &Call, fh: MPI_File, name: &'static str, to: *mut MPI_Status) -> Result<()> {
    let file = find(call, fh)?;
    let begun = file.split.borrow().as_ref().map(|split| split.name);
    if begun != Some(name) {
        let instead = begun.map_or("no split collective has".into(), |b| format!("{b}_begin has"));
        let text = format!("it ends {name}_begin, but {instead} been called on \"{}\"", file.name);
        return Err(bad(Class::IO, text));
    }
    let Some(split) = file.split.take() else { return Ok(()) };
    call.rank.wait_until(None, || split.operation.is_done())?;
    let mut result = split.operation.status();
    // SAFETY: as for this function.
    unsafe { status::write(to, &result) };
    result.error.take().map_or(Ok(()), Err)
}

macro_rules! split {
    ($($begin:ident $end:ident($($offset:ident)?) $pointer:ident = $direction:ident, $place:expr,
        $name:literal;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $begin(
            call: &Call,
            fh: MPI_File,
            $($offset: MPI_Offset,)?
            buf: pointer!($pointer),
            count: i64,
            datatype: MPI_Datatype,
        ) -> Result<()> {
            let memory = Memory { buf: buf as *const c_void, count, datatype };
            // SAFETY: as for this function.
            unsafe { begin(call, fh, ($direction, $place), memory, $name) }
        }

        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $end(
            call: &Call,
            fh: MPI_File,
            _buf: pointer!($pointer),
            status: *mut MPI_Status,
        ) -> Result<()> {
            // SAFETY: as for this function.
            unsafe { end(call, fh, $name, status) }
        }
    )* };
}

macro_rules! pointer {
    (into) => { *mut c_void };
    (from) => { *const c_void };
}

split! {
    file_read_at_all_begin file_read_at_all_end(offset) into = Read, Place::At(offset),
        "MPI_File_read_at_all";
    file_write_at_all_begin file_write_at_all_end(offset) from = Write, Place::At(offset),
        "MPI_File_write_at_all";
    file_read_all_begin file_read_all_end() into = Read, Place::Individual,
        "MPI_File_read_all";
    file_write_all_begin file_write_all_end() from = Write, Place::Individual,
        "MPI_File_write_all";
    file_read_ordered_begin file_read_ordered_end() into = Read, Place::Ordered,
        "MPI_File_read_ordered";
    file_write_ordered_begin file_write_ordered_end() from = Write, Place::Ordered,
        "MPI_File_write_ordered";
}
