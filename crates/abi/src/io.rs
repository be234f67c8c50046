//! Files (MPI 5.0, chapter 14): opening and closing, calls on a whole file. Data access is in
//! `io_access.rs`, split collectives in `io_split.rs`, the user's data representations in
//! `io_datarep.rs`, error handlers of files in `io_errhandler.rs`; all are bodies of this chapter,
//! re-exported here.

pub(crate) use crate::io_access::*;
pub(crate) use crate::io_datarep::*;
pub(crate) use crate::io_split::*;

use crate::datatype;
use crate::decode::{bad, insert, look_up, narrow, null_handle, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::ints::IntPtr;
use crate::{group, info, io_errhandler, text};
use starling_core::coll::Coll;
use starling_core::error::{Class, Result};
use starling_core::handle::Kind;
use starling_core::info::Info;
use starling_core::io::{self, File, Opening, View, Whence};
use starling_datatype::Datatype;
use std::ffi::{c_char, c_int, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;

/// The file of a handle.
pub(crate) fn find(call: &Call, file: MPI_File) -> Result<Rc<File>> {
    match file {
        MPI_FILE_NULL => Err(null_handle(Class::FILE, "MPI_FILE_NULL")),
        _ => look_up(&call.rank.files.borrow(), file.0, Kind::File, Class::FILE),
    }
}

/// The file, and the next collective on it.
pub(crate) fn find_all(call: &Call, file: MPI_File) -> Result<(Rc<File>, Coll)> {
    let file = find(call, file)?;
    file.refuse_split()?;
    let c = file.collective(call.rank);
    Ok((file, c))
}

/// A file name of the caller.
///
/// # Safety
/// `filename` is null or points to a C string.
unsafe fn path(filename: *const c_char) -> Result<PathBuf> {
    require(filename, "filename")?;
    // SAFETY: not null, so a C string.
    let bytes = unsafe { text::bytes(filename, usize::MAX) };
    match bytes {
        [] => Err(bad(Class::BAD_FILE, "the filename is empty")),
        _ => Ok(PathBuf::from(OsStr::from_bytes(bytes))),
    }
}

fn hints(call: &Call, info: MPI_Info) -> Result<Info> {
    let found = info::find_hints(call, info)?;
    Ok(found.map_or_else(Info::default, |info| info.borrow().clone()))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_open(
    call: &Call,
    comm: MPI_Comm,
    filename: *const c_char,
    amode: c_int,
    info: MPI_Info,
    fh: *mut MPI_File,
) -> Result<()> {
    let comm = call.intra_comm(comm)?;
    // An error here is one that all processes get to know: they wait for this one.
    let opening = require(fh, "fh").and_then(|()| {
        let errhandler = io_errhandler::of_no_file(call);
        let info = hints(call, info)?;
        // SAFETY: as for this function.
        let path = unsafe { path(filename) }?;
        Ok(Opening { path, amode, info, errhandler })
    });
    // SAFETY: opening moves memory of the engine only, until it is complete.
    let c = unsafe { Coll::new(call.rank, &comm) };
    let file = call.rank.block_on(io::open(c, opening))??;
    let handle = insert(&call.rank.files, file.clone(), "files")?;
    file.comm.handle.set(handle);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *fh = MPI_File(handle as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_close(call: &Call, fh: *mut MPI_File) -> Result<()> {
    require(fh, "fh")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *fh };
    let file = find(call, handle)?;
    // What the program has not ended is brought to its end.
    if let Some(split) = file.split.take() {
        call.rank.wait_until(None, || split.operation.is_done())?;
    }
    file.drain(call.rank)?;
    let c = file.collective(call.rank);
    let closed = call.rank.block_on(io::close(c, file.clone()))?;
    drop(call.rank.files.borrow_mut().remove(narrow(handle.0)));
    // SAFETY: as above.
    unsafe { *fh = MPI_FILE_NULL };
    // The handler that is asked is still the file's, though its handle is gone.
    closed.map_err(|error| io_errhandler::keep(call, file, error))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_delete(
    call: &Call,
    filename: *const c_char,
    info: MPI_Info,
) -> Result<()> {
    hints(call, info)?;
    // SAFETY: as for this function.
    io::delete(&unsafe { path(filename) }?)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_set_size(call: &Call, fh: MPI_File, size: MPI_Offset) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    call.rank.block_on(io::set_size(c, file, size))?
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_preallocate(call: &Call, fh: MPI_File, size: MPI_Offset) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    call.rank.block_on(io::preallocate(c, file, size))?
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_sync(call: &Call, fh: MPI_File) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    call.rank.block_on(io::sync(c, file))?
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_set_atomicity(call: &Call, fh: MPI_File, flag: c_int) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    call.rank.block_on(io::set_atomicity(c, file, flag != 0))?
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_atomicity(call: &Call, fh: MPI_File, flag: *mut c_int) -> Result<()> {
    require(flag, "flag")?;
    let atomic = find(call, fh)?.atomic.get();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = atomic as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_size(call: &Call, fh: MPI_File, size: *mut MPI_Offset) -> Result<()> {
    require(size, "size")?;
    let bytes = find(call, fh)?.size()?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *size = bytes as MPI_Offset };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_group(call: &Call, fh: MPI_File, to: *mut MPI_Group) -> Result<()> {
    require(to, "group")?;
    let group = find(call, fh)?.comm.group.clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { group::give(call, group, to) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_amode(call: &Call, fh: MPI_File, amode: *mut c_int) -> Result<()> {
    require(amode, "amode")?;
    let mode = find(call, fh)?.amode;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *amode = mode };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_set_info(call: &Call, fh: MPI_File, info: MPI_Info) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    let asked = match info {
        MPI_INFO_NULL => Err(null_handle(Class::INFO, "MPI_INFO_NULL")),
        _ => hints(call, info),
    };
    call.rank.block_on(io::set_info(c, file, asked))?
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_info(
    call: &Call,
    fh: MPI_File,
    info_used: *mut MPI_Info,
) -> Result<()> {
    require(info_used, "info_used")?;
    let report = find(call, fh)?.hints.borrow().report();
    let handle = info::new_handle(call, report)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *info_used = handle };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_set_view(
    call: &Call,
    fh: MPI_File,
    disp: MPI_Offset,
    etype: MPI_Datatype,
    filetype: MPI_Datatype,
    datarep: *const c_char,
    info: MPI_Info,
) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    let hints = hints(call, info);
    let view = displacement(&file, disp).and_then(|disp| {
        let etype = call.committed_datatype(etype)?;
        let filetype = call.committed_datatype(filetype)?;
        // SAFETY: as for this function.
        let representation = unsafe { representation(call, datarep) }?;
        View::new(disp, etype, filetype, representation, file.is_writable())
    });
    let (view, hints) = match (view, hints) {
        (Ok(view), Ok(hints)) => (Ok(view), hints),
        (Err(error), _) | (_, Err(error)) => (Err(error), Info::default()),
    };
    call.rank.block_on(io::set_view(c, file, view, hints))?
}

/// Section 14.3: the current displacement is for sequential files, and they take no other.
fn displacement(file: &File, disp: MPI_Offset) -> Result<MPI_Offset> {
    match (disp == MPI_DISPLACEMENT_CURRENT, file.is_sequential()) {
        (true, true) => Ok(file.current_displacement()),
        (false, false) => Ok(disp),
        (true, false) => Err(bad(
            Class::ARG,
            "MPI_DISPLACEMENT_CURRENT is for files that are opened with MPI_MODE_SEQUENTIAL",
        )),
        (false, true) => Err(bad(
            Class::ARG,
            format!(
                "the displacement is {disp}; a file that is opened with MPI_MODE_SEQUENTIAL takes \
                 MPI_DISPLACEMENT_CURRENT only"
            ),
        )),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_view(
    call: &Call,
    fh: MPI_File,
    disp: *mut MPI_Offset,
    etype: *mut MPI_Datatype,
    filetype: *mut MPI_Datatype,
    datarep: *mut c_char,
) -> Result<()> {
    require(disp, "disp")?;
    require(etype, "etype")?;
    require(filetype, "filetype")?;
    require(datarep, "datarep")?;
    let view = find(call, fh)?.view.borrow().clone();
    let (unit, template) = (type_handle(call, &view.etype)?, type_handle(call, &view.filetype)?);
    // SAFETY: pointers of the caller, not null; the standard asks for that much room.
    unsafe {
        *disp = view.disp;
        *etype = unit;
        *filetype = template;
        text::put(view.representation.name(), datarep, MPI_MAX_DATAREP_STRING as usize);
    }
    Ok(())
}

/// A handle for the user: predefined, or to be freed.
pub(crate) fn type_handle(call: &Call, ty: &Rc<Datatype>) -> Result<MPI_Datatype> {
    match ty.as_basic() {
        Some(basic) => Ok(MPI_Datatype(basic.abi_value() as usize)),
        None => datatype::new_handle(call, ty.clone()),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_type_extent(
    call: &Call,
    fh: MPI_File,
    datatype: MPI_Datatype,
    extent: IntPtr,
) -> Result<()> {
    if extent.is_null() {
        return Err(bad(Class::ARG, "the argument extent is a null pointer"));
    }
    let ty = call.datatype(datatype)?;
    extent.set(find(call, fh)?.type_extent(&ty)?);
    Ok(())
}

fn whence_of(whence: c_int) -> Result<Whence> {
    match whence {
        MPI_SEEK_SET => Ok(Whence::Set),
        MPI_SEEK_CUR => Ok(Whence::Current),
        MPI_SEEK_END => Ok(Whence::End),
        _ => Err(bad(
            Class::ARG,
            format!("whence is {whence}; it is MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END"),
        )),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_seek(
    call: &Call,
    fh: MPI_File,
    offset: MPI_Offset,
    whence: c_int,
) -> Result<()> {
    find(call, fh)?.seek(offset, whence_of(whence)?)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_seek_shared(
    call: &Call,
    fh: MPI_File,
    offset: MPI_Offset,
    whence: c_int,
) -> Result<()> {
    let (file, c) = find_all(call, fh)?;
    call.rank.block_on(io::seek_shared(c, file, offset, whence_of(whence)))?
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_position(
    call: &Call,
    fh: MPI_File,
    offset: *mut MPI_Offset,
) -> Result<()> {
    require(offset, "offset")?;
    let position = find(call, fh)?.position()?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *offset = position };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_position_shared(
    call: &Call,
    fh: MPI_File,
    offset: *mut MPI_Offset,
) -> Result<()> {
    require(offset, "offset")?;
    let position = find(call, fh)?.shared_position()?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *offset = position };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn file_get_byte_offset(
    call: &Call,
    fh: MPI_File,
    offset: MPI_Offset,
    disp: *mut MPI_Offset,
) -> Result<()> {
    require(disp, "disp")?;
    let byte = find(call, fh)?.byte_offset(offset)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *disp = byte };
    Ok(())
}
