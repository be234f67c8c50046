//! Alltoall: a block of equal size from every process for every process. Between two groups:
//! blocks go to all of the other group.

mod bruck;
pub(super) mod windows;

use super::table::{always, choose, Row, Shape, ALPHA, BETA};
use super::{Blocks, Coll};
use crate::buffer::Data;
use crate::error::Result;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Bruck,
    Windows,
}

/// The bytes are those of one block.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "bruck",
        algorithm: Algorithm::Bruck,
        valid: always,
        // Each round carries half of the blocks, packed and unpacked.
        cost: |s| s.rounds() * (ALPHA + 1.5 * s.n as f64 * s.size() * BETA),
    },
    Row {
        name: "windows",
        algorithm: Algorithm::Windows,
        valid: always,
        cost: |s| s.others() * (0.5 * ALPHA + s.size() * BETA),
    },
];

/// `MPI_Alltoall`. `send` is `None` for `MPI_IN_PLACE`; both count the elements of one block.
pub async fn alltoall(c: Coll, send: Option<Data>, recv: Data) -> Result<()> {
    let into = Blocks::even(&recv);
    let from = send.as_ref().map(Blocks::even);
    if !c.comm.is_inter() {
        let shape = Shape::moving(c.size(), recv.bytes());
        if let Algorithm::Bruck = choose(ROWS, &shape, c.forced) {
            return bruck::run(&c, from.as_ref().unwrap_or(&into), &into, recv.bytes()).await;
        }
    }
    windows::blocks(&c, from, &into).await
}
