//! Pairs of processes exchange their blocks, several pairs of each process at once.
//!
//! In step s the ranks whose sum is s (modulo the number of steps) are partners, so both sides of
//! a pair meet in the same step; a window of steps is on its way at once. This serves
//! intercommunicators as well, and exchanges in place: both blocks of a pair lie at the same place.

use crate::buffer::{Data, Scratch};
use crate::coll::{given, Blocks, Coll, Started};
use crate::error::Result;

/// Steps that are on their way at once: enough to keep all cores busy, few enough not to flood
/// the matching queues.
const WINDOW: u32 = 32;

/// What goes to one peer, and the memory that holds it if it is a copy.
type Outgoing = (Data, Option<Scratch>);

/// Exchanges blocks; `send` is `None` for `MPI_IN_PLACE`.
pub(in crate::coll) async fn blocks(c: &Coll, send: Option<Blocks>, recv: &Blocks) -> Result<()> {
    match send {
        Some(send) => run(c, |peer| (send.block(peer), None), |peer| recv.block(peer)).await,
        None if c.comm.is_inter() => given(None, "sendbuf"),
        None => run(c, |peer| packed(c, recv, peer), |peer| recv.block(peer)).await,
    }
}

/// In place, what goes out is packed before the other's block comes in.
fn packed(c: &Coll, blocks: &Blocks, peer: u32) -> Outgoing {
    let block = blocks.block(peer);
    if peer == c.me() {
        return (block, None);
    }
    let scratch = c.packed(&block);
    (scratch.data.clone(), Some(scratch))
}

/// Exchanges `out(peer)` for `into(peer)` with all peers.
pub(in crate::coll) async fn run(
    c: &Coll,
    out: impl Fn(u32) -> Outgoing,
    into: impl Fn(u32) -> Data,
) -> Result<()> {
    let (inter, me, peers) = (c.comm.is_inter(), c.me(), c.comm.peers().size());
    let steps = peers.max(c.size());
    for first in (0..steps).step_by(WINDOW as usize) {
        let window = (first..steps.min(first + WINDOW)).map(|step| (step + steps - me) % steps);
        let (mut started, mut memory) = (Vec::new(), Vec::new());
        let mut copied = Ok(());
        for peer in window.filter(|peer| *peer < peers) {
            let (data, scratch) = out(peer);
            if peer == me && !inter {
                copied = c.copy(&data, &into(peer));
                continue;
            }
            memory.extend(scratch);
            started.push(c.recv_start(peer, &into(peer))?);
            started.push(c.send_start(peer, &data)?);
        }
        Started::finish_all(started).await.and(copied)?;
    }
    Ok(())
}
