//! Bruck's algorithm (Bruck, Ho, Kipnis, Upfal, Weathersby 1997): ceil(log2 n) messages instead
//! of n - 1, each with half of the blocks. A block that has to go d ranks further on travels in
//! the rounds of d's binary digits.

use crate::coll::{Blocks, Coll};
use crate::error::Result;

/// `block` is the number of bytes of every block. `send` and `recv` may be the same.
pub(super) async fn run(c: &Coll, send: &Blocks, recv: &Blocks, block: u64) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    let block = block as i64;
    let travelling = c.scratch((block * n as i64) as u64);
    let (out, into) = (c.scratch((block * n as i64) as u64), c.scratch((block * n as i64) as u64));
    let at = |d: u32| travelling.data.part(d as i64 * block, block);
    for d in 0..n {
        c.copy(&send.block((me + d) % n), &at(d))?;
    }
    let mut digit = 1;
    while digit < n {
        let moving: Vec<u32> = (1..n).filter(|d| d & digit != 0).collect();
        let whole = block * moving.len() as i64;
        let (out, into) = (out.data.part(0, whole), into.data.part(0, whole));
        for (i, d) in moving.iter().enumerate() {
            c.copy(&at(*d), &out.part(i as i64 * block, block))?;
        }
        c.exchange((me + digit) % n, &out, (me + n - digit) % n, &into).await?;
        for (i, d) in moving.iter().enumerate() {
            c.copy(&into.part(i as i64 * block, block), &at(*d))?;
        }
        digit *= 2;
    }
    // What is at distance d now has come d ranks.
    for d in 0..n {
        c.copy(&at(d), &recv.block((me + n - d) % n))?;
    }
    Ok(())
}
