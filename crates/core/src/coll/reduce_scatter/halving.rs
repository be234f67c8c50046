//! Recursive halving, for operations that commute: in each round partners half of the remaining
//! distance apart exchange the blocks that belong to the other's side, until each has its own.

use crate::buffer::{Data, Scratch};
use crate::coll::halves::{Halves, Part};
use crate::coll::reduction::Reducer;
use crate::coll::Coll;
use crate::error::Result;

/// `recv` may lie in `send` (`MPI_IN_PLACE`).
pub(super) async fn run(
    c: &Coll,
    send: &Data,
    recv: &Data,
    counts: &[i64],
    op: &Reducer,
) -> Result<()> {
    let me = c.me();
    let halves = Halves::of(c.size());
    let Part::Participant(v, for_two) = halves.part(me) else {
        c.send(me + 1, send).await?;
        return c.recv(me + 1, recv).await;
    };
    let mut starts = vec![0];
    for count in counts {
        starts.push(starts[starts.len() - 1] + count);
    }
    let work = Scratch::new(send.count, &send.ty);
    let room = Scratch::new(send.count, &send.ty);
    // What belongs to the participants from..to, or rather to the ranks that they stand for.
    let of = |data: &Data, from: u32, to: u32| {
        let start = starts[halves.first(from) as usize];
        data.part(start, starts[halves.first(to) as usize] - start)
    };
    c.copy(send, &work.data)?;
    if for_two {
        c.recv(me - 1, &room.data).await?;
        op.prepend(c, &room.data, &work.data);
    }
    let (mut low, mut high) = (0, halves.p);
    while high - low > 1 {
        let half = (high - low) / 2;
        let peer = halves.rank(v ^ half);
        let (lower, upper) = ((low, low + half), (low + half, high));
        let (keep, give) = if v & half == 0 { (lower, upper) } else { (upper, lower) };
        let mine = of(&work.data, keep.0, keep.1);
        let operand = of(&room.data, keep.0, keep.1);
        c.exchange(peer, &of(&work.data, give.0, give.1), peer, &operand).await?;
        op.prepend(c, &operand, &mine);
        (low, high) = keep;
    }
    let block = |rank: u32| {
        let start = starts[rank as usize];
        work.data.part(start, starts[rank as usize + 1] - start)
    };
    if for_two {
        c.send(me - 1, &block(me - 1)).await?;
    }
    c.copy(&block(me), recv)
}
