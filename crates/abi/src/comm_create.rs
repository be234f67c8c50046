//! Making communicators out of others and out of groups (MPI 5.0, section 7.4.2): bodies of the
//! chapter `comm`. New ones take over their parent's error handler (section 9.3), a duplicate its
//! attributes and topology too; hints are never taken over.

use crate::decode::{bad, narrow, require};
use crate::entry::Call;
use crate::errhandler::{self, Handler};
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{attr, group, info, text};
use starling_core::coll::Coll;
use starling_core::comm::create;
use starling_core::comm::hardware::{self, RESOURCES, SHARED_MEMORY};
use starling_core::comm::Comm;
use starling_core::errhandler::For;
use starling_core::error::{Class, Result};
use starling_core::group::Group;
use starling_core::info::Info;
use starling_core::status::UNDEFINED;
use std::ffi::{c_char, c_int};
use std::rc::Rc;

/// The next collective on `comm`, to make a communicator.
pub(crate) fn start(call: &Call, comm: &Rc<Comm>) -> Coll {
    // SAFETY: collectives that make communicators have no buffers of the user.
    unsafe { Coll::new(call.rank, comm) }
}

/// Gives a new communicator to the caller; one that takes part in none gets `MPI_COMM_NULL`.
///
/// # Safety
/// `to` points to a communicator handle of the caller.
pub(crate) unsafe fn give(
    call: &Call,
    made: Option<Rc<Comm>>,
    errhandler: &Handler,
    to: *mut MPI_Comm,
) -> Result<()> {
    if let Some(comm) = &made {
        *comm.errhandler.borrow_mut() = errhandler.clone();
    }
    let handle = call.new_comm(made)?;
    // SAFETY: the caller's contract.
    unsafe { *to = handle };
    Ok(())
}

/// A copy of what `info` holds.
pub(crate) fn hints(call: &Call, info: MPI_Info) -> Result<Info> {
    Ok(info::find_hints(call, info)?.map(|hints| hints.borrow().clone()).unwrap_or_default())
}

