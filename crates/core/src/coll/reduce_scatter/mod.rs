//! Reduce-scatter: all processes' operands combined in rank order; each process gets one block of
//! the result. Between two groups: each group shares out the other group's result.

mod direct;
mod halving;

use super::reduction::Reducer;
use super::table::{always, choose, Row, Shape, ALPHA, BETA, GAMMA};
use super::{given, reduce, scatterv, Blocks, Coll};
use crate::buffer::{Data, Scratch};
use crate::error::Result;
use std::rc::Rc;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Direct,
    Halving,
    ReduceScatter,
}

/// The bytes are those of the whole operand.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "direct",
        algorithm: Algorithm::Direct,
        valid: always,
        cost: |s| s.others() * ALPHA + s.size() * (BETA + GAMMA),
    },
    Row {
        name: "halving",
        algorithm: Algorithm::Halving,
        valid: |s| s.commutative,
        cost: |s| {
            let extra = if s.n.is_power_of_two() { 0.0 } else { 1.0 };
            (s.rounds() + 2.0 * extra) * ALPHA
                + s.size() * ((2.0 + extra) * BETA + (1.0 + extra) * GAMMA)
        },
    },
    Row {
        name: "reduce_scatterv",
        algorithm: Algorithm::ReduceScatter,
        valid: always,
        cost: |s| {
            (s.rounds() + 0.5 * s.others()) * ALPHA
                + s.size() * (BETA + s.rounds() * (BETA + GAMMA))
        },
    },
];

/// `MPI_Reduce_scatter`. `send` is `None` for `MPI_IN_PLACE`: the operand is taken from `recv`.
/// `counts` has the number of elements of each process of the local group; `recv.count` is not
/// used.
pub async fn reduce_scatter(
    c: Coll,
    send: Option<Data>,
    recv: Data,
    counts: Rc<[i64]>,
    op: Reducer,
) -> Result<()> {
    let total: i64 = counts.iter().sum();
    let whole = Data { count: total, ..recv.clone() };
    let recv = Data { count: counts[c.me() as usize], ..recv };
    if c.comm.is_inter() {
        let send = Data { count: total, ..given(send, "sendbuf")? };
        return between(&c, send, recv, counts, &op).await;
    }
    let send = send.map_or(whole, |send| Data { count: total, ..send });
    if c.size() == 1 {
        return c.copy(&send, &recv);
    }
    let blocks = blocks(&send, &counts);
    match choose(ROWS, &Shape::reducing(c.size(), &send, &op), c.forced) {
        Algorithm::Direct => direct::run(&c, &blocks, &recv, &op).await,
        Algorithm::Halving => halving::run(&c, &send, &recv, &counts, &op).await,
        Algorithm::ReduceScatter => {
            let sum = (c.me() == 0).then(|| Scratch::new(total, &recv.ty));
            let at_root = sum.as_ref().map(|sum| sum.data.clone());
            reduce::within(&c, send, at_root.clone(), &op, 0).await?;
            share_out(&c, at_root, recv, &counts).await
        }
    }
}

/// `MPI_Reduce_scatter_block`. `send` is `None` for `MPI_IN_PLACE`; `recv` counts one block.
pub async fn reduce_scatter_block(
    c: Coll,
    send: Option<Data>,
    recv: Data,
    op: Reducer,
) -> Result<()> {
    let counts = vec![recv.count; c.size() as usize].into();
    reduce_scatter(c, send, recv, counts, op).await
}

/// The blocks of the processes, one behind the other.
fn blocks(whole: &Data, counts: &Rc<[i64]>) -> Blocks {
    let mut start = 0;
    let displs = counts.iter().map(|count| {
        start += count;
        start - count
    });
    Blocks::varying(whole.addr, counts.clone(), displs.collect(), whole.ty.clone())
}

async fn share_out(c: &Coll, whole: Option<Data>, recv: Data, counts: &Rc<[i64]>) -> Result<()> {
    let whole = whole.map(|whole| blocks(&whole, counts));
    scatterv::scatterv(c.clone(), whole, Some(recv), 0).await
}

async fn between(c: &Coll, send: Data, recv: Data, counts: Rc<[i64]>, op: &Reducer) -> Result<()> {
    let total = send.count;
    let ours = reduce::at_leader(c, send, op).await?;
    let theirs = ours.as_ref().map(|_| Scratch::new(total, &recv.ty));
    if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
        c.exchange(0, &ours.data, 0, &theirs.data).await?;
    }
    let theirs = theirs.as_ref().map(|theirs| theirs.data.clone());
    share_out(&c.local(), theirs, recv, &counts).await
}
