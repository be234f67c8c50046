//! A flat tree for crowded nodes, where ranks outnumber cores. There the cost of a collective is
//! the number of times that ranks must be woken, not the number of rounds: up and down a tree
//! every rank but the inner ones is woken once, in a doubling algorithm once per round.
//! Called by `barrier` and `allreduce`.
//!
//! ```text
//! FAN = 4, 10 ranks:     0 ── 1 2 3
//!                        ├─── 4 ── 5 6 7
//!                        └─── 8 ── 9
//! ```
//! The ranks of a subtree follow each other, so operands combine in rank order on the way up.

use super::fold::Fold;
use super::reduction::Reducer;
use super::{Coll, Started};
use crate::buffer::Data;
use crate::error::Result;

/// Children of a rank per level.
const FAN: u32 = 16;

/// The rank above `me`, and those below it in rising order.
fn links(me: u32, n: u32) -> (Option<u32>, Vec<u32>) {
    let mut children = Vec::new();
    let mut span = 1;
    while span < n {
        let wider = span * FAN;
        if !me.is_multiple_of(wider) {
            return (Some(me - me % wider), children);
        }
        children.extend((1..FAN).map(|i| me + i * span).take_while(|child| *child < n));
        span = wider;
    }
    (None, children)
}

/// Nobody leaves before all have come.
pub(super) async fn barrier(c: &Coll) -> Result<()> {
    let (parent, children) = links(c.me(), c.size());
    for child in &children {
        c.recv_bytes(*child, &mut []).await?;
    }
    if let Some(parent) = parent {
        c.send_bytes(parent, &[]).await?;
        c.recv_bytes(parent, &mut []).await?;
    }
    for child in children {
        c.send_bytes(child, &[]).await?;
    }
    Ok(())
}

/// Combines on the way up, hands the result down.
pub(super) async fn allreduce(c: &Coll, send: Data, recv: &Data, op: &Reducer) -> Result<()> {
    let (parent, children) = links(c.me(), c.size());
    let mut fold = Fold::new(c, op, send, Some(recv));
    for child in &children {
        c.recv(*child, fold.room()).await?;
        fold.append();
    }
    match parent {
        None => fold.finish(recv)?,
        Some(parent) => {
            c.send(parent, fold.value()).await?;
            c.recv(parent, recv).await?;
        }
    }
    let mut sends = Vec::new();
    for child in children {
        sends.push(c.send_start(child, recv)?);
    }
    Started::finish_all(sends).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_the_parent_that_has_it_as_a_child() {
        for n in [1, 2, 15, 16, 17, 100, 256, 257, 1000] {
            for me in 0..n {
                let (parent, children) = links(me, n);
                assert_eq!(parent.is_none(), me == 0);
                assert!(children.is_sorted());
                assert!(children.iter().all(|child| links(*child, n).0 == Some(me)));
                assert!(parent.is_none_or(|p| links(p, n).1.contains(&me)));
            }
        }
    }
}
