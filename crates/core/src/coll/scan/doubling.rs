//! Doubling (Hillis and Steele 1986): in round k everybody gets, from 2^k ranks before, the value
//! of the 2^k ranks that precede those it has combined so far.

use crate::buffer::{Data, Scratch};
use crate::coll::reduction::Reducer;
use crate::coll::Coll;
use crate::error::Result;

pub(super) async fn run(c: &Coll, first: u32, recv: &Data, op: &Reducer) -> Result<()> {
    let (me, n) = (c.me() - first, c.size() - first);
    let room = Scratch::new(recv.count, &recv.ty);
    let mut distance = 1;
    while distance < n {
        let (before, after) = (me >= distance, me + distance < n);
        let (from, to) = (c.me().wrapping_sub(distance), c.me() + distance);
        match (before, after) {
            (true, true) => c.exchange(to, recv, from, &room.data).await?,
            (true, false) => c.recv(from, &room.data).await?,
            (false, true) => c.send(to, recv).await?,
            (false, false) => {}
        }
        if before {
            op.prepend(c, &room.data, recv);
        }
        distance *= 2;
    }
    Ok(())
}
