//! A binomial tree: every process collects the packed blocks of its subtree, which are those of
//! the ranks that follow it (counted from the root on), and passes them on.

use crate::buffer::Data;
use crate::coll::{given, Blocks, Coll, Started};
use crate::error::Result;

/// `block` is the number of bytes from each process.
pub(super) async fn run(
    c: &Coll,
    send: Option<Data>,
    recv: Option<Blocks>,
    block: u64,
    root: u32,
) -> Result<()> {
    let n = c.size();
    let relative = (c.me() + n - root) % n;
    let absolute = |r: u32| (r + root) % n;
    // The subtree has as many ranks as the lowest bit of the relative rank says.
    let reach =
        if relative == 0 { n.next_power_of_two() } else { relative & relative.wrapping_neg() };
    let held = reach.min(n - relative);
    if held == 1 && relative != 0 {
        return c.send(absolute(relative - reach), &given(send, "sendbuf")?).await;
    }

    let packed = c.scratch(block * held as u64);
    let blocks = |from: u32, to: u32| {
        packed.data.part(from as i64 * block as i64, (to - from) as i64 * block as i64)
    };
    let mut receives = Vec::new();
    let mut mask = 1;
    while mask < held {
        let child = absolute(relative + mask);
        receives.push(c.recv_start(child, &blocks(mask, held.min(2 * mask)))?);
        mask *= 2;
    }
    let own = match (&send, relative) {
        (Some(send), 1..) => c.copy(send, &blocks(0, 1)),
        _ => Ok(()),
    };
    Started::finish_all(receives).await.and(own)?;
    if relative != 0 {
        return c.send(absolute(relative - reach), &packed.data).await;
    }
    let recv = given(recv, "recvbuf")?;
    for r in 1..n {
        c.copy(&blocks(r, r + 1), &recv.block(absolute(r)))?;
    }
    match send {
        Some(send) => c.copy(&send, &recv.block(root)),
        None => Ok(()),
    }
}
