//! Communicators (MPI 5.0, section 7.4): what they are, and their end. They are made in
//! `comm_create.rs`, `comm_idup.rs` and `comm_inter.rs`.

pub(crate) use crate::comm_create::*;
pub(crate) use crate::comm_idup::*;
pub(crate) use crate::comm_inter::*;

use crate::attr;
use crate::decode::{bad, narrow, require};
use crate::entry::Call;
use crate::env::put_text;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{group, info, text};
use starling_core::coll::{barrier, Coll};
use starling_core::comm::Comm;
use starling_core::error::{Class, Error, Result};
use starling_core::group::{Comparison, Group};
use std::ffi::{c_char, c_int};
use std::rc::Rc;

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_size(call: &Call, comm: MPI_Comm, size: *mut c_int) -> Result<()> {
    require(size, "size")?;
    let comm = call.comm(comm)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *size = comm.size() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_rank(call: &Call, comm: MPI_Comm, rank: *mut c_int) -> Result<()> {
    require(rank, "rank")?;
    let comm = call.comm(comm)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *rank = comm.rank as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_compare(
    call: &Call,
    comm1: MPI_Comm,
    comm2: MPI_Comm,
    result: *mut c_int,
) -> Result<()> {
    require(result, "result")?;
    let (comm1, comm2) = (call.comm(comm1)?, call.comm(comm2)?);
    let outcome = match Rc::ptr_eq(&comm1, &comm2) {
        true => MPI_IDENT,
        false => compare(&comm1, &comm2),
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *result = outcome };
    Ok(())
}

/// Two communicators that are not the same.
fn compare(a: &Comm, b: &Comm) -> c_int {
    let remote = match (&a.remote, &b.remote) {
        (None, None) => Comparison::Identical,
        (Some(a), Some(b)) => a.compare(b),
        _ => Comparison::Unequal,
    };
    match (a.group.compare(&b.group), remote) {
        (Comparison::Identical, Comparison::Identical) => MPI_CONGRUENT,
        (Comparison::Unequal, _) | (_, Comparison::Unequal) => MPI_UNEQUAL,
        _ => MPI_SIMILAR,
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_group(call: &Call, comm: MPI_Comm, to: *mut MPI_Group) -> Result<()> {
    require(to, "group")?;
    let comm = call.comm(comm)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { group::give(call, comm.group.clone(), to) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_test_inter(call: &Call, comm: MPI_Comm, flag: *mut c_int) -> Result<()> {
    require(flag, "flag")?;
    let comm = call.comm(comm)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *flag = comm.is_inter() as c_int };
    Ok(())
}

/// The remote group of an intercommunicator.
fn remote(comm: &Comm) -> Result<Rc<Group>> {
    comm.remote.clone().ok_or_else(|| needs_inter(comm))
}

/// The error for an intracommunicator where an intercommunicator is needed.
pub(crate) fn needs_inter(comm: &Comm) -> Error {
    bad(Class::COMM, format!("{} is not an intercommunicator", comm.title()))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_remote_size(call: &Call, comm: MPI_Comm, size: *mut c_int) -> Result<()> {
    require(size, "size")?;
    let remote = remote(&*call.comm(comm)?)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *size = remote.size() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_remote_group(
    call: &Call,
    comm: MPI_Comm,
    to: *mut MPI_Group,
) -> Result<()> {
    require(to, "group")?;
    let remote = remote(&*call.comm(comm)?)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { group::give(call, remote, to) }
}

/// The communicator that initialisation made, until it is freed.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_get_parent(call: &Call, parent: *mut MPI_Comm) -> Result<()> {
    require(parent, "parent")?;
    let handle = match call.rank.parent.get() {
        0 => MPI_COMM_NULL,
        handle => MPI_Comm(handle as usize),
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *parent = handle };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_set_name(
    call: &Call,
    comm: MPI_Comm,
    comm_name: *const c_char,
) -> Result<()> {
    require(comm_name, "comm_name")?;
    let comm = call.comm(comm)?;
    // SAFETY: a C string of the caller, not null.
    *comm.name.borrow_mut() = unsafe { text::name(comm_name, MPI_MAX_OBJECT_NAME as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_get_name(
    call: &Call,
    comm: MPI_Comm,
    comm_name: *mut c_char,
    resultlen: *mut c_int,
) -> Result<()> {
    require(comm_name, "comm_name")?;
    require(resultlen, "resultlen")?;
    let name = match comm {
        MPI_COMM_NULL => "MPI_COMM_NULL".to_string(),
        _ => call.comm(comm)?.name.borrow().clone(),
    };
    // SAFETY: the standard asks the caller for that much room.
    unsafe { *resultlen = put_text(&name, comm_name, MPI_MAX_OBJECT_NAME as usize) as c_int };
    Ok(())
}

/// Hints that are not given keep their values (section 7.4.4).
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_set_info(call: &Call, comm: MPI_Comm, hints: MPI_Info) -> Result<()> {
    let comm = call.comm(comm)?;
    let Some(hints) = info::find_hints(call, hints)? else { return Ok(()) };
    let hints = hints.borrow();
    let mut own = comm.info.borrow_mut();
    for key in (0..hints.len()).filter_map(|i| hints.key(i)) {
        own.set(key, hints.get(key).unwrap_or(""));
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_get_info(
    call: &Call,
    comm: MPI_Comm,
    info_used: *mut MPI_Info,
) -> Result<()> {
    require(info_used, "info_used")?;
    let hints = call.comm(comm)?.info.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *info_used = info::new_handle(call, hints)? };
    Ok(())
}

/// The communicator that is to be freed.
fn to_be_freed(call: &Call, comm: MPI_Comm) -> Result<Rc<Comm>> {
    let name = match comm {
        MPI_COMM_WORLD => "MPI_COMM_WORLD",
        MPI_COMM_SELF => "MPI_COMM_SELF",
        _ => return call.comm(comm),
    };
    Err(bad(Class::COMM, format!("{name} cannot be freed; it lives until MPI_Finalize")))
}

/// Takes the handle away; what is still pending keeps the object.
fn retire(call: &Call, handle: MPI_Comm, comm: &Comm) -> Result<()> {
    // The messages in a buffer of the communicator have no other owner.
    call.rank.wait_until(None, || comm.bsend.borrow_mut().drained(call.rank))?;
    let gone = call.rank.comms.borrow_mut().remove(narrow(handle.0));
    drop(gone);
    if call.rank.parent.get() == narrow(handle.0) {
        call.rank.parent.set(0);
    }
    comm.freed.set(true);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_free(call: &Call, comm: *mut MPI_Comm) -> Result<()> {
    require(comm, "comm")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *comm };
    let object = to_be_freed(call, handle)?;
    attr::delete_all(call, &object)?;
    retire(call, handle, &object)?;
    // SAFETY: as above.
    unsafe { *comm = MPI_COMM_NULL };
    Ok(())
}

/// As `MPI_Comm_free`, but only after everybody's messages on the communicator have left: all
/// have sent theirs before any returns.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_disconnect(call: &Call, comm: *mut MPI_Comm) -> Result<()> {
    require(comm, "comm")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *comm };
    let object = to_be_freed(call, handle)?;
    attr::delete_all(call, &object)?;
    let rank = call.rank;
    rank.wait_until(None, || !rank.p2p.has_unsent() && rank.bsend.borrow_mut().drained(rank))?;
    // SAFETY: a barrier has no buffers.
    rank.block_on(barrier::barrier(unsafe { Coll::new(rank, &object) }))??;
    retire(call, handle, &object)?;
    // SAFETY: as above.
    unsafe { *comm = MPI_COMM_NULL };
    Ok(())
}
