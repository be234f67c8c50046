//! Gather: a block of equal size from every process, at the root. Between two groups: the root
//! receives from every process of the other group.

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
        // Half of all blocks cross the last link, and are copied once more there.
        cost: |s| s.rounds() * ALPHA + 2.0 * s.others() * s.size() * BETA,
    },
    Row {
        name: "linear",
        algorithm: Algorithm::Linear,
        valid: always,
        cost: |s| s.others() * (0.5 * ALPHA + s.size() * BETA),
    },
];

/// `MPI_Gather`. `send` is `None` for `MPI_IN_PLACE` (at the root), `recv` is given at the root
/// only and counts the elements from one process.
pub async fn gather(c: Coll, send: Option<Data>, recv: Option<Data>, root: i32) -> Result<()> {
    let recv_blocks = recv.as_ref().map(Blocks::even);
    if c.comm.is_inter() {
        return linear::between(&c, send, recv_blocks, root).await;
    }
    let root = root as u32;
    let block = match (&recv, &send) {
        (Some(recv), _) if c.me() == root => recv.bytes(),
        (_, send) => given(send.as_ref(), "sendbuf")?.bytes(),
    };
    match choose(ROWS, &Shape::moving(c.size(), block), c.forced) {
        Algorithm::Binomial => binomial::run(&c, send, recv_blocks, block, root).await,
        Algorithm::Linear => linear::run(&c, send, recv_blocks, root).await,
    }
}
