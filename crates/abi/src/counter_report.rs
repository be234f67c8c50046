//! The job's counters, printed by rank 0 at `MPI_Finalize` when `STARLING_REPORT_COUNTERS` asks for
//! it: the sum over all ranks, and the largest value of one. Called by `env.rs`.

use crate::entry::Call;
use crate::generated::constants::{MPI_MAX, MPI_SUM, MPI_UINT64_T};
use crate::generated::types::MPI_Op;
use crate::{op, report};
use starling_core::buffer::Data;
use starling_core::coll::{reduce, Coll};
use starling_core::comm::Comm;
use starling_core::error::Result;
use std::fmt::Write;
use std::rc::Rc;

/// Combines everybody's `values` with `op`; the result is right at rank 0 only.
fn combined(call: &Call, world: &Rc<Comm>, values: &mut [u64], op: MPI_Op) -> Result<Vec<u64>> {
    let ty = call.datatype(MPI_UINT64_T)?;
    let mut result = vec![0u64; values.len()];
    let data = |words: &mut [u64]| Data {
        addr: words.as_mut_ptr().cast(),
        count: words.len() as i64,
        ty: ty.clone(),
    };
    let reducer = op::reducer(call, op, MPI_UINT64_T, &ty)?;
    // SAFETY: both buffers live until the reduction is complete, below.
    let c = unsafe { Coll::new(call.rank, world) };
    let (send, recv) = (data(values), data(&mut result));
    call.rank.block_on(reduce::reduce(c, Some(send), Some(recv), reducer, 0))??;
    Ok(result)
}

/// Prints the counters of all ranks of `world`; called by all of them.
pub(crate) fn print(call: &Call, world: &Rc<Comm>) -> Result<()> {
    // Read once: what follows counts as well.
    let list = call.rank.counters.list();
    let mut values: Vec<u64> = list.iter().map(|(_, _, value)| *value).collect();
    let sums = combined(call, world, &mut values, MPI_SUM)?;
    let largest = combined(call, world, &mut values, MPI_MAX)?;
    if world.rank != 0 {
        return Ok(());
    }
    let mut text = format!("Starling MPI: counters of {} ranks (sum, largest)\n", world.size());
    for ((name, _, _), (sum, most)) in list.iter().zip(sums.iter().zip(&largest)) {
        // Writing to a string can not fail.
        let _ = writeln!(text, "  {name:24} {sum:>16} {most:>16}");
    }
    report::print(&text);
    Ok(())
}
