//! Everybody sends each block to the process that it belongs to, straight from the user's buffer;
//! that process combines the blocks as they come, in rank order. Each byte moves once.

use crate::buffer::{Data, Scratch};
use crate::coll::fold::Fold;
use crate::coll::reduction::Reducer;
use crate::coll::{Blocks, Coll, Started};
use crate::error::Result;

/// `recv` may lie in the blocks (`MPI_IN_PLACE`).
pub(super) async fn run(c: &Coll, blocks: &Blocks, recv: &Data, op: &Reducer) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    let mut sends = Vec::new();
    for distance in 1..n {
        let to = (me + distance) % n;
        sends.push(c.send_start(to, &blocks.block(to))?);
    }
    // The result goes to scratch memory first: `recv` may hold a block that is still being sent.
    let result = Scratch::new(recv.count, &recv.ty);
    let folded = fold(c, blocks.block(me), &result.data, op).await;
    Started::finish_all(sends).await.and(folded)?;
    c.copy(&result.data, recv)
}

async fn fold(c: &Coll, mine: Data, result: &Data, op: &Reducer) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    // The value starts as the operand of rank 0; without scratch memory if that is our own.
    let first;
    let start = match me {
        0 => mine.clone(),
        _ => {
            first = Scratch::new(mine.count, &mine.ty);
            c.recv(0, &first.data).await?;
            first.data.clone()
        }
    };
    let mut fold = Fold::new(c, op, start, Some(result));
    for from in 1..n {
        match from == me {
            true => c.copy(&mine, fold.room())?,
            false => c.recv(from, fold.room()).await?,
        }
        fold.append();
    }
    fold.finish(result)
}
