//! Allgather: a block of equal size from every process, for every process. Between two groups:
//! everybody gets the blocks of the other group.

pub(super) mod bruck;
mod recursive_doubling;
pub(super) mod ring;

use super::table::{always, choose, Row, Shape, ALPHA, BETA};
use super::{alltoall, given, Blocks, Coll};
use crate::buffer::Data;
use crate::error::Result;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    RecursiveDoubling,
    Bruck,
    Ring,
}

/// The bytes are those of one block.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "recursive_doubling",
        algorithm: Algorithm::RecursiveDoubling,
        valid: |s| s.n.is_power_of_two(),
        // The later rounds leave the caches: a ring is better for long blocks.
        cost: |s| s.rounds() * ALPHA + 1.1 * s.others() * s.size() * BETA,
    },
    Row {
        name: "bruck",
        algorithm: Algorithm::Bruck,
        valid: always,
        // All is copied once more, out of scratch memory.
        cost: |s| s.rounds() * ALPHA + 2.0 * s.others() * s.size() * BETA,
    },
    Row {
        name: "ring",
        algorithm: Algorithm::Ring,
        valid: always,
        cost: |s| s.others() * (ALPHA + s.size() * BETA),
    },
];

/// `MPI_Allgather`. `send` is `None` for `MPI_IN_PLACE`; `recv` counts the elements from one
/// process.
pub async fn allgather(c: Coll, send: Option<Data>, recv: Data) -> Result<()> {
    let blocks = Blocks::even(&recv);
    if c.comm.is_inter() {
        return between(&c, given(send, "sendbuf")?, &blocks).await;
    }
    if let Some(send) = send {
        c.copy(&send, &blocks.block(c.me()))?;
    }
    match choose(ROWS, &Shape::moving(c.size(), recv.bytes()), c.forced) {
        Algorithm::RecursiveDoubling => recursive_doubling::run(&c, &recv).await,
        Algorithm::Bruck => bruck::run(&c, &blocks).await,
        Algorithm::Ring => ring::run(&c, &blocks).await,
    }
}

/// Everybody sends to all of the other group.
pub(super) async fn between(c: &Coll, send: Data, recv: &Blocks) -> Result<()> {
    alltoall::windows::run(c, |_| (send.clone(), None), |peer| recv.block(peer)).await
}
