//! Recursive doubling: in round k everybody exchanges its value with the participant 2^k away, and
//! both combine them in the same order.

use crate::buffer::Data;
use crate::coll::fold::Fold;
use crate::coll::halves::{Halves, Part};
use crate::coll::reduction::Reducer;
use crate::coll::Coll;
use crate::error::Result;

pub(super) async fn run(c: &Coll, send: Data, recv: &Data, op: &Reducer) -> Result<()> {
    let me = c.me();
    let halves = Halves::of(c.size());
    let (v, for_two) = match halves.part(me) {
        Part::Participant(v, for_two) => (v, for_two),
        Part::Represented => {
            c.send(me + 1, &send).await?;
            return c.recv(me + 1, recv).await;
        }
    };
    let mut fold = Fold::new(c, op, send, Some(recv));
    if for_two {
        c.recv(me - 1, fold.room()).await?;
        fold.prepend()?;
    }
    let mut mask = 1;
    while mask < halves.p {
        let peer = halves.rank(v ^ mask);
        c.exchange(peer, fold.value(), peer, fold.room()).await?;
        match v & mask {
            0 => fold.append(),
            _ => fold.prepend()?,
        }
        mask *= 2;
    }
    fold.finish(recv)?;
    match for_two {
        true => c.send(me - 1, recv).await,
        false => Ok(()),
    }
}
