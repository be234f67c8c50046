//! Intercommunicators: made out of two groups, and merged (MPI 5.0, section 7.6): bodies of the
//! chapter `comm`.

use crate::comm::needs_inter;
use crate::comm_create::{give, hints, own_group, start, tag_of};
use crate::decode::{bad, require};
use crate::entry::Call;
use crate::errhandler;
use crate::generated::types::*;
use crate::group;
use starling_core::comm::intercomm::{self, Bridge};
use starling_core::comm::{create, Use};
use starling_core::errhandler::For;
use starling_core::error::{Class, Result};
use std::ffi::{c_char, c_int};

/// A leader's rank in a group of `size`.
fn leader(rank: c_int, size: u32, name: &str) -> Result<u32> {
    match u32::try_from(rank) {
        Ok(leader) if leader < size => Ok(leader),
        _ => Err(bad(
            Class::RANK,
            format!("the {name} is rank {rank}, but its group has {size} ranks, from 0"),
        )),
    }
}

/// # Safety
/// The arguments are those of the C caller; what is significant at the leader only is not looked
/// at elsewhere.
pub(crate) unsafe fn intercomm_create(
    call: &Call,
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: *mut MPI_Comm,
) -> Result<()> {
    require(newintercomm, "newintercomm")?;
    let local = call.intra_comm(local_comm)?;
    let local_leader = leader(local_leader, local.size(), "local_leader")?;
    let bridge = match local.rank == local_leader {
        true => {
            let comm = call.comm(peer_comm)?;
            let remote_leader = leader(remote_leader, comm.peers().size(), "remote_leader")?;
            if comm.peers().world(remote_leader) == call.rank.node().me {
                let text = "the remote_leader is this process itself, the leader of this side";
                return Err(bad(Class::RANK, text));
            }
            let tag = call.send_tag(tag)?;
            Some(Bridge::over(&comm, Use::Creation, remote_leader, tag))
        }
        false => None,
    };
    let future = intercomm::create(start(call, &local), local_leader, bridge);
    let made = call.rank.block_on(future)??;
    let errhandler = local.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Some(made), &errhandler, newintercomm) }
}

/// # Safety
/// The arguments are those of the C caller; what is significant at the leader only is not looked
/// at elsewhere.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn intercomm_create_from_groups(
    call: &Call,
    local_group: MPI_Group,
    local_leader: c_int,
    remote_group: MPI_Group,
    remote_leader: c_int,
    stringtag: *const c_char,
    info: MPI_Info,
    errhandler: MPI_Errhandler,
    newintercomm: *mut MPI_Comm,
) -> Result<()> {
    require(newintercomm, "newintercomm")?;
    // SAFETY: as for this function.
    let (inside, between) = unsafe { (tag_of(stringtag, 1)?, tag_of(stringtag, 2)?) };
    let (errhandler, hints) = (errhandler::find(call, errhandler, For::Comm)?, hints(call, info)?);
    let local = own_group(call, local_group)?;
    let local_leader = leader(local_leader, local.size(), "local_leader")?;
    let bridge = match local.world(local_leader) == call.rank.node().me {
        true => {
            let remote = group::find(call, remote_group)?;
            let remote_leader = leader(remote_leader, remote.size(), "remote_leader")?;
            let remote_leader = remote.world(remote_leader);
            if local.rank_of(remote_leader).is_some() {
                return Err(bad(Class::GROUP, "the remote leader is in the local group as well"));
            }
            let everybody = call.rank.everybody().expect("groups are made of a job's processes");
            let (context, me) = (everybody.context + Use::FromGroups as u64, call.rank.node().me);
            Some(Bridge::direct(context, me, remote_leader, between))
        }
        false => None,
    };
    let future = create::create_from_group(call.rank, local, inside);
    let made = call.rank.block_on(future)??.expect("this process is a member");
    let future = intercomm::create(start(call, &made), local_leader, bridge);
    let made = call.rank.block_on(future)??;
    made.info.replace(hints);
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Some(made), &errhandler, newintercomm) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn intercomm_merge(
    call: &Call,
    intercomm: MPI_Comm,
    high: c_int,
    newintracomm: *mut MPI_Comm,
) -> Result<()> {
    require(newintracomm, "newintracomm")?;
    let inter = call.comm(intercomm)?;
    if !inter.is_inter() {
        return Err(needs_inter(&inter));
    }
    let made = call.rank.block_on(intercomm::merge(start(call, &inter), high != 0))??;
    let errhandler = inter.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Some(made), &errhandler, newintracomm) }
}
