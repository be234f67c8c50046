//! Scatter: a block of equal size for every process, from the root. Between two groups: the root
//! sends to every process of the other group.

mod binomial;
pub(super) mod linear;

use super::table::{always, choose, Row, Shape, ALPHA, BETA};
use super::{given, Blocks, Coll};
use crate::buffer::Data;
use crate::error::Result;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Binomial,
    Linear,
}

/// The bytes are those of one block.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "binomial",
        algorithm: Algorithm::Binomial,
        valid: always,
        // All blocks are copied once, half of them cross the first link.
        cost: |s| s.rounds() * ALPHA + 2.0 * s.others() * s.size() * BETA,
    },
    Row {
        name: "linear",
        algorithm: Algorithm::Linear,
        valid: always,
        cost: |s| s.others() * (0.5 * ALPHA + s.size() * BETA),
    },
];

/// `MPI_Scatter`. `recv` is `None` for `MPI_IN_PLACE` (at the root), `send` is given at the root
/// only and counts the elements for one process.
pub async fn scatter(c: Coll, send: Option<Data>, recv: Option<Data>, root: i32) -> Result<()> {
    let send_blocks = send.as_ref().map(Blocks::even);
    if c.comm.is_inter() {
        return linear::between(&c, send_blocks, recv, root).await;
    }
    let root = root as u32;
    let block = match (&send, &recv) {
        (Some(send), _) if c.me() == root => send.bytes(),
        (_, recv) => given(recv.as_ref(), "recvbuf")?.bytes(),
    };
    match choose(ROWS, &Shape::moving(c.size(), block), c.forced) {
        Algorithm::Binomial => binomial::run(&c, send_blocks, recv, block, root).await,
        Algorithm::Linear => linear::run(&c, send_blocks, recv, root).await,
    }
}
