//! Recursive doubling, for a power of two of processes: in round k all exchange what they have
//! with the process 2^k away; blocks in a row go as one message.

use crate::buffer::Data;
use crate::coll::Coll;
use crate::error::Result;

/// `recv` is the first block; the own block is in its place already.
pub(super) async fn run(c: &Coll, recv: &Data) -> Result<()> {
    let blocks = |first: u32, n: u32| recv.part(first as i64 * recv.count, n as i64 * recv.count);
    let mut have = 1;
    while have < c.size() {
        let peer = c.me() ^ have;
        // What a process has starts at a multiple of its size.
        let (mine, theirs) = (c.me() & !(have - 1), peer & !(have - 1));
        c.exchange(peer, &blocks(mine, have), peer, &blocks(theirs, have)).await?;
        have *= 2;
    }
    Ok(())
}
