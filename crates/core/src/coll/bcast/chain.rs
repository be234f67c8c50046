//! A chain through all processes, in chunks, so that all links are busy at once.

use crate::buffer::Data;
use crate::coll::dense::Dense;
use crate::coll::table::{Shape, ALPHA, BETA};
use crate::coll::{Coll, Started};
use crate::error::Result;

/// Bytes that travel at once: enough to hide what a message costs, few enough to fill the chain
/// quickly.
const CHUNK: u64 = 128 << 10;

pub(super) fn cost(s: &Shape) -> f64 {
    let chunks = s.bytes.div_ceil(CHUNK).max(1) as f64;
    let last_starts_after = s.others() - 1.0;
    (chunks + last_starts_after) * (ALPHA + s.size() / chunks * BETA)
}

pub(super) async fn run(c: &Coll, data: &Data, root: u32) -> Result<()> {
    let n = c.size();
    let bytes = data.bytes();
    let place = (c.me() + n - root) % n;
    let dense = Dense::new(c, data, place == 0);
    let chunks = || (0..bytes).step_by(CHUNK as usize);
    let chunk = |from: u64| dense.range(from, bytes.min(from + CHUNK));
    let (before, after) = ((c.me() + n - 1) % n, (c.me() + 1) % n);

    let mut arriving = Vec::new();
    if place > 0 {
        for from in chunks() {
            arriving.push(c.recv_start(before, &chunk(from))?);
        }
    }
    let mut arriving = arriving.into_iter();
    let mut leaving = Vec::new();
    let mut first_error = Ok(());
    for from in chunks() {
        if let Some(receive) = arriving.next() {
            first_error = first_error.and(receive.finish().await);
        }
        if place + 1 < n {
            leaving.push(c.send_start(after, &chunk(from))?);
        }
    }
    first_error = first_error.and(Started::finish_all(leaving).await);
    first_error?;
    match place {
        0 => Ok(()),
        _ => dense.store(c),
    }
}
