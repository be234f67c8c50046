//! What a window is: its group, name, hints, and shared memory (MPI 5.0, sections 12.2.3 to
//! 12.2.7): bodies of the chapter `rma`.

use crate::decode::{bad, require};
use crate::entry::Call;
use crate::env::put_text;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::ints::IntPtr;
use crate::{group, info, rma, text};
use starling_core::error::{Class, Result};
use starling_core::rma::Flavor;
use std::ffi::{c_char, c_int, c_void};

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_get_group(call: &Call, win: MPI_Win, group: *mut MPI_Group) -> Result<()> {
    require(group, "group")?;
    let members = call.win(win)?.comm.group.clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { group::give(call, members, group) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_set_name(
    call: &Call,
    win: MPI_Win,
    win_name: *const c_char,
) -> Result<()> {
    require(win_name, "win_name")?;
    let win = call.win(win)?;
    // SAFETY: a C string of the caller, not null.
    *win.name.borrow_mut() = unsafe { text::name(win_name, MPI_MAX_OBJECT_NAME as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_get_name(
    call: &Call,
    win: MPI_Win,
    win_name: *mut c_char,
    resultlen: *mut c_int,
) -> Result<()> {
    require(win_name, "win_name")?;
    require(resultlen, "resultlen")?;
    let name = match win {
        MPI_WIN_NULL => "MPI_WIN_NULL".to_string(),
        _ => call.win(win)?.name.borrow().clone(),
    };
    // SAFETY: the standard asks the caller for that much room.
    unsafe { *resultlen = put_text(&name, win_name, MPI_MAX_OBJECT_NAME as usize) as c_int };
    Ok(())
}

/// Hints that are not given keep their values (section 12.2.7).
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_set_info(call: &Call, win: MPI_Win, hints: MPI_Info) -> Result<()> {
    let win = call.win(win)?;
    let Some(hints) = info::find_hints(call, hints)? else { return Ok(()) };
    let hints = hints.borrow();
    let mut own = win.info.borrow_mut();
    for key in (0..hints.len()).filter_map(|i| hints.key(i)) {
        own.set(key, hints.get(key).unwrap_or(""));
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_get_info(
    call: &Call,
    win: MPI_Win,
    info_used: *mut MPI_Info,
) -> Result<()> {
    require(info_used, "info_used")?;
    let hints = call.win(win)?.info.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *info_used = info::new_handle(call, hints)? };
    Ok(())
}

/// `MPI_PROC_NULL` asks for the first part that has bytes. Memory that is not shared has none.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_shared_query(
    call: &Call,
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: IntPtr,
    baseptr: *mut c_void,
) -> Result<()> {
    require(size, "size")?;
    require(baseptr, "baseptr")?;
    if disp_unit.is_null() {
        return Err(bad(Class::ARG, "the argument disp_unit is a null pointer"));
    }
    let win = call.win(win)?;
    if win.flavor == Flavor::Dynamic {
        let text = "a dynamic window has no memory that could be shared";
        return Err(bad(Class::RMA_FLAVOR, text));
    }
    let of = match rma::target(&win, rank)? {
        Some(of) => Some(of),
        None => (0..win.ranks()).find(|r| win.size(*r) > 0),
    };
    let found = of.and_then(|of| {
        let address = win.shared_address(call.rank, of)?;
        Some((address, win.size(of), win.disp_unit(of)))
    });
    let (address, bytes, unit) = found.unwrap_or((0, 0, 1));
    disp_unit.set(unit);
    // SAFETY: pointers of the caller, not null; `baseptr` is the address of a pointer.
    unsafe {
        *size = bytes as MPI_Aint;
        baseptr.cast::<usize>().write_unaligned(address);
    }
    Ok(())
}
