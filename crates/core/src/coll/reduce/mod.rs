//! Reduce: all processes' operands combined in rank order, at the root. Between two groups: the
//! root gets the other group's result.

mod binomial;
mod scatter_gather;

use super::reduction::Reducer;
use super::table::{always, choose, Row, Shape, ALPHA, BETA, GAMMA};
use super::{given, Coll};
use crate::buffer::{Data, Scratch};
use crate::error::Result;
use crate::status::{PROC_NULL, ROOT};

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Binomial,
    ScatterGather,
}

/// The bytes are those of the operand.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "binomial",
        algorithm: Algorithm::Binomial,
        valid: always,
        cost: |s| s.rounds() * (ALPHA + s.size() * (BETA + GAMMA)),
    },
    Row {
        name: "scatter_gather",
        algorithm: Algorithm::ScatterGather,
        valid: |s| s.count >= s.n as i64,
        cost: |s| (2.0 * s.rounds() + s.others()) * ALPHA + s.size() * (3.0 * BETA + GAMMA),
    },
];

/// `MPI_Reduce`. `send` is `None` for `MPI_IN_PLACE` (at the root), `recv` is given at the root
/// only.
pub async fn reduce(
    c: Coll,
    send: Option<Data>,
    recv: Option<Data>,
    op: Reducer,
    root: i32,
) -> Result<()> {
    if c.comm.is_inter() {
        return between(&c, send, recv, &op, root).await;
    }
    let root = root as u32;
    if c.me() != root {
        return within(&c, given(send, "sendbuf")?, None, &op, root).await;
    }
    let recv = given(recv, "recvbuf")?;
    within(&c, send.unwrap_or_else(|| recv.clone()), Some(recv), &op, root).await
}

/// Within one group. `recv` is given at the root and may be the same buffer as `send`.
pub(super) async fn within(
    c: &Coll,
    send: Data,
    recv: Option<Data>,
    op: &Reducer,
    root: u32,
) -> Result<()> {
    if let (1, Some(recv)) = (c.size(), &recv) {
        return c.copy(&send, recv);
    }
    match choose(ROWS, &Shape::reducing(c.size(), &send, op), c.forced) {
        Algorithm::Binomial => binomial::run(c, send, recv, op, root).await,
        Algorithm::ScatterGather => scatter_gather::run(c, send, recv, op, root).await,
    }
}

async fn between(
    c: &Coll,
    send: Option<Data>,
    recv: Option<Data>,
    op: &Reducer,
    root: i32,
) -> Result<()> {
    match root {
        ROOT => c.recv(0, &given(recv, "recvbuf")?).await,
        PROC_NULL => Ok(()),
        root => {
            let sum = at_leader(c, given(send, "sendbuf")?, op).await?;
            match sum {
                Some(sum) => c.send(root as u32, &sum.data).await,
                None => Ok(()),
            }
        }
    }
}

/// The result of the local group of an intercommunicator, at its rank 0.
pub(super) async fn at_leader(c: &Coll, send: Data, op: &Reducer) -> Result<Option<Scratch>> {
    let sum = (c.me() == 0).then(|| Scratch::new(send.count, &send.ty));
    let recv = sum.as_ref().map(|sum| sum.data.clone());
    within(&c.local(), send, recv, op, 0).await?;
    Ok(sum)
}
