//! Synchronisation of windows (MPI 5.0, section 12.5): bodies of the chapter `rma`.

use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::group;
use crate::rma::target;
use starling_core::error::{Class, Result};
use starling_core::rma::{LockKind, Win};
use std::ffi::c_int;

/// Refuses assertions that the call does not know.
fn check_assert(call: &Call, assert: c_int, known: c_int) -> Result<()> {
    if assert & !known == 0 {
        return Ok(());
    }
    let text = format!(
        "the assertion {assert:#x} has bits that {} does not know; combine MPI_MODE_* by OR",
        call.function.name
    );
    Err(bad(Class::ASSERT, text))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_fence(call: &Call, assert: c_int, win: MPI_Win) -> Result<()> {
    let win = call.win(win)?;
    let store = MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
    check_assert(call, assert, store | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)?;
    win.fence(call.rank, assert & MPI_MODE_NOSUCCEED != 0)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_post(
    call: &Call,
    group: MPI_Group,
    assert: c_int,
    win: MPI_Win,
) -> Result<()> {
    let win = call.win(win)?;
    check_assert(call, assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    win.post(call.rank, group::find(call, group)?)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_start(
    call: &Call,
    group: MPI_Group,
    assert: c_int,
    win: MPI_Win,
) -> Result<()> {
    let win = call.win(win)?;
    check_assert(call, assert, MPI_MODE_NOCHECK)?;
    win.start(call.rank, group::find(call, group)?)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_complete(call: &Call, win: MPI_Win) -> Result<()> {
    call.win(win)?.complete(call.rank)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_wait(call: &Call, win: MPI_Win) -> Result<()> {
    call.win(win)?.wait(call.rank)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_test(call: &Call, win: MPI_Win, flag: *mut c_int) -> Result<()> {
    require(flag, "flag")?;
    let over = call.win(win)?.test(call.rank)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = over as c_int };
    Ok(())
}

fn require_locks(win: &Win) -> Result<()> {
    if win.info.borrow().get("no_locks") == Some("true") {
        let text = "the window was made with the hint no_locks=true, so it can not be locked";
        return Err(bad(Class::RMA_SYNC, text));
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_lock(
    call: &Call,
    lock_type: c_int,
    rank: c_int,
    assert: c_int,
    win: MPI_Win,
) -> Result<()> {
    let win = call.win(win)?;
    let kind = match lock_type {
        MPI_LOCK_SHARED => LockKind::Shared,
        MPI_LOCK_EXCLUSIVE => LockKind::Exclusive,
        _ => {
            let text = format!(
                "the lock type is {lock_type}; it is MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE"
            );
            return Err(bad(Class::LOCKTYPE, text));
        }
    };
    check_assert(call, assert, MPI_MODE_NOCHECK)?;
    require_locks(&win)?;
    match target(&win, rank)? {
        Some(rank) => win.lock(call.rank, rank, kind, assert & MPI_MODE_NOCHECK != 0),
        None => Ok(()),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_unlock(call: &Call, rank: c_int, win: MPI_Win) -> Result<()> {
    let win = call.win(win)?;
    match target(&win, rank)? {
        Some(rank) => win.unlock(call.rank, rank),
        None => Ok(()),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_lock_all(call: &Call, assert: c_int, win: MPI_Win) -> Result<()> {
    let win = call.win(win)?;
    check_assert(call, assert, MPI_MODE_NOCHECK)?;
    require_locks(&win)?;
    win.lock_all(call.rank, assert & MPI_MODE_NOCHECK != 0)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_unlock_all(call: &Call, win: MPI_Win) -> Result<()> {
    call.win(win)?.unlock_all(call.rank)
}

/// Completes operations on one target, or all.
fn flush(call: &Call, rank: Option<c_int>, win: MPI_Win) -> Result<()> {
    let win = call.win(win)?;
    let one = match rank {
        Some(rank) => match target(&win, rank)? {
            Some(rank) => Some(rank),
            None => return Ok(()),
        },
        None => None,
    };
    win.require_passive(call.function.name, one)?;
    win.flush(call.rank)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_flush(call: &Call, rank: c_int, win: MPI_Win) -> Result<()> {
    flush(call, Some(rank), win)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_flush_local(call: &Call, rank: c_int, win: MPI_Win) -> Result<()> {
    flush(call, Some(rank), win)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_flush_all(call: &Call, win: MPI_Win) -> Result<()> {
    flush(call, None, win)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_flush_local_all(call: &Call, win: MPI_Win) -> Result<()> {
    flush(call, None, win)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_sync(call: &Call, win: MPI_Win) -> Result<()> {
    call.win(win)?.flush(call.rank)
}
