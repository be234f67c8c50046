//! Rabenseifner's algorithm for long operands: reduce-scatter by halving, then the root gathers
//! the pieces.

use crate::buffer::{Data, Scratch};
use crate::coll::allreduce::halving::{self, piece};
use crate::coll::halves::{Halves, Part};
use crate::coll::reduction::Reducer;
use crate::coll::{Coll, Started};
use crate::error::Result;

/// `recv` is given at the root.
pub(super) async fn run(
    c: &Coll,
    send: Data,
    recv: Option<Data>,
    op: &Reducer,
    root: u32,
) -> Result<()> {
    let halves = Halves::of(c.size());
    let scratch;
    let work = match &recv {
        Some(recv) => recv,
        None => {
            scratch = Scratch::new(send.count, &send.ty);
            &scratch.data
        }
    };
    let own = halving::scatter(c, &halves, &send, work, op).await?;
    match (c.me() == root, own) {
        (true, _) => {
            let others = (0..halves.p).filter(|v| halves.rank(*v) != root);
            let receives = others.map(|v| {
                let (from, to) = piece(&halves, v, work.count);
                c.recv_start(halves.rank(v), &work.part(from, to - from))
            });
            let receives: Vec<Started> = receives.collect::<Result<_>>()?;
            Started::finish_all(receives).await
        }
        (false, Part::Participant(v, _)) => {
            let (from, to) = piece(&halves, v, work.count);
            c.send(root, &work.part(from, to - from)).await
        }
        (false, Part::Represented) => Ok(()),
    }
}
