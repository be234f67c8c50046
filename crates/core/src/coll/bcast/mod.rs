//! Broadcast: one process's data for all. Between two groups: the root sends to the other group's
//! rank 0, which broadcasts there.

mod binomial;
mod chain;
mod scatter_allgather;

use super::table::{always, choose, Row, Shape, ALPHA, BETA};
use super::Coll;
use crate::buffer::Data;
use crate::error::Result;
use crate::status::{PROC_NULL, ROOT};
pub(crate) use binomial::binomial;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Binomial,
    ScatterAllgather,
    Chain,
}

/// The bytes are those of the message.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "binomial",
        algorithm: Algorithm::Binomial,
        valid: always,
        cost: |s| s.rounds() * (ALPHA + s.size() * BETA),
    },
    Row {
        name: "scatter_allgather",
        algorithm: Algorithm::ScatterAllgather,
        valid: always,
        cost: |s| (s.rounds() + s.others()) * ALPHA + 2.0 * s.size() * BETA,
    },
    Row { name: "chain", algorithm: Algorithm::Chain, valid: always, cost: chain::cost },
];

/// `MPI_Bcast`, `MPI_Ibcast`, `MPI_Bcast_init`. `root` may be `ROOT` or `PROC_NULL` on an
/// intercommunicator.
pub async fn bcast(c: Coll, data: Data, root: i32) -> Result<()> {
    if !c.comm.is_inter() {
        return within(&c, &data, root as u32).await;
    }
    match root {
        ROOT => c.send(0, &data).await,
        PROC_NULL => Ok(()),
        root => {
            if c.me() == 0 {
                c.recv(root as u32, &data).await?;
            }
            within(&c.local(), &data, 0).await
        }
    }
}

/// Broadcast within one group.
pub(super) async fn within(c: &Coll, data: &Data, root: u32) -> Result<()> {
    if c.size() == 1 {
        return Ok(());
    }
    match choose(ROWS, &Shape::moving(c.size(), data.bytes()), c.forced) {
        Algorithm::Binomial => binomial(c, data, root).await,
        Algorithm::ScatterAllgather => scatter_allgather::run(c, data, root).await,
        Algorithm::Chain => chain::run(c, data, root).await,
    }
}
