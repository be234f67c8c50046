//! Bruck's algorithm (Bruck, Ho, Kipnis, Upfal, Weathersby 1997): ceil(log2 n) rounds for any
//! number of processes. In scratch memory lie the packed blocks of this process, of the next one
//! and so on; round k appends up to 2^k more, from the process 2^k further on.

use crate::coll::{Blocks, Coll};
use crate::error::Result;

/// The own block is in its place already; all processes know all blocks' sizes.
pub(in crate::coll) async fn run(c: &Coll, recv: &Blocks) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    // starts[i] is where the block of rank me + i begins.
    let mut starts = vec![0];
    for i in 0..n {
        let bytes = recv.block((me + i) % n).bytes() as i64;
        starts.push(starts[i as usize] + bytes);
    }
    let packed = c.scratch(starts[n as usize] as u64);
    let blocks = |from: u32, to: u32| {
        let (from, to) = (starts[from as usize], starts[to as usize]);
        packed.data.part(from, to - from)
    };
    c.copy(&recv.block(me), &blocks(0, 1))?;
    let mut have = 1;
    while have < n {
        let count = have.min(n - have);
        let (to, from) = ((me + n - have) % n, (me + have) % n);
        c.exchange(to, &blocks(0, count), from, &blocks(have, have + count)).await?;
        have += count;
    }
    for i in 1..n {
        c.copy(&blocks(i, i + 1), &recv.block((me + i) % n))?;
    }
    Ok(())
}
