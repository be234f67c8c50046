//! Allgather of blocks of different sizes. Everybody knows them all.

use super::allgather::{between, bruck, ring};
use super::table::{always, choose, Row, Shape, ALPHA, BETA};
use super::{given, Blocks, Coll};
use crate::buffer::Data;
use crate::error::Result;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Bruck,
    Ring,
}

/// The bytes are those of all blocks together.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "bruck",
        algorithm: Algorithm::Bruck,
        valid: always,
        cost: |s| s.rounds() * ALPHA + 2.0 * s.size() * BETA,
    },
    Row {
        name: "ring",
        algorithm: Algorithm::Ring,
        valid: always,
        cost: |s| s.others() * ALPHA + s.size() * BETA,
    },
];

/// `MPI_Allgatherv`. `send` is `None` for `MPI_IN_PLACE`.
pub async fn allgatherv(c: Coll, send: Option<Data>, recv: Blocks) -> Result<()> {
    if c.comm.is_inter() {
        return between(&c, given(send, "sendbuf")?, &recv).await;
    }
    if let Some(send) = send {
        c.copy(&send, &recv.block(c.me()))?;
    }
    let bytes = (0..c.size()).map(|rank| recv.block(rank).bytes()).sum();
    match choose(ROWS, &Shape::moving(c.size(), bytes), c.forced) {
        Algorithm::Bruck => bruck::run(&c, &recv).await,
        Algorithm::Ring => ring::run(&c, &recv).await,
    }
}
