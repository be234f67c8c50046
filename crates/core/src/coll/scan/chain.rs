//! A chain, for long operands: each process adds its own to what comes from the one before and
//! passes it on, in chunks, so that all links are busy at once. Everything moves once.

use crate::buffer::{Data, Scratch};
use crate::coll::reduction::Reducer;
use crate::coll::table::{Shape, ALPHA, BETA, GAMMA};
use crate::coll::{Coll, Started};
use crate::error::Result;

/// Bytes that travel at once.
const CHUNK: u64 = 64 << 10;

pub(super) fn cost(s: &Shape) -> f64 {
    let chunks = s.bytes.div_ceil(CHUNK).max(1) as f64;
    let last_starts_after = s.others() - 1.0;
    (chunks + last_starts_after) * (ALPHA + s.size() / chunks * (BETA + GAMMA))
}

pub(super) async fn run(c: &Coll, first: u32, recv: &Data, op: &Reducer) -> Result<()> {
    let (has_before, has_after) = (c.me() > first, c.me() + 1 < c.size());
    let elements = (CHUNK / recv.ty.size().max(1) as u64).max(1) as i64;
    let room = Scratch::new(elements.min(recv.count), &recv.ty);
    let mut leaving = Vec::new();
    let mut result = Ok(());
    let mut at = 0;
    while at < recv.count {
        let chunk = recv.part(at, elements.min(recv.count - at));
        at += chunk.count;
        if has_before {
            let operand = room.data.part(0, chunk.count);
            result = result.and(c.recv(c.me() - 1, &operand).await);
            op.prepend(c, &operand, &chunk);
        }
        if has_after {
            leaving.push(c.send_start(c.me() + 1, &chunk)?);
        }
    }
    result.and(Started::finish_all(leaving).await)
}