/// # Safety
/// `newcomm` is a pointer of the C caller.
unsafe fn dup(call: &Call, comm: MPI_Comm, hints: Info, newcomm: *mut MPI_Comm) -> Result<()> {
    require(newcomm, "newcomm")?;
    let parent = call.comm(comm)?;
    let made = call.rank.block_on(create::duplicate(start(call, &parent)))??;
    made.topology.replace(parent.topology.borrow().clone());
    made.info.replace(hints);
    made.errhandler.replace(parent.errhandler.borrow().clone());
    let handle = call.new_comm(Some(made.clone()))?;
    let (from, into) = (attr::Owner::comm(&parent), attr::Owner::comm(&made));
    match attr::copy(call, &parent.attributes, from, into) {
        Ok(copied) => {
            for (key, value) in copied {
                made.attributes.set(&key, value);
            }
        }
        Err(error) => {
            let gone = call.rank.comms.borrow_mut().remove(narrow(handle.0));
            drop(gone);
            return Err(error);
        }
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *newcomm = handle };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_dup(call: &Call, comm: MPI_Comm, newcomm: *mut MPI_Comm) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { dup(call, comm, Info::default(), newcomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_dup_with_info(
    call: &Call,
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    let hints = hints(call, info)?;
    // SAFETY: as for this function.
    unsafe { dup(call, comm, hints, newcomm) }
}

/// A group whose members all belong to the (local) group of `comm`.
fn part_of(call: &Call, comm: &Comm, handle: MPI_Group) -> Result<Rc<Group>> {
    let group = group::find(call, handle)?;
    let stranger = group.worlds().find(|world| comm.group.rank_of(*world).is_none());
    match stranger {
        None => Ok(group),
        Some(world) => {
            let title = comm.title();
            let text =
                format!("the group has a member (world rank {world}) that is not in {title}");
            Err(bad(Class::GROUP, text))
        }
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_create(
    call: &Call,
    comm: MPI_Comm,
    group: MPI_Group,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let parent = call.comm(comm)?;
    let group = part_of(call, &parent, group)?;
    let made = call.rank.block_on(create::create(start(call, &parent), group))??;
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &errhandler, newcomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_create_group(
    call: &Call,
    comm: MPI_Comm,
    group: MPI_Group,
    tag: c_int,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let parent = call.intra_comm(comm)?;
    let group = part_of(call, &parent, group)?;
    let tag = call.send_tag(tag)?;
    let future = create::create_group(call.rank, parent.clone(), group, tag);
    let made = call.rank.block_on(future)??;
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &errhandler, newcomm) }
}

/// A tag that stands for a string: FNV-1a, without the sign bit. `step` tells apart messages that
/// one call sends for different purposes.
///
/// # Safety
/// `stringtag` is null or points to a C string.
pub(crate) unsafe fn tag_of(stringtag: *const c_char, step: u8) -> Result<c_int> {
    require(stringtag, "stringtag")?;
    let room = MPI_MAX_STRINGTAG_LEN as usize;
    // SAFETY: not null, so a C string.
    let bytes = unsafe { text::bytes(stringtag, room + 1) };
    if bytes.len() > room {
        let text =
            format!("the stringtag is longer than {room} characters (MPI_MAX_STRINGTAG_LEN)");
        return Err(bad(Class::ARG, text));
    }
    let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = std::iter::once(&step).chain(bytes).fold(0x811c_9dc5, mix);
    Ok((hash & 0x7fff_ffff) as c_int)
}

/// A group that this process belongs to.
pub(crate) fn own_group(call: &Call, handle: MPI_Group) -> Result<Rc<Group>> {
    let group = group::find(call, handle)?;
    match group.rank_of(call.rank.node().me).is_some() {
        true => Ok(group),
        false => Err(bad(Class::GROUP, "this process is not a member of the group")),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_create_from_group(
    call: &Call,
    group: MPI_Group,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    // SAFETY: as for this function.
    let tag = unsafe { tag_of(stringtag, 0)? };
    let (errhandler, hints) = (errhandler::find(call, errhandler, For::Comm)?, hints(call, info)?);
    let made = match group {
        MPI_GROUP_EMPTY => None,
        _ => {
            let group = own_group(call, group)?;
            call.rank.block_on(create::create_from_group(call.rank, group, tag))??
        }
    };
    if let Some(comm) = &made {
        comm.info.replace(hints);
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &errhandler, newcomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_split(
    call: &Call,
    comm: MPI_Comm,
    color: c_int,
    key: c_int,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let parent = call.comm(comm)?;
    if color < 0 && color != MPI_UNDEFINED {
        let text = format!("the color is {color}; it must be 0 or above, or MPI_UNDEFINED");
        return Err(bad(Class::ARG, text));
    }
    let made = call.rank.block_on(create::split(start(call, &parent), color, key))??;
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &errhandler, newcomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_split_type(
    call: &Call,
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let parent = call.comm(comm)?;
    let hints = hints(call, info)?;
    let color = match split_type {
        MPI_UNDEFINED => None,
        MPI_COMM_TYPE_SHARED => hardware::part(SHARED_MEMORY),
        MPI_COMM_TYPE_HW_GUIDED => hints.get(RESOURCE_TYPE).and_then(hardware::part),
        MPI_COMM_TYPE_HW_UNGUIDED => Some(0),
        MPI_COMM_TYPE_RESOURCE_GUIDED => resource(&hints, &parent),
        _ => {
            let text = format!(
                "the split_type is {split_type}; it must be one of MPI_COMM_TYPE_* or \
                 MPI_UNDEFINED"
            );
            return Err(bad(Class::ARG, text));
        }
    };
    let color = color.map_or(UNDEFINED, |c| c as c_int);
    let mut made = call.rank.block_on(create::split(start(call, &parent), color, key))??;
    if let (MPI_COMM_TYPE_HW_UNGUIDED, Some(all)) = (split_type, &made) {
        made = smaller_parts(call, all, key)?;
        // Section 7.4.2: the hint comes back in the info object that was passed.
        if let (Some(part), Some(hints)) = (&made, crate::info::find_hints(call, info)?) {
            let name = part.info.borrow().get(RESOURCE_TYPE).unwrap_or_default().to_string();
            hints.borrow_mut().set(RESOURCE_TYPE, &name);
        }
    }
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &errhandler, newcomm) }
}

/// The hint that names a kind of hardware resource.
const RESOURCE_TYPE: &str = "mpi_hw_resource_type";

/// The part of `comm` that the hints of `MPI_COMM_TYPE_RESOURCE_GUIDED` name.
fn resource(hints: &Info, comm: &Comm) -> Option<u32> {
    if let Some(name) = hints.get(RESOURCE_TYPE) {
        return hardware::part(name);
    }
    match hints.get("mpi_pset_name")?.to_ascii_lowercase().as_str() {
        "mpi://world" => Some(0),
        "mpi://self" => Some(comm.rank),
        _ => None,
    }
}

/// The largest parts of the machine that do not hold all of `all`; `None` if there are none, or
/// this process is not bound to one.
fn smaller_parts(call: &Call, all: &Rc<Comm>, key: c_int) -> Result<Option<Rc<Comm>>> {
    for (name, _) in &RESOURCES[1..] {
        let color = hardware::part(name).map_or(UNDEFINED, |c| c as c_int);
        let made = call.rank.block_on(create::split(start(call, all), color, key))??;
        match made {
            // Everybody sees the same here: all are in one part, so all go on.
            Some(comm) if comm.size() == all.size() => {}
            Some(comm) => {
                comm.info.borrow_mut().set(RESOURCE_TYPE, name);
                return Ok(Some(comm));
            }
            None => return Ok(None),
        }
    }
    Ok(None)
}
