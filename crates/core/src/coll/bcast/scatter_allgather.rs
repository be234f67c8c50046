//! Scatter, then allgather (Barnett, Littlefield, Payne, van de Geijn 1993): the message is cut
//! into a piece per process; a binomial tree scatters them, a ring brings them together.

use crate::buffer::Data;
use crate::coll::dense::Dense;
use crate::coll::{Coll, Started};
use crate::error::Result;

pub(super) async fn run(c: &Coll, data: &Data, root: u32) -> Result<()> {
    let n = c.size();
    let relative = (c.me() + n - root) % n;
    let absolute = |r: u32| (r + root) % n;
    let dense = Dense::new(c, data, relative == 0);
    let bytes = data.bytes();
    let piece = bytes.div_ceil(n as u64);
    // The pieces from..to, by relative rank; the last ones may be short or empty.
    let pieces = |from: u32, to: u32| {
        let start = |r: u32| bytes.min(piece * r as u64);
        dense.range(start(from), start(to.min(n)))
    };

    let mut mask = 1;
    while mask < n && relative & mask == 0 {
        mask <<= 1;
    }
    if relative != 0 {
        let mine = pieces(relative, relative + mask);
        c.recv(absolute(relative - mask), &mine).await?;
    }
    let mut sends = Vec::new();
    while mask > 1 {
        mask >>= 1;
        let child = relative + mask;
        if child < n {
            sends.push(c.send_start(absolute(child), &pieces(child, child + mask))?);
        }
    }
    Started::finish_all(sends).await?;

    let (before, after) = (absolute(relative + n - 1), absolute(relative + 1));
    for step in 0..n - 1 {
        let out = (relative + n - step) % n;
        let into = (relative + n - step - 1) % n;
        c.exchange(after, &pieces(out, out + 1), before, &pieces(into, into + 1)).await?;
    }
    match relative {
        0 => Ok(()),
        _ => dense.store(c),
    }
}
