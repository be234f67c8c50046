//! A ring, for operations that commute: each of n pieces goes once around and collects all
//! operands, then once more around for everybody (Patarasuk and Yuan 2009). Each piece is
//! computed by one process, so all get the same bits.

use crate::buffer::{Data, Scratch};
use crate::coll::reduction::Reducer;
use crate::coll::Coll;
use crate::error::Result;

pub(super) async fn run(c: &Coll, send: &Data, recv: &Data, op: &Reducer) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    let (before, after) = ((me + n - 1) % n, (me + 1) % n);
    let start = |i: u32| (recv.count as i128 * i as i128 / n as i128) as i64;
    let piece = |i: u32| {
        let i = i % n;
        recv.part(start(i), start(i + 1) - start(i))
    };
    c.copy(send, recv)?;
    let longest = recv.count / n as i64 + 1;
    let room = Scratch::new(longest, &recv.ty);
    for step in 0..n - 1 {
        let (out, mine) = (piece(me + n - step), piece(me + n - step - 1));
        let operand = room.data.part(0, mine.count);
        c.exchange(after, &out, before, &operand).await?;
        op.prepend(c, &operand, &mine);
    }
    for step in 0..n - 1 {
        let (out, into) = (piece(me + n + 1 - step), piece(me + n - step));
        c.exchange(after, &out, before, &into).await?;
    }
    Ok(())
}
