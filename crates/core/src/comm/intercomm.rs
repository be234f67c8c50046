//! Intercommunicators: made out of two groups whose leaders can talk, and merged again
//! (MPI 5.0, section 7.6). Async, like all collectives.

use super::create::{agree, from_leader, from_other_side, local_part};
use super::{Comm, Parts, Use};
use crate::buffer::Buffer;
use crate::coll::Coll;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::p2p::Mode;
use std::rc::Rc;

/// How the leaders of the two groups reach each other.
pub struct Bridge {
    /// The communicator that both leaders belong to; only the leader's counts.
    pub comm: Rc<Comm>,
    /// The other leader's rank in it.
    pub remote_leader: u32,
    /// The context of it that is used.
    pub over: Use,
    /// Tells calls apart.
    pub tag: i32,
}

/// Sends `mine` to the other leader and receives as many words as it sends.
async fn leaders_exchange(c: &Coll, bridge: &Bridge, mine: &[u64]) -> Result<Vec<u64>> {
    let comm = &bridge.comm;
    let context = comm.context + bridge.over as u64;
    let queue = c.rank.p2p.queue(context);
    let mut to = comm.destination(bridge.remote_leader, bridge.tag);
    to.context = context;
    let mut lengths = [mine.len() as u64, 0];
    let mut theirs;
    {
        let base: *mut u64 = lengths.as_mut_ptr();
        let out = Buffer::contiguous(base.cast(), 8);
        let into = Buffer::contiguous(base.wrapping_add(1).cast(), 8);
        // SAFETY: both buffers live in this future until both transfers are awaited.
        let (receive, send) = unsafe {
            let source = bridge.remote_leader as i32;
            let receive = c.rank.receive(&queue, source, bridge.tag, &into)?;
            (receive, c.rank.send(to, &out, Mode::Standard)?)
        };
        c.rank.done(receive).await?;
        if let Some(send) = send {
            c.rank.done(send).await?;
        }
        // SAFETY: our own array, written by the receive above.
        theirs = vec![0u64; unsafe { base.add(1).read_volatile() } as usize];
    }
    let out = Buffer::contiguous(mine.as_ptr().cast_mut().cast(), 8 * mine.len() as u64);
    let into = Buffer::contiguous(theirs.as_mut_ptr().cast(), 8 * theirs.len() as u64);
    // SAFETY: as above.
    let (receive, send) = unsafe {
        let source = bridge.remote_leader as i32;
        let receive = c.rank.receive(&queue, source, bridge.tag, &into)?;
        (receive, c.rank.send(to, &out, Mode::Standard)?)
    };
    c.rank.done(receive).await?;
    if let Some(send) = send {
        c.rank.done(send).await?;
    }
    Ok(theirs)
}

/// `MPI_Intercomm_create`: `c` is the local communicator, `bridge` is given by its leader.
pub async fn create(c: Coll, leader: u32, bridge: Option<Bridge>) -> Result<Rc<Comm>> {
    let comm = c.comm.clone();
    // The leader acts as rank 0 of the broadcasts below: it hands its words to rank 0 first.
    let mut words: Vec<u64> = Vec::new();
    if let Some(bridge) = &bridge {
        let mut mine = vec![c.rank.new_context()];
        mine.extend(comm.group.worlds().map(u64::from));
        let theirs = leaders_exchange(&c, bridge, &mine).await?;
        words.push(mine[0].max(theirs[0]));
        words.extend(&theirs[1..]);
    }
    if leader != 0 {
        words = to_rank_0(&c, leader, words).await?;
    }
    let length = from_leader(&c, vec![words.len() as u64]).await?[0];
    words.resize(length as usize, 0);
    let words = from_leader(&c, words).await?;
    let remote = Group::of(words[1..].iter().map(|w| *w as u32).collect());
    if remote.worlds().any(|w| comm.group.rank_of(w).is_some()) {
        return Err(Error::new(
            Class::COMM,
            "the two groups of an intercommunicator must not have a process in common",
        ));
    }
    let local = Some(local_part(&c, &comm.group, comm.rank).await?);
    let (group, rank) = (comm.group.clone(), comm.rank);
    let parts = Parts { context: words[0], rank, group, remote: Some(remote), local };
    Ok(Comm::new(c.rank, parts))
}

async fn to_rank_0(c: &Coll, leader: u32, words: Vec<u64>) -> Result<Vec<u64>> {
    if c.me() == leader {
        c.send_bytes(0, &(words.len() as u64).to_ne_bytes()).await?;
        for word in &words {
            c.send_bytes(0, &word.to_ne_bytes()).await?;
        }
    }
    if c.me() != 0 {
        return Ok(words);
    }
    let mut word = [0; 8];
    c.recv_bytes(leader, &mut word).await?;
    let mut words = Vec::new();
    for _ in 0..u64::from_ne_bytes(word) {
        c.recv_bytes(leader, &mut word).await?;
        words.push(u64::from_ne_bytes(word));
    }
    Ok(words)
}

/// `MPI_Intercomm_merge`: the group with `high` false comes first; if both say the same, the one
/// whose first process has the lower world rank.
pub async fn merge(c: Coll, high: bool) -> Result<Rc<Comm>> {
    let comm = c.comm.clone();
    let remote = comm.remote.clone().expect("checked by the caller");
    let mut mine = [c.rank.new_context(), high as u64];
    mine[1] = from_leader(&c.local(), vec![mine[1]]).await?[0];
    mine[0] = agree(&c.local()).await?;
    let theirs = from_other_side(&c, mine.to_vec(), 2).await?;
    let first = match (mine[1] != 0, theirs[1] != 0) {
        (false, true) => true,
        (true, false) => false,
        _ => comm.group.world(0) < remote.world(0),
    };
    let (low, up) = if first { (&comm.group, &remote) } else { (&remote, &comm.group) };
    let group = Group::of(low.worlds().chain(up.worlds()).collect());
    group.origin.set(comm.group.origin.get());
    let rank = if first { comm.rank } else { remote.size() + comm.rank };
    let context = mine[0].max(theirs[0]);
    Ok(Comm::new(c.rank, Parts { context, rank, group, remote: None, local: None }))
}
