//! A binomial tree: every process gets the packed blocks of its subtree, which are those of the
//! ranks that follow it (counted from the root on), and passes on what is not its own.

use crate::buffer::Data;
use crate::coll::{given, Blocks, Coll, Started};
use crate::error::Result;

/// `block` is the number of bytes for each process.
pub(super) async fn run(
    c: &Coll,
    send: Option<Blocks>,
    recv: Option<Data>,
    block: u64,
    root: u32,
) -> Result<()> {
    let n = c.size();
    let relative = (c.me() + n - root) % n;
    let absolute = |r: u32| (r + root) % n;
    let reach =
        if relative == 0 { n.next_power_of_two() } else { relative & relative.wrapping_neg() };
    let held = reach.min(n - relative);
    if held == 1 && relative != 0 {
        return c.recv(absolute(relative - reach), &given(recv, "recvbuf")?).await;
    }

    let packed = c.scratch(block * held as u64);
    let blocks = |from: u32, to: u32| {
        packed.data.part(from as i64 * block as i64, (to - from) as i64 * block as i64)
    };
    let mut own = blocks(0, 1);
    if relative == 0 {
        let send = given(send, "sendbuf")?;
        for r in 1..n {
            c.copy(&send.block(absolute(r)), &blocks(r, r + 1))?;
        }
        own = send.block(root);
    } else {
        c.recv(absolute(relative - reach), &packed.data).await?;
    }
    let mut sends = Vec::new();
    let mut mask = reach;
    while mask > 1 {
        mask /= 2;
        if mask < held {
            let theirs = blocks(mask, held.min(2 * mask));
            sends.push(c.send_start(absolute(relative + mask), &theirs)?);
        }
    }
    let copied = match recv {
        Some(recv) => c.copy(&own, &recv),
        None => Ok(()),
    };
    Started::finish_all(sends).await.and(copied)
}
