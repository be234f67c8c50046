//! Making communicators (MPI 5.0, section 7.4). All are collectives: async, like the rest.
//!
//! Context ids are 64 bits wide, so one process of the new communicator simply makes up a fresh
//! one (`Rank::new_context`) and tells the others. An intercommunicator takes the larger of the
//! two sides' proposals.

use super::{Comm, Parts, Use};
use crate::buffer::{Buffer, Data};
use crate::coll::{bcast, Coll};
use crate::error::Result;
use crate::group::Group;
use crate::p2p::{Destination, Mode};
use crate::rank::Rank;
use crate::status::UNDEFINED;
use std::rc::Rc;

/// Bytes of the engine's own, as a collective's buffer.
fn words(c: &Coll, words: &mut [u64]) -> Data {
    let byte = c.rank.predefined_datatype(0x247).expect("MPI_BYTE exists");
    let addr = words.as_mut_ptr().cast();
    Data { addr, count: size_of_val(words) as i64, ty: byte.clone() }
}

/// Everybody learns everybody's `mine` within the local group: gather to rank 0, broadcast.
async fn gather_all<const N: usize>(c: &Coll, mine: [u64; N]) -> Result<Vec<[u64; N]>> {
    let mut all = vec![0u64; N * c.size() as usize];
    let data = words(c, &mut all);
    let row = (N * 8) as i64;
    let at = data.part(row * c.me() as i64, row);
    // SAFETY: `at` is this process's row of `all`, which lives until the end of this function.
    unsafe { std::ptr::copy_nonoverlapping(mine.as_ptr(), at.addr.cast(), N) };
    if c.me() == 0 {
        for from in 1..c.size() {
            c.recv(from, &data.part(row * from as i64, row)).await?;
        }
    } else {
        c.send(0, &at).await?;
    }
    bcast::binomial(c, &data, 0).await?;
    Ok(all.chunks_exact(N).map(|row| row.try_into().expect("rows have N words")).collect())
}

/// Everybody of the local group learns what its rank 0 has.
pub(super) async fn from_leader(c: &Coll, mut list: Vec<u64>) -> Result<Vec<u64>> {
    bcast::binomial(c, &words(c, &mut list), 0).await?;
    Ok(list)
}

/// The leaders of an intercommunicator exchange lists of known lengths; then both groups know.
pub(super) async fn from_other_side(c: &Coll, mine: Vec<u64>, length: usize) -> Result<Vec<u64>> {
    let mut theirs = vec![0; length];
    let mut mine = mine;
    if c.me() == 0 {
        c.exchange(0, &words(c, &mut mine), 0, &words(c, &mut theirs)).await?;
    }
    from_leader(&c.local(), theirs).await
}

/// A context that all of the local group agree on.
pub(super) async fn agree(c: &Coll) -> Result<u64> {
    Ok(from_leader(c, vec![c.rank.new_context()]).await?[0])
}

/// The communicator of an intercommunicator's local part.
pub(super) async fn local_part(c: &Coll, group: &Rc<Group>, rank: u32) -> Result<Rc<Comm>> {
    let context = agree(c).await?;
    let parts = Parts { context, rank, group: group.clone(), remote: None, local: None };
    Ok(Comm::new(c.rank, parts))
}

/// A communicator with the same group or groups, without attributes, topology or name.
pub async fn duplicate(c: Coll) -> Result<Rc<Comm>> {
    let comm = &c.comm;
    let (context, local);
    if comm.is_inter() {
        local = Some(local_part(&c.local(), &comm.group, comm.rank).await?);
        let ours = agree(&c.local()).await?;
        let theirs = from_other_side(&c, vec![ours], 1).await?[0];
        context = ours.max(theirs);
    } else {
        context = agree(&c).await?;
        local = None;
    }
    let (group, remote) = (comm.group.clone(), comm.remote.clone());
    Ok(Comm::new(c.rank, Parts { context, rank: comm.rank, group, remote, local }))
}

/// `MPI_Comm_split`: one communicator per color, ordered by key, then by old rank. `None` for
/// those who give `MPI_UNDEFINED`.
pub async fn split(c: Coll, color: i32, key: i32) -> Result<Option<Rc<Comm>>> {
    let mine = [color as u64, key as u64, c.rank.new_context(), c.rank.new_context()];
    if !c.comm.is_inter() {
        let all = gather_all(&c, mine).await?;
        return Ok(part_of_color(&all, color, c.comm.rank).map(|part| {
            let group = c.comm.group.include(&part.members);
            let parts = Parts {
                context: part.contexts[0],
                rank: part.rank,
                group,
                remote: None,
                local: None,
            };
            Comm::new(c.rank, parts)
        }));
    }
    let all = gather_all(&c.local(), mine).await?;
    let flat: Vec<u64> = all.iter().flatten().copied().collect();
    let theirs = from_other_side(&c, flat, 4 * c.comm.peers().size() as usize).await?;
    let theirs: Vec<Row> = theirs.chunks_exact(4).map(|r| [r[0], r[1], r[2], r[3]]).collect();
    let own = part_of_color(&all, color, c.comm.rank);
    let other = members_of_color(&theirs, color);
    let (Some(own), Some((other, contexts))) = (own, other) else { return Ok(None) };
    let group = c.comm.group.include(&own.members);
    let remote = Some(c.comm.peers().include(&other));
    // The local part takes its own leader's first proposal, the whole the larger of the seconds.
    let (context, rank) = (own.contexts[1].max(contexts[1]), own.rank);
    let local =
        Parts { context: own.contexts[0], rank, group: group.clone(), remote: None, local: None };
    let local = Some(Comm::new(c.rank, local));
    Ok(Some(Comm::new(c.rank, Parts { context, rank, group, remote, local })))
}

