//! Rabenseifner's algorithm (Rabenseifner 2004): reduce-scatter by halving, then allgather by
//! doubling. Here the nearest participants halve first: each value so far stands for consecutive
//! ranks, so operations that do not commute are right too.
//!
//! ```text
//! 4 participants, pieces by the end of each round (value of ranks)
//!   0: [0, 1/2) of 0,1     [0, 1/4)   of 0..3
//!   1: [1/2, 1) of 0,1     [1/2, 3/4) of 0..3
//!   2: [0, 1/2) of 2,3     [1/4, 1/2) of 0..3
//!   3: [1/2, 1) of 2,3     [3/4, 1)   of 0..3
//! ```

use crate::buffer::{Data, Scratch};
use crate::coll::halves::{Halves, Part};
use crate::coll::reduction::Reducer;
use crate::coll::Coll;
use crate::error::Result;

pub(super) async fn run(c: &Coll, send: &Data, recv: &Data, op: &Reducer) -> Result<()> {
    let halves = Halves::of(c.size());
    match scatter(c, &halves, send, recv, op).await? {
        Part::Represented => c.recv(c.me() + 1, recv).await,
        Part::Participant(v, for_two) => {
            gather(c, &halves, v, recv).await?;
            match for_two {
                true => c.send(c.me() - 1, recv).await,
                false => Ok(()),
            }
        }
    }
}

/// The elements (from, to) that participant `v` has after the rounds up to distance `end`.
fn piece_after(v: u32, end: u32, count: i64) -> (i64, i64) {
    let (mut from, mut to) = (0, count);
    let mut mask = 1;
    while mask < end {
        let middle = from + (to - from) / 2;
        match v & mask {
            0 => to = middle,
            _ => from = middle,
        }
        mask *= 2;
    }
    (from, to)
}

/// The elements (from, to) of the result that participant `v` has after the reduce-scatter.
pub(in crate::coll) fn piece(halves: &Halves, v: u32, count: i64) -> (i64, i64) {
    piece_after(v, halves.p, count)
}

/// Leaves this process's piece of the result in `work`, which may be the same buffer as `send`.
pub(in crate::coll) async fn scatter(
    c: &Coll,
    halves: &Halves,
    send: &Data,
    work: &Data,
    op: &Reducer,
) -> Result<Part> {
    let me = c.me();
    let part = halves.part(me);
    let Part::Participant(v, for_two) = part else {
        c.send(me + 1, send).await?;
        return Ok(part);
    };
    c.copy(send, work)?;
    let room = Scratch::new(if for_two { work.count } else { (work.count + 1) / 2 }, &work.ty);
    if for_two {
        c.recv(me - 1, &room.data).await?;
        op.prepend(c, &room.data, work);
    }
    let mut mask = 1;
    while mask < halves.p {
        let peer = halves.rank(v ^ mask);
        let (keep, give) =
            (piece_after(v, 2 * mask, work.count), piece_after(v ^ mask, 2 * mask, work.count));
        let mine = work.part(keep.0, keep.1 - keep.0);
        let theirs = work.part(give.0, give.1 - give.0);
        let operand = room.data.part(0, mine.count);
        c.exchange(peer, &theirs, peer, &operand).await?;
        match v & mask {
            0 => op.append(c, &mine, &operand)?,
            _ => op.prepend(c, &operand, &mine),
        }
        mask *= 2;
    }
    Ok(part)
}

/// Goes the way back: every participant gets all pieces.
async fn gather(c: &Coll, halves: &Halves, v: u32, recv: &Data) -> Result<()> {
    let mut mask = halves.p;
    while mask > 1 {
        mask /= 2;
        let peer = halves.rank(v ^ mask);
        let have = piece_after(v, 2 * mask, recv.count);
        let miss = piece_after(v ^ mask, 2 * mask, recv.count);
        let (out, into) = (recv.part(have.0, have.1 - have.0), recv.part(miss.0, miss.1 - miss.0));
        c.exchange(peer, &out, peer, &into).await?;
    }
    Ok(())
}
