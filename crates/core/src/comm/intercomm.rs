//! Intercommunicators: made out of two groups whose leaders can talk, and merged again
//! (MPI 5.0, section 7.6). Async, like all collectives.

use super::create::{agree, from_leader, from_other_side, local_part};
use super::{Comm, Parts, Use};
use crate::buffer::Buffer;
use crate::coll::Coll;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::p2p::{Destination, Mode};
use std::rc::Rc;

/// How the leaders of the two groups reach each other.
pub struct Bridge {
    /// A context that both know and use for nothing else meanwhile.
    pub context: u64,
    /// Number of the other leader's process.
    pub peer: u32,
    /// How this process is called in the context.
    pub mine: i32,
    /// How the other leader is called there.
    pub theirs: i32,
    /// Tells calls apart.
    pub tag: i32,
}

impl Bridge {
    /// Over a communicator that both belong to: the other leader has rank `leader` there.
    pub fn over(comm: &Comm, of: Use, leader: u32, tag: i32) -> Bridge {
        let (context, peer) = (comm.context + of as u64, comm.peers().world(leader));
        Bridge { context, peer, mine: comm.rank as i32, theirs: leader as i32, tag }
    }

    /// In a context of its own, where processes are called by their numbers.
    pub fn direct(context: u64, me: u32, peer: u32, tag: i32) -> Bridge {
        Bridge { context, peer, mine: me as i32, theirs: peer as i32, tag }
    }
}

/// Sends `mine` to the other leader and receives as many words as it sends.
async fn leaders_exchange(c: &Coll, bridge: &Bridge, mine: &[u64]) -> Result<Vec<u64>> {
    let &Bridge { context, peer, mine: own, theirs: source, tag } = bridge;
    let queue = c.rank.p2p.queue(context);
    let to = Destination { context, peer, source: own, tag };
    let mut lengths = [mine.len() as u64, 0];
    let mut theirs;
    {
        let base: *mut u64 = lengths.as_mut_ptr();
        let out = Buffer::contiguous(base.cast(), 8);
        let into = Buffer::contiguous(base.wrapping_add(1).cast(), 8);
        // SAFETY: both buffers live in this future until both transfers are awaited.
        let (receive, send) = unsafe {
            let receive = c.rank.receive(&queue, source, tag, &into)?;
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
        let receive = c.rank.receive(&queue, source, tag, &into)?;
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
    let mut words: Vec<u64> = Vec::new();
    if let Some(bridge) = &bridge {
        let mut mine = vec![c.rank.new_context()];
        mine.extend(comm.group.worlds().map(u64::from));
        let theirs = leaders_exchange(&c, bridge, &mine).await?;
        words.push(mine[0].max(theirs[0]));
        words.extend(&theirs[1..]);
    }
    let words = from_member(&c, leader, words).await?;
    let remote = Group::of(words[1..].iter().map(|w| *w as u32).collect());
    if remote.worlds().any(|w| comm.group.rank_of(w).is_some()) {
        return Err(Error::new(
            Class::COMM,
            "the two groups of an intercommunicator must not have a process in common",
        ));
    }
    c.rank.meet(&remote);
    let local = Some(local_part(&c, &comm.group, comm.rank).await?);
    let (group, rank) = (comm.group.clone(), comm.rank);
    let parts = Parts { context: words[0], rank, group, remote: Some(remote), local };
    Ok(Comm::new(c.rank, parts))
}

/// Everybody of the local group learns what rank `member` has: that hands it to rank 0 first.
pub(crate) async fn from_member(c: &Coll, member: u32, mut words: Vec<u64>) -> Result<Vec<u64>> {
    if member != 0 {
        words = to_rank_0(c, member, words).await?;
    }
    let length = from_leader(c, vec![words.len() as u64]).await?[0];
    words.resize(length as usize, 0);
    from_leader(c, words).await
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
