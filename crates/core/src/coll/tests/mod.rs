//! Every row of every operation against what a linear computation says, for several numbers of
//! processes, roots, lengths and types. Ranks are threads; both transports.

mod between;
mod memory;
mod moving;
mod moving_varying;
mod neighbor;
mod outstanding;
mod reducing;

use super::table::Row;
use super::Coll;
use crate::comm::Comm;
use crate::error::Result;
use crate::rank::Rank;
use std::future::Future;
use std::rc::Rc;

/// Powers of two, their neighbours, and one process.
const SIZES: [u32; 7] = [1, 2, 3, 4, 5, 7, 8];
/// Elements per block: nothing, one, fewer than processes, a short message, a long one.
const COUNTS: [i64; 5] = [0, 1, 7, 1000, LONG];
const LONG: i64 = 50_000;

/// Long messages cost time, and tests are built without optimisation: not for every size.
fn is_worth_it(n: u32, count: i64) -> bool {
    count < LONG || [3, 4, 8].contains(&n)
}

/// Runs a collective to its end; `forced` names a row, if any.
fn run<F: Future<Output = Result<()>>>(
    comm: &Rc<Comm>,
    forced: Option<&'static str>,
    call: impl FnOnce(Coll) -> F,
) {
    try_run(comm, forced, call).unwrap();
}

fn try_run<F: Future<Output = Result<()>>>(
    comm: &Rc<Comm>,
    forced: Option<&'static str>,
    call: impl FnOnce(Coll) -> F,
) -> Result<()> {
    let rank = crate::rank::current().unwrap();
    // SAFETY: the tests keep the buffers until the call is complete, right below.
    let mut c = unsafe { Coll::new(rank, comm) };
    c.forced = forced;
    rank.block_on(call(c)).unwrap()
}

/// Each row of a table in turn, then whatever the table chooses.
fn names<A>(rows: &[Row<A>]) -> Vec<Option<&'static str>> {
    rows.iter().map(|row| Some(row.name)).chain([None]).collect()
}

/// A few roots among `n`.
fn roots(n: u32) -> Vec<u32> {
    let mut roots = vec![0, n / 2, n - 1];
    roots.dedup();
    roots
}

/// A collective that makes a communicator.
fn make<T, F: Future<Output = Result<T>>>(
    rank: &'static Rank,
    comm: &Rc<Comm>,
    call: impl FnOnce(Coll) -> F,
) -> T {
    // SAFETY: making communicators takes no buffers.
    rank.block_on(call(unsafe { Coll::new(rank, comm) })).unwrap().unwrap()
}
