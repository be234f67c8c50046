//! A binomial tree: ceil(log2 n) rounds, all of the message in each.

use crate::buffer::Data;
use crate::coll::{Coll, Started};
use crate::error::Result;

/// The tree within one group; other collectives use it too.
pub(crate) async fn binomial(c: &Coll, data: &Data, root: u32) -> Result<()> {
    let n = c.size();
    let relative = (c.me() + n - root) % n;
    let absolute = |r: u32| (r + root) % n;
    let mut mask = 1;
    while mask < n && relative & mask == 0 {
        mask <<= 1;
    }
    if relative != 0 {
        c.recv(absolute(relative - mask), data).await?;
    }
    let mut sends = Vec::new();
    while mask > 1 {
        mask >>= 1;
        if relative + mask < n {
            sends.push(c.send_start(absolute(relative + mask), data)?);
        }
    }
    Started::finish_all(sends).await
}
