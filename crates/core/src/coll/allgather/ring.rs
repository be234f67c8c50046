//! A ring: in each of n - 1 steps everybody passes on the block that it got in the step before.

use crate::coll::{Blocks, Coll};
use crate::error::Result;

/// The own block is in its place already.
pub(in crate::coll) async fn run(c: &Coll, recv: &Blocks) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    let (before, after) = ((me + n - 1) % n, (me + 1) % n);
    for step in 0..n - 1 {
        let out = recv.block((me + n - step) % n);
        let into = recv.block((me + n - step - 1) % n);
        c.exchange(after, &out, before, &into).await?;
    }
    Ok(())
}
