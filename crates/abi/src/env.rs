//! Initialisation, finalisation, abort, time, memory, and who we are (MPI 5.0, chapters 9, 11).

use crate::decode::{bad, narrow, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{info, report};
use starling_core::comm::hardware;
use starling_core::error::{Class, Result};
use starling_core::info::Info;
use starling_core::rank::{Phase, Rank};
use starling_core::{bootstrap, coll, dynamic};
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_char, c_double, c_int, c_void};
use std::rc::Rc;

/// What `MPI_Get_library_version` says; tools read its beginning.
const LIBRARY_VERSION: &str =
    concat!("Starling MPI ", env!("CARGO_PKG_VERSION"), " (MPI 5.0, standard ABI 1.0)");

fn this_thread() -> u64 {
    // SAFETY: gettid has no argument and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

fn start(call: &Call, required: c_int) -> Result<c_int> {
    match call.rank.phase.get() {
        Phase::Active => {
            return Err(bad(Class::OTHER, "MPI is initialised already; call it once per process"))
        }
        Phase::Finalized => {
            let text = "MPI has been finalised; the world can not be initialised again (use \
                        sessions for several cycles)";
            return Err(bad(Class::OTHER, text));
        }
        Phase::Before => {}
    }
    bootstrap::join(call.rank)?;
    call.rank.enter_world();
    call.rank.main_thread.set(this_thread());
    let levels =
        [MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE];
    let provided = levels.into_iter().find(|l| required <= *l).unwrap_or(MPI_THREAD_MULTIPLE);
    call.rank.thread_level.set(provided);
    // Until now threads could come.
    match provided {
        MPI_THREAD_MULTIPLE => call.rank.lock.enable(),
        _ => call.rank.lock.disable(),
    }
    warn(call.rank);
    meet_parents(call)?;
    Ok(provided)
}

/// A job that another has started meets its parents here, all of both together.
fn meet_parents(call: &Call) -> Result<()> {
    if let Some(parent) = dynamic::parent(call.rank)? {
        let handle = call.new_comm(Some(parent))?;
        call.rank.parent.set(narrow(handle.0));
    }
    Ok(())
}

/// Names the settings that cannot be used, once.
pub(crate) fn warn(rank: &Rank) {
    struct Warned(Cell<bool>);
    let warned = rank.extra(|| Warned(Cell::new(false)));
    if rank.node().me == 0 && !warned.0.replace(true) {
        for warning in starling_settings::warnings() {
            report::print(&format!("Starling MPI: {warning}\n"));
        }
    }
}

/// # Safety
/// The arguments are those of the C caller; they are not used.
pub(crate) unsafe fn init(
    call: &Call,
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
) -> Result<()> {
    start(call, MPI_THREAD_SINGLE).map(|_| ())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn init_thread(
    call: &Call,
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> Result<()> {
    require(provided, "provided")?;
    if !(MPI_THREAD_SINGLE..=MPI_THREAD_MULTIPLE).contains(&required) {
        let text = format!("the thread level {required} is none of MPI_THREAD_SINGLE … MULTIPLE");
        return Err(bad(Class::ARG, text));
    }
    let level = start(call, required)?;
    // SAFETY: `provided` is a pointer of the caller, not null.
    unsafe { *provided = level };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn initialized(call: &Call, flag: *mut c_int) -> Result<()> {
    require(flag, "flag")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = (call.rank.phase.get() != Phase::Before) as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn finalized(call: &Call, flag: *mut c_int) -> Result<()> {
    require(flag, "flag")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = (call.rank.phase.get() == Phase::Finalized) as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn query_thread(call: &Call, provided: *mut c_int) -> Result<()> {
    require(provided, "provided")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *provided = call.rank.thread_level.get() };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn is_thread_main(call: &Call, flag: *mut c_int) -> Result<()> {
    require(flag, "flag")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = (call.rank.main_thread.get() == this_thread()) as c_int };
    Ok(())
}

/// Section 11.2.2: first the attributes of `MPI_COMM_SELF` go (their delete callbacks may still
/// communicate), then everything on its way is completed, then all ranks meet, so that nobody
/// leaves while others still need an answer from it.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn finalize(call: &Call) -> Result<()> {
    let rank = call.rank;
    let own = rank.self_comm().expect("MPI is initialised");
    crate::attr::delete_all(call, &own)?;
    rank.wait_until(None, || {
        rank.p2p.detached() == 0 && !rank.p2p.has_unsent() && rank.bsend.borrow_mut().drained(rank)
    })?;
    let world = rank.world().expect("MPI is initialised");
    if starling_settings::tunables().report_counters {
        crate::counter_report::print(call, &world)?;
    }
    // SAFETY: a barrier has no buffers.
    let everybody = unsafe { coll::Coll::new(rank, &world) };
    rank.block_on(coll::barrier::barrier(everybody))??;
    rank.wait_until(None, || !rank.p2p.has_unsent())?;
    rank.leave_world();
    rank.leave_if_done();
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abort(call: &Call, comm: MPI_Comm, errorcode: c_int) -> Result<()> {
    // A bad communicator does not stop the job from ending.
    let title = call.comm(comm).map_or("an invalid communicator".into(), |c| c.title());
    let node = call.rank.node();
    let (me, size) = (node.world_rank(), node.size);
    let text = format!("MPI_Abort on {title} by rank {me} of {size}, error code {errorcode}");
    report::print(&format!("Starling MPI: {text}\n"));
    call.rank.abort(errorcode, &text);
    Ok(())
}

/// Copies `text` with its final zero into the caller's memory; returns its length.
///
/// # Safety
/// `to` has room for `room` characters.
pub(crate) unsafe fn put_text(text: &str, to: *mut c_char, room: usize) -> usize {
    let mut len = text.len().min(room - 1);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    // SAFETY: len < room; the caller's contract.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), to, len);
        *to.add(len) = 0;
    }
    len
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_version(
    _call: &Call,
    version: *mut c_int,
    subversion: *mut c_int,
) -> Result<()> {
    require(version, "version")?;
    require(subversion, "subversion")?;
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *version = MPI_VERSION;
        *subversion = MPI_SUBVERSION;
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_library_version(
    _call: &Call,
    version: *mut c_char,
    resultlen: *mut c_int,
) -> Result<()> {
    require(version, "version")?;
    require(resultlen, "resultlen")?;
    let room = MPI_MAX_LIBRARY_VERSION_STRING as usize;
    // SAFETY: the standard asks the caller for that much room.
    unsafe { *resultlen = put_text(LIBRARY_VERSION, version, room) as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_processor_name(
    _call: &Call,
    name: *mut c_char,
    resultlen: *mut c_int,
) -> Result<()> {
    require(name, "name")?;
    require(resultlen, "resultlen")?;
    let room = MPI_MAX_PROCESSOR_NAME as usize;
    // SAFETY: the standard asks the caller for that much room.
    unsafe { *resultlen = put_text(&bootstrap::host_name(), name, room) as c_int };
    Ok(())
}

/// Seconds since some moment that is the same for all ranks of the node.
pub(crate) fn wtime() -> c_double {
    starling_core::now_ns() as c_double * 1e-9
}

/// Resolution of `wtime` in seconds: the clock counts nanoseconds.
pub(crate) fn wtick() -> c_double {
    1e-9
}

/// # Safety
/// The arguments are those of the C caller. Tools may intercept it; there is nothing to control.
pub(crate) unsafe fn pcontrol(_call: &Call, _level: c_int) -> Result<()> {
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_hw_resource_info(call: &Call, hw_info: *mut MPI_Info) -> Result<()> {
    require(hw_info, "hw_info")?;
    let mut known = Info::default();
    for (name, bound) in hardware::resources() {
        known.set(&name, if bound { "true" } else { "false" });
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *hw_info = info::new_handle(call, known)? };
    Ok(())
}

/// Memory is aligned to a cache line at least.
const ALIGNMENT: usize = 64;

/// The alignment that the hint `mpi_minimum_memory_alignment` asks for (section 9.2).
fn alignment(call: &Call, info: MPI_Info) -> Result<usize> {
    let Some(hints) = info::find_hints(call, info)? else { return Ok(ALIGNMENT) };
    let hints = hints.borrow();
    let Some(text) = hints.get("mpi_minimum_memory_alignment") else { return Ok(ALIGNMENT) };
    match text.trim().parse::<usize>() {
        Ok(wanted) if wanted.is_power_of_two() => Ok(wanted.max(ALIGNMENT)),
        _ => {
            let text =
                format!("mpi_minimum_memory_alignment is \"{text}\"; it must be a power of two");
            Err(bad(Class::INFO_VALUE, text))
        }
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn alloc_mem(
    call: &Call,
    size: MPI_Aint,
    info: MPI_Info,
    baseptr: *mut c_void,
) -> Result<()> {
    require(baseptr, "baseptr")?;
    let Ok(bytes) = usize::try_from(size) else {
        return Err(bad(Class::ARG, format!("the size is {size} bytes")));
    };
    let no_memory = || {
        let text = format!("{size} bytes of memory can not be had; free memory or ask for less");
        bad(Class::NO_MEM, text)
    };
    let alignment = alignment(call, info)?;
    let layout = Layout::from_size_align(bytes.max(1), alignment).map_err(|_| no_memory())?;
    // SAFETY: the layout is not empty; the result is checked; `baseptr` is the caller's.
    unsafe {
        let memory = std::alloc::alloc(layout);
        if memory.is_null() {
            return Err(no_memory());
        }
        allocated(call.rank).0.borrow_mut().insert(memory as usize, layout);
        baseptr.cast::<*mut u8>().write_unaligned(memory);
    }
    Ok(())
}

/// What `MPI_Alloc_mem` gave out, by address, so that a wrong one is recognised.
struct Allocated(RefCell<HashMap<usize, Layout>>);

fn allocated(rank: &Rank) -> Rc<Allocated> {
    rank.extra(|| Allocated(Default::default()))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn free_mem(call: &Call, base: *mut c_void) -> Result<()> {
    if base.is_null() {
        return Ok(());
    }
    let Some(layout) = allocated(call.rank).0.borrow_mut().remove(&(base as usize)) else {
        let text = format!("{base:p} was not returned by MPI_Alloc_mem, or has been freed");
        return Err(bad(Class::BASE, text));
    };
    // SAFETY: `alloc_mem` allocated it with this layout, and nobody freed it since.
    unsafe { std::alloc::dealloc(base.cast(), layout) };
    Ok(())
}
