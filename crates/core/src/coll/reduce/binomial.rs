//! A binomial tree towards the root. If operands may not be exchanged the tree leads to rank 0,
//! so that every subtree holds consecutive ranks; the result then goes on to the root.

use crate::buffer::Data;
use crate::coll::fold::Fold;
use crate::coll::reduction::Reducer;
use crate::coll::Coll;
use crate::error::Result;

/// `recv` is given at the root.
pub(super) async fn run(
    c: &Coll,
    send: Data,
    recv: Option<Data>,
    op: &Reducer,
    root: u32,
) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    let top = if op.is_commutative() { root } else { 0 };
    let relative = (me + n - top) % n;
    let absolute = |r: u32| (r + top) % n;
    if relative % 2 == 1 {
        c.send(absolute(relative - 1), &send).await?;
    } else {
        let home = recv.as_ref().filter(|_| me == top);
        let mut fold = Fold::new(c, op, send, home);
        let mut mask = 1;
        while mask < n && relative & mask == 0 {
            if relative + mask < n {
                c.recv(absolute(relative + mask), fold.room()).await?;
                fold.append();
            }
            mask *= 2;
        }
        if relative != 0 {
            c.send(absolute(relative - mask), fold.value()).await?;
        } else if top != root {
            c.send(root, fold.value()).await?;
        } else if let Some(recv) = &recv {
            fold.finish(recv)?;
        }
    }
    match &recv {
        Some(recv) if top != root => c.recv(top, recv).await,
        _ => Ok(()),
    }
}
