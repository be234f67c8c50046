//! Scan and exscan: the operands of the processes up to this one, or before it, combined in rank
//! order. Not defined between two groups.

mod chain;
mod doubling;

use super::reduction::Reducer;
use super::table::{always, choose, Row, Shape, ALPHA, BETA, GAMMA};
use super::Coll;
use crate::buffer::{Data, Scratch};
use crate::error::Result;

#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Doubling,
    Chain,
}

/// The bytes are those of the operand.
pub(super) const ROWS: &[Row<Algorithm>] = &[
    Row {
        name: "doubling",
        algorithm: Algorithm::Doubling,
        valid: always,
        cost: |s| s.rounds() * (ALPHA + s.size() * (BETA + GAMMA)),
    },
    Row { name: "chain", algorithm: Algorithm::Chain, valid: always, cost: chain::cost },
];

/// `MPI_Scan`. `send` is `None` for `MPI_IN_PLACE`.
pub async fn scan(c: Coll, send: Option<Data>, recv: Data, op: Reducer) -> Result<()> {
    if let Some(send) = send {
        c.copy(&send, &recv)?;
    }
    inclusive(&c, 0, &recv, &op).await
}

/// `MPI_Exscan`. `send` is `None` for `MPI_IN_PLACE`. On rank 0 `recv` is left alone.
pub async fn exscan(c: Coll, send: Option<Data>, recv: Data, op: Reducer) -> Result<()> {
    let (me, n) = (c.me(), c.size());
    // Everybody gets the operand of the rank before; these are scanned among the ranks from 1 on.
    let copy = (send.is_none() && me > 0).then(|| Scratch::new(recv.count, &recv.ty));
    let operand = match (&copy, send) {
        (Some(copy), _) => {
            c.copy(&recv, &copy.data)?;
            copy.data.clone()
        }
        (None, send) => send.unwrap_or_else(|| recv.clone()),
    };
    match (me > 0, me + 1 < n) {
        (true, true) => c.exchange(me + 1, &operand, me - 1, &recv).await?,
        (true, false) => c.recv(me - 1, &recv).await?,
        (false, true) => c.send(me + 1, &operand).await?,
        (false, false) => {}
    }
    match me {
        0 => Ok(()),
        _ => inclusive(&c, 1, &recv, &op).await,
    }
}

/// A scan among the ranks from `first` on; `recv` holds the operand and then the result.
async fn inclusive(c: &Coll, first: u32, recv: &Data, op: &Reducer) -> Result<()> {
    if c.size() - first < 2 {
        return Ok(());
    }
    match choose(ROWS, &Shape::reducing(c.size() - first, recv, op), c.forced) {
        Algorithm::Doubling => doubling::run(c, first, recv, op).await,
        Algorithm::Chain => chain::run(c, first, recv, op).await,
    }
}
