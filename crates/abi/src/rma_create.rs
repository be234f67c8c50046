//! Making and freeing windows, attaching memory (MPI 5.0, section 12.2): bodies of the chapter
//! `rma`.

use crate::attr;
use crate::comm::hints;
use crate::decode::{bad, insert, narrow, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::error::{Class, Result};
use starling_core::info::Info;
use starling_core::rma::{self, Flavor, Memory, Win};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// Hints that every window has, with what holds where the user gives none (section 12.2.1).
const HINTS: [(&str, &str); 6] = [
    ("no_locks", "false"),
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("mpi_accumulate_granularity", "0"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
];
/// Whether the parts of a shared window may lie apart.
const APART: &str = "alloc_shared_noncontig";

fn all_hints(call: &Call, flavor: Flavor, info: MPI_Info) -> Result<Info> {
    let given = hints(call, info)?;
    let mut all = Info::default();
    for (key, value) in HINTS {
        all.set(key, value);
    }
    if flavor == Flavor::Shared {
        all.set(APART, "false");
    }
    for key in (0..given.len()).filter_map(|i| given.key(i)) {
        all.set(key, given.get(key).unwrap_or(""));
    }
    Ok(all)
}

fn check_memory(base: *const c_void, size: i64, disp_unit: i64) -> Result<()> {
    if size < 0 {
        return Err(bad(Class::SIZE, format!("the size is {size} bytes; it must not be negative")));
    }
    if disp_unit <= 0 {
        let text = format!("the displacement unit is {disp_unit} bytes; it must be positive");
        return Err(bad(Class::DISP, text));
    }
    if base.is_null() && size > 0 {
        let text = format!("the base is a null pointer, but the size is {size} bytes");
        return Err(bad(Class::BASE, text));
    }
    Ok(())
}

/// Makes a window and gives it to the caller.
///
/// # Safety
/// `to` points to a window handle of the caller.
unsafe fn make(
    call: &Call,
    memory: Memory,
    info: MPI_Info,
    comm: MPI_Comm,
    to: *mut MPI_Win,
) -> Result<Rc<Win>> {
    require(to, "win")?;
    let comm = call.intra_comm(comm)?;
    let hints = all_hints(call, memory.flavor, info)?;
    let memory = Memory { apart: hints.get(APART) == Some("true"), ..memory };
    let win = call.rank.block_on(rma::create(call.rank, comm, memory, hints))??;
    let handle = insert(&call.rank.wins, win.clone(), "windows")?;
    win.handle.set(handle);
    // SAFETY: the caller's contract.
    unsafe { *to = MPI_Win(handle as usize) };
    Ok(win)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_create(
    call: &Call,
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: i64,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> Result<()> {
    let size = size as i64;
    check_memory(base, size, disp_unit)?;
    let (flavor, base) = (Flavor::Create, base as usize);
    let memory = Memory { flavor, base, size, disp_unit, apart: false };
    // SAFETY: as for this function.
    unsafe { make(call, memory, info, comm, win) }.map(drop)
}

/// # Safety
/// The arguments are those of the C caller.
unsafe fn allocate(
    call: &Call,
    memory: Memory,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result<()> {
    require(baseptr, "baseptr")?;
    check_memory(baseptr, memory.size, memory.disp_unit)?;
    // SAFETY: as for this function; `baseptr` is the address of a pointer.
    unsafe {
        let made = make(call, memory, info, comm, win)?;
        baseptr.cast::<usize>().write_unaligned(made.base());
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_allocate(
    call: &Call,
    size: MPI_Aint,
    disp_unit: i64,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result<()> {
    let (flavor, size) = (Flavor::Allocate, size as i64);
    let memory = Memory { flavor, base: 0, size, disp_unit, apart: false };
    // SAFETY: as for this function.
    unsafe { allocate(call, memory, info, comm, baseptr, win) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_allocate_shared(
    call: &Call,
    size: MPI_Aint,
    disp_unit: i64,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result<()> {
    let (flavor, size) = (Flavor::Shared, size as i64);
    let memory = Memory { flavor, base: 0, size, disp_unit, apart: false };
    // SAFETY: as for this function.
    unsafe { allocate(call, memory, info, comm, baseptr, win) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_create_dynamic(
    call: &Call,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> Result<()> {
    let flavor = Flavor::Dynamic;
    let memory = Memory { flavor, base: 0, size: 0, disp_unit: 1, apart: false };
    // SAFETY: as for this function.
    unsafe { make(call, memory, info, comm, win) }.map(drop)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_attach(
    call: &Call,
    win: MPI_Win,
    base: *mut c_void,
    size: MPI_Aint,
) -> Result<()> {
    let win = call.win(win)?;
    win.require_dynamic("MPI_Win_attach")?;
    check_memory(base, size as i64, 1)?;
    match size {
        0 => Ok(()),
        _ => win.attach(base as usize, size as i64),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_detach(call: &Call, win: MPI_Win, base: *const c_void) -> Result<()> {
    call.win(win)?.detach(base as usize)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_free(call: &Call, win: *mut MPI_Win) -> Result<()> {
    require(win, "win")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *win };
    let object = call.win(handle)?;
    object.require_idle()?;
    attr::delete_win(call, &object)?;
    object.leave(call.rank)?;
    let gone = call.rank.wins.borrow_mut().remove(narrow(handle.0));
    drop(gone);
    // SAFETY: as above.
    unsafe { *win = MPI_WIN_NULL };
    Ok(())
}

/// The number that the ABI has for the way a window was made.
pub(crate) fn flavor_number(win: &Win) -> c_int {
    match win.flavor {
        Flavor::Create => MPI_WIN_FLAVOR_CREATE,
        Flavor::Allocate => MPI_WIN_FLAVOR_ALLOCATE,
        Flavor::Dynamic => MPI_WIN_FLAVOR_DYNAMIC,
        Flavor::Shared => MPI_WIN_FLAVOR_SHARED,
    }
}
