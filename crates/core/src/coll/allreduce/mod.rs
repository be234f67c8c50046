//! Allreduce: all processes' operands combined in rank order, for everybody; all get the same
//! bits. Between two groups: everybody gets the other group's result.

pub(super) mod halving;
mod recursive_doubling;
mod ring;

use super::reduction::Reducer;
use super::table::{always, choose, Row, Shape, ALPHA, BETA, GAMMA};
use super::{bcast, given, reduce, tree, Coll};
use crate::buffer::Data;
use crate::error::Result;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    RecursiveDoubling,
    Halving,
    Ring,
    Tree,
}

/// The bytes are those of the operand.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "recursive_doubling",
        algorithm: Algorithm::RecursiveDoubling,
        valid: always,
        cost: |s| {
            let extra = if s.n.is_power_of_two() { 0.0 } else { 1.0 };
            (s.rounds() + extra) * (ALPHA + s.size() * (BETA + GAMMA))
        },
    },
    Row {
        name: "tree",
        algorithm: Algorithm::Tree,
        valid: |s| s.bytes <= 8192,
        // Without cores to spare a message costs a switch between processes, and this has fewest.
        cost: |s| if s.crowded { 2.0 * ALPHA } else { 2.0 * s.others() * ALPHA },
    },
    Row {
        name: "halving",
        algorithm: Algorithm::Halving,
        valid: |s| s.count >= s.n as i64,
        cost: |s| {
            let extra = if s.n.is_power_of_two() { 0.0 } else { 2.0 };
            2.0 * s.rounds() * ALPHA + s.size() * ((2.0 + extra) * BETA + (1.0 + extra) * GAMMA)
        },
    },
    Row {
        name: "ring",
        algorithm: Algorithm::Ring,
        valid: |s| s.commutative && s.count >= s.n as i64,
        cost: |s| 2.0 * s.others() * ALPHA + s.size() * (2.0 * BETA + GAMMA),
    },
];

/// `MPI_Allreduce`. `send` is `None` for `MPI_IN_PLACE`.
pub async fn allreduce(c: Coll, send: Option<Data>, recv: Data, op: Reducer) -> Result<()> {
    if c.comm.is_inter() {
        return between(&c, given(send, "sendbuf")?, &recv, &op).await;
    }
    let send = send.unwrap_or_else(|| recv.clone());
    if c.size() == 1 {
        return c.copy(&send, &recv);
    }
    match choose(ROWS, &Shape::reducing(c.size(), &send, &op), c.forced) {
        Algorithm::RecursiveDoubling => recursive_doubling::run(&c, send, &recv, &op).await,
        Algorithm::Halving => halving::run(&c, &send, &recv, &op).await,
        Algorithm::Ring => ring::run(&c, &send, &recv, &op).await,
        Algorithm::Tree => tree::allreduce(&c, send, &recv, &op).await,
    }
}

async fn between(c: &Coll, send: Data, recv: &Data, op: &Reducer) -> Result<()> {
    if let Some(sum) = reduce::at_leader(c, send, op).await? {
        c.exchange(0, &sum.data, 0, recv).await?;
    }
    bcast::within(&c.local(), recv, 0).await
}