/// What a process says in a split: color, key, two fresh contexts.
type Row = [u64; 4];

struct Part {
    members: Vec<u32>,
    rank: u32,
    contexts: [u64; 2],
}

/// The ranks with a color in their new order, and the contexts that the first of them proposes.
fn members_of_color(all: &[Row], color: i32) -> Option<(Vec<u32>, [u64; 2])> {
    let mut members: Vec<u32> =
        (0..all.len() as u32).filter(|r| all[*r as usize][0] as i32 == color).collect();
    members.sort_by_key(|r| all[*r as usize][1] as i32); // stable: ties by old rank
    let first = all[*members.first()? as usize];
    Some((members, [first[2], first[3]]))
}

fn part_of_color(all: &[Row], color: i32, me: u32) -> Option<Part> {
    if color == UNDEFINED {
        return None;
    }
    let (members, contexts) = members_of_color(all, color)?;
    let rank = members.iter().position(|r| *r == me)? as u32;
    Some(Part { members, rank, contexts })
}

/// `MPI_Comm_create`: a communicator of `group`, a subset of the (local) group; called by all.
pub async fn create(c: Coll, group: Rc<Group>) -> Result<Option<Rc<Comm>>> {
    // A process's color is its group's first member, its key the rank there: a split.
    let my_world = c.rank.node().me;
    let color = match group.rank_of(my_world) {
        Some(_) => c.comm.group.rank_of(group.world(0)).map_or(UNDEFINED, |r| r as i32),
        None => UNDEFINED,
    };
    let key = group.rank_of(my_world).unwrap_or(0) as i32;
    if !c.comm.is_inter() {
        return split(c, color, key).await;
    }
    // Between groups each side gives one group; all of both sides' members belong together.
    let color = if color == UNDEFINED { UNDEFINED } else { 0 };
    split(c, color, key).await
}

/// Everybody of an intracommunicator learns everybody's list.
pub async fn share(c: Coll, mine: Vec<u64>) -> Result<Vec<Vec<u64>>> {
    let lengths = gather_all(&c, [mine.len() as u64]).await?;
    let lengths: Vec<usize> = lengths.iter().map(|[n]| *n as usize).collect();
    let mut all = vec![0u64; lengths.iter().sum()];
    let data = words(&c, &mut all);
    let mut parts = Vec::new();
    let mut at = 0;
    for n in &lengths {
        parts.push(data.part(at, 8 * *n as i64));
        at += 8 * *n as i64;
    }
    let own = &parts[c.me() as usize];
    // SAFETY: `own` is this process's part of `all`, which lives until the end of this function.
    unsafe { std::ptr::copy_nonoverlapping(mine.as_ptr(), own.addr.cast(), mine.len()) };
    if c.me() == 0 {
        for from in 1..c.size() {
            c.recv(from, &parts[from as usize]).await?;
        }
    } else {
        c.send(0, own).await?;
    }
    let mut rest = &from_leader(&c, all).await?[..];
    let mut lists = Vec::new();
    for n in lengths {
        let (list, others) = rest.split_at(n);
        lists.push(list.to_vec());
        rest = others;
    }
    Ok(lists)
}

/// `MPI_Comm_create_group`: called by the members of `group` only; `tag` tells calls apart.
pub async fn create_group(
    rank: &'static Rank,
    comm: Rc<Comm>,
    group: Rc<Group>,
    tag: i32,
) -> Result<Option<Rc<Comm>>> {
    among(rank, comm, Use::Creation, group, tag).await
}

/// `MPI_Comm_create_from_group`: the same without a communicator to start from.
pub async fn create_from_group(
    rank: &'static Rank,
    group: Rc<Group>,
    tag: i32,
) -> Result<Option<Rc<Comm>>> {
    let everybody = rank.everybody().expect("groups are made of a job's processes").clone();
    among(rank, everybody, Use::FromGroups, group, tag).await
}

/// The first of `group` makes up a context and tells the others, in a context of `comm`. Processes
/// are called by their ranks in `comm` there, or by their numbers where the group may have members
/// outside of it.
async fn among(
    rank: &'static Rank,
    comm: Rc<Comm>,
    over: Use,
    group: Rc<Group>,
    tag: i32,
) -> Result<Option<Rc<Comm>>> {
    let number = rank.node().me;
    let Some(me) = group.rank_of(number) else { return Ok(None) };
    let first = group.world(0);
    let (source, leader) = match over {
        Use::FromGroups => (number, first),
        _ => (comm.rank, comm.group.rank_of(first).unwrap_or(0)),
    };
    let mut context = [rank.new_context()];
    let creation = comm.context + over as u64;
    let buffer = Buffer::contiguous(context.as_mut_ptr().cast(), 8);
    if me == 0 {
        let mut sends = Vec::new();
        for other in 1..group.size() {
            let (peer, source) = (group.world(other), source as i32);
            let to = Destination { context: creation, peer, source, tag };
            // SAFETY: `context` outlives the sends, which are awaited below.
            sends.extend(unsafe { rank.send(to, &buffer, Mode::Standard) }?);
        }
        for send in sends {
            rank.done(send).await?;
        }
    } else {
        let queue = rank.p2p.queue(creation);
        // SAFETY: `context` outlives the receive, which is awaited here.
        rank.done(unsafe { rank.receive(&queue, leader as i32, tag, &buffer) }?).await?;
    }
    // SAFETY: plain read of what the engine may have written through `buffer`.
    let context = unsafe { context.as_ptr().read_volatile() };
    let parts = Parts { context, rank: me, group, remote: None, local: None };
    Ok(Some(Comm::new(rank, parts)))
}
