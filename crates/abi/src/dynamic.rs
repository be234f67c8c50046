//! Ports, published names, and joining over a socket (MPI 5.0, sections 11.9 and 11.10): bodies
//! of the chapter `dynamic`. Starting processes is in `dynamic_spawn.rs`.

pub(crate) use crate::dynamic_spawn::*;

use crate::comm_create::{give, start};
use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{info, text};
use starling_core::comm::Comm;
use starling_core::dynamic;
use starling_core::error::{Class, Result};
use std::ffi::{c_char, c_int};
use std::rc::Rc;

/// A root's rank in an intracommunicator.
pub(crate) fn root_of(comm: &Comm, root: c_int) -> Result<u32> {
    match u32::try_from(root) {
        Ok(rank) if rank < comm.size() => Ok(rank),
        _ => {
            let (title, size) = (comm.title(), comm.size());
            let text = format!("the root is {root}, but {title} has the ranks 0 to {}", size - 1);
            Err(bad(Class::ROOT, text))
        }
    }
}

/// A name of the caller that may have fewer than `room` bytes.
///
/// # Safety
/// `from` is null or points to a C string.
unsafe fn name_of(from: *const c_char, what: &str, class: Class, room: c_int) -> Result<String> {
    if from.is_null() {
        return Err(bad(class, format!("the {what} is a null pointer")));
    }
    // SAFETY: not null, so a C string.
    let bytes = unsafe { text::bytes(from, room as usize) };
    match (bytes.len() < room as usize, std::str::from_utf8(bytes)) {
        (true, Ok(name)) => Ok(name.to_string()),
        (false, _) => Err(bad(class, format!("the {what} is longer than {} characters", room - 1))),
        (true, Err(_)) => Err(bad(class, format!("the {what} is not UTF-8"))),
    }
}

/// # Safety
/// As for [`name_of`].
unsafe fn port_of(port_name: *const c_char) -> Result<String> {
    // SAFETY: the caller's contract.
    unsafe { name_of(port_name, "port_name", Class::PORT, MPI_MAX_PORT_NAME) }
}

/// # Safety
/// As for [`name_of`].
unsafe fn service_of(service_name: *const c_char) -> Result<String> {
    // SAFETY: the caller's contract.
    unsafe { name_of(service_name, "service_name", Class::SERVICE, MPI_MAX_PORT_NAME) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn open_port(call: &Call, hints: MPI_Info, port_name: *mut c_char) -> Result<()> {
    require(port_name, "port_name")?;
    info::find_hints(call, hints)?;
    let name = dynamic::open_port(call.rank)?;
    // SAFETY: the standard asks the caller for that much room.
    unsafe { text::put(&name, port_name, MPI_MAX_PORT_NAME as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn close_port(call: &Call, port_name: *const c_char) -> Result<()> {
    // SAFETY: as for this function.
    dynamic::close_port(call.rank, &unsafe { port_of(port_name)? })
}

/// What is significant at the root: the name of the port.
///
/// # Safety
/// The arguments are those of the C caller.
unsafe fn port_at_root(call: &Call, port_name: *const c_char, hints: MPI_Info) -> Result<String> {
    info::find_hints(call, hints)?;
    // SAFETY: as for this function.
    unsafe { port_of(port_name) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_accept(
    call: &Call,
    port_name: *const c_char,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let local = call.intra_comm(comm)?;
    let root = root_of(&local, root)?;
    // SAFETY: as for this function.
    let port = (local.rank == root).then(|| unsafe { port_at_root(call, port_name, hints) });
    let made = call.rank.block_on(dynamic::accept(start(call, &local), root, port))??;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give_between(call, made, &local, newcomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_connect(
    call: &Call,
    port_name: *const c_char,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let local = call.intra_comm(comm)?;
    let root = root_of(&local, root)?;
    // SAFETY: as for this function.
    let port = (local.rank == root).then(|| unsafe { port_at_root(call, port_name, hints) });
    let made = call.rank.block_on(dynamic::connect(start(call, &local), root, port))??;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give_between(call, made, &local, newcomm) }
}

/// Gives an intercommunicator to the caller; it takes over the error handler of the local side.
///
/// # Safety
/// `to` points to a communicator handle of the caller.
pub(crate) unsafe fn give_between(
    call: &Call,
    made: Rc<Comm>,
    local: &Comm,
    to: *mut MPI_Comm,
) -> Result<()> {
    let errhandler = local.errhandler.borrow().clone();
    // SAFETY: the caller's contract.
    unsafe { give(call, Some(made), &errhandler, to) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_join(call: &Call, fd: c_int, intercomm: *mut MPI_Comm) -> Result<()> {
    require(intercomm, "intercomm")?;
    let made = dynamic::join(call.rank, fd)?;
    let own = call.rank.myself().and_then(|comm| comm.errhandler.borrow().clone());
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &own, intercomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn publish_name(
    call: &Call,
    service_name: *const c_char,
    hints: MPI_Info,
    port_name: *const c_char,
) -> Result<()> {
    info::find_hints(call, hints)?;
    // SAFETY: as for this function.
    let (service, port) = unsafe { (service_of(service_name)?, port_of(port_name)?) };
    dynamic::publish_name(call.rank, &service, &port)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn lookup_name(
    call: &Call,
    service_name: *const c_char,
    hints: MPI_Info,
    port_name: *mut c_char,
) -> Result<()> {
    require(port_name, "port_name")?;
    info::find_hints(call, hints)?;
    // SAFETY: as for this function.
    let service = unsafe { service_of(service_name)? };
    let port = dynamic::look_name_up(call.rank, &service)?;
    // SAFETY: the standard asks the caller for that much room.
    unsafe { text::put(&port, port_name, MPI_MAX_PORT_NAME as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn unpublish_name(
    call: &Call,
    service_name: *const c_char,
    hints: MPI_Info,
    port_name: *const c_char,
) -> Result<()> {
    info::find_hints(call, hints)?;
    // SAFETY: as for this function.
    let (service, port) = unsafe { (service_of(service_name)?, port_of(port_name)?) };
    dynamic::unpublish_name(call.rank, &service, &port)
}
