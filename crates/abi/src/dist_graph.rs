//! Distributed graph topologies (MPI 5.0, section 8.5.4): every process knows its own neighbours.
//! Bodies of the chapter `topology`.

use crate::comm_create::{give, hints, start};
use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::topology::{check_rank, count, fill, list, no_topology};
use starling_core::comm::{create, Comm};
use starling_core::error::{Class, Result};
use starling_core::topo::Topology;
use std::ffi::c_int;
use std::rc::Rc;

/// Ranks that belong to `comm`.
///
/// # Safety
/// `array` is null or has `n` elements.
unsafe fn ranks<'a>(comm: &Comm, n: usize, array: *const c_int, name: &str) -> Result<&'a [c_int]> {
    // SAFETY: the caller's contract.
    let ranks = unsafe { list(n, array, name)? };
    ranks.iter().try_for_each(|rank| check_rank(comm, *rank).map(|_| ()))?;
    Ok(ranks)
}

/// Weights, which must not be negative; `None` for `MPI_UNWEIGHTED`. Without edges the address
/// counts for nothing (`MPI_WEIGHTS_EMPTY`).
///
/// # Safety
/// `array` is null, special, or has `n` elements.
unsafe fn weights<'a>(n: usize, array: *const c_int, name: &str) -> Result<Option<&'a [c_int]>> {
    if array == MPI_UNWEIGHTED {
        return Ok(None);
    }
    if n > 0 && array == MPI_WEIGHTS_EMPTY {
        let text = format!("{name} is MPI_WEIGHTS_EMPTY, but there are {n} edges");
        return Err(bad(Class::ARG, text));
    }
    // SAFETY: the caller's contract.
    let weights = unsafe { list(n, array, name)? };
    if let Some(wrong) = weights.iter().find(|w| **w < 0) {
        let text = format!("a weight in {name} is {wrong}; weights must not be negative");
        return Err(bad(Class::ARG, text));
    }
    Ok(Some(weights))
}

/// A communicator like `parent` with this process's neighbours.
///
/// # Safety
/// `to` points to a communicator handle of the caller.
unsafe fn create_like(
    call: &Call,
    parent: &Rc<Comm>,
    topology: Topology,
    to: *mut MPI_Comm,
) -> Result<()> {
    let made = call.rank.block_on(create::duplicate(start(call, parent)))??;
    made.topology.replace(Some(topology));
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: the caller's contract.
    unsafe { give(call, Some(made), &errhandler, to) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn dist_graph_create_adjacent(
    call: &Call,
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destweights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> Result<()> {
    require(comm_dist_graph, "comm_dist_graph")?;
    let parent = call.intra_comm(comm_old)?;
    hints(call, info)?;
    let (ins, outs) = (count(indegree, "indegree")?, count(outdegree, "outdegree")?);
    // SAFETY: as for this function.
    let (sources, destinations, in_weights, out_weights) = unsafe {
        (
            ranks(&parent, ins, sources, "sources")?,
            ranks(&parent, outs, destinations, "destinations")?,
            weights(ins, sourceweights, "sourceweights")?,
            weights(outs, destweights, "destweights")?,
        )
    };
    let weights = match (in_weights, out_weights) {
        (None, None) => None,
        (Some(ins), Some(outs)) => Some((ins.to_vec(), outs.to_vec())),
        // A side without edges has nothing to give weights to.
        (None, Some(weights)) if ins == 0 => Some((Vec::new(), weights.to_vec())),
        (Some(weights), None) if outs == 0 => Some((weights.to_vec(), Vec::new())),
        _ => {
            let text = "only one of sourceweights and destweights is MPI_UNWEIGHTED; give weights \
                        for both or for none";
            return Err(bad(Class::ARG, text));
        }
    };
    let (sources, destinations) = (sources.to_vec(), destinations.to_vec());
    let topology = Topology::DistGraph { sources, destinations, weights };
    // SAFETY: a pointer of the caller, not null.
    unsafe { create_like(call, &parent, topology, comm_dist_graph) }
}

/// An edge that some process has declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    source: c_int,
    destination: c_int,
    weight: c_int,
}

/// The edges that the caller declares, and whether they have weights.
///
/// # Safety
/// The arrays are null (or special) or have as many elements as the standard says.
unsafe fn declared(
    comm: &Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    edge_weights: *const c_int,
) -> Result<(Vec<Edge>, bool)> {
    let n = count(n, "n")?;
    // SAFETY: the caller's contract.
    let (sources, degrees) =
        unsafe { (ranks(comm, n, sources, "sources")?, list(n, degrees, "degrees")?) };
    let mut total = 0;
    for degree in degrees {
        total += count(*degree, "degrees")?;
    }
    // SAFETY: the caller's contract.
    let (destinations, weights) = unsafe {
        (
            ranks(comm, total, destinations, "destinations")?,
            weights(total, edge_weights, "weights")?,
        )
    };
    let from = sources.iter().zip(degrees);
    let from = from.flat_map(|(source, degree)| std::iter::repeat_n(*source, *degree as usize));
    let edges = from.zip(destinations).enumerate().map(|(i, (source, destination))| Edge {
        source,
        destination: *destination,
        weight: weights.map_or(0, |w| w[i]),
    });
    Ok((edges.collect(), weights.is_some()))
}

/// What a process tells the others: first whether its edges have weights, then three words each.
fn to_words(edges: &[Edge], weighted: bool) -> Vec<u64> {
    let words = edges.iter().flat_map(|e| [e.source, e.destination, e.weight]);
    std::iter::once(weighted as c_int).chain(words).map(|word| word as u64).collect()
}

/// The edges of all, in the order of the processes that declared them, and whether they have
/// weights.
fn from_words(lists: &[Vec<u64>]) -> Result<(Vec<Edge>, bool)> {
    // Who declares no edge has nothing to give weights to.
    let weighs = |some: bool| lists.iter().any(|l| l.len() > 1 && (l[0] != 0) == some);
    let weighted = weighs(true) || (!weighs(false) && lists.iter().any(|l| l[0] != 0));
    if weighs(true) && weighs(false) {
        let text = "some processes give MPI_UNWEIGHTED and others weights; all must do the same";
        return Err(bad(Class::ARG, text));
    }
    let edges = lists.iter().flat_map(|list| list[1..].chunks_exact(3)).map(|words| Edge {
        source: words[0] as c_int,
        destination: words[1] as c_int,
        weight: words[2] as c_int,
    });
    Ok((edges.collect(), weighted))
}

/// The neighbours of `rank`.
fn around(rank: c_int, edges: &[Edge], weighted: bool) -> Topology {
    let into = || edges.iter().filter(|e| e.destination == rank);
    let out = || edges.iter().filter(|e| e.source == rank);
    let weights =
        weighted.then(|| (into().map(|e| e.weight).collect(), out().map(|e| e.weight).collect()));
    Topology::DistGraph {
        sources: into().map(|e| e.source).collect(),
        destinations: out().map(|e| e.destination).collect(),
        weights,
    }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn dist_graph_create(
    call: &Call,
    comm_old: MPI_Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> Result<()> {
    require(comm_dist_graph, "comm_dist_graph")?;
    let parent = call.intra_comm(comm_old)?;
    hints(call, info)?;
    // SAFETY: as for this function.
    let (edges, weighted) =
        unsafe { declared(&parent, n, sources, degrees, destinations, weights)? };
    let mine = to_words(&edges, weighted);
    let lists = call.rank.block_on(create::share(start(call, &parent), mine))??;
    let (edges, weighted) = from_words(&lists)?;
    let topology = around(parent.rank as c_int, &edges, weighted);
    // SAFETY: a pointer of the caller, not null.
    unsafe { create_like(call, &parent, topology, comm_dist_graph) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn dist_graph_neighbors_count(
    call: &Call,
    comm: MPI_Comm,
    indegree: *mut c_int,
    outdegree: *mut c_int,
    weighted: *mut c_int,
) -> Result<()> {
    require(indegree, "indegree")?;
    require(outdegree, "outdegree")?;
    require(weighted, "weighted")?;
    let comm = call.comm(comm)?;
    let topology = comm.topology.borrow();
    let Some(Topology::DistGraph { sources, destinations, weights }) = &*topology else {
        return Err(no_topology(&comm, "distributed graph"));
    };
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *indegree = sources.len() as c_int;
        *outdegree = destinations.len() as c_int;
        *weighted = weights.is_some() as c_int;
    }
    Ok(())
}

/// Gives the first `max` neighbours and their weights; weights are not written where the graph
/// has none or the caller wants none.
///
/// # Safety
/// The arrays are null (or special) or have room for `max` elements.
unsafe fn give_side(
    max: c_int,
    (list, to): (&[c_int], *mut c_int),
    (weights, weights_to): (Option<&Vec<c_int>>, *mut c_int),
    names: [&str; 3],
) -> Result<()> {
    let max = count(max, names[0])?;
    // SAFETY: the caller's contract.
    unsafe {
        fill(to, list.iter().copied().take(max), names[1])?;
        let wanted = weights_to.cast_const() != MPI_UNWEIGHTED
            && weights_to.cast_const() != MPI_WEIGHTS_EMPTY;
        match weights {
            Some(weights) if wanted => {
                fill(weights_to, weights.iter().copied().take(max), names[2])
            }
            _ => Ok(()),
        }
    }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn dist_graph_neighbors(
    call: &Call,
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxoutdegree: c_int,
    destinations: *mut c_int,
    destweights: *mut c_int,
) -> Result<()> {
    let comm = call.comm(comm)?;
    let topology = comm.topology.borrow();
    let Some(Topology::DistGraph { sources: from, destinations: to, weights }) = &*topology else {
        return Err(no_topology(&comm, "distributed graph"));
    };
    let (ins, outs) = (weights.as_ref().map(|w| &w.0), weights.as_ref().map(|w| &w.1));
    // SAFETY: as for this function.
    unsafe {
        let names = ["maxindegree", "sources", "sourceweights"];
        give_side(maxindegree, (from, sources), (ins, sourceweights), names)?;
        let names = ["maxoutdegree", "destinations", "destweights"];
        give_side(maxoutdegree, (to, destinations), (outs, destweights), names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_reach_both_of_their_ends_in_the_order_of_declaration() {
        let edge = |source, destination, weight| Edge { source, destination, weight };
        let first = [edge(0, 1, 5), edge(2, 1, 6)];
        let second = [edge(1, 0, 7), edge(0, 1, 8)];
        let lists = [to_words(&first, true), to_words(&second, true)];
        let (edges, weighted) = from_words(&lists).unwrap();
        assert_eq!((edges.len(), weighted), (4, true));
        let expected = Topology::DistGraph {
            sources: vec![0, 2, 0],
            destinations: vec![0],
            weights: Some((vec![5, 6, 8], vec![7])),
        };
        assert_eq!(around(1, &edges, weighted), expected);
        let mixed = [to_words(&first, true), to_words(&second, false)];
        assert_eq!(from_words(&mixed).unwrap_err().class(), Class::ARG);
        let idle = [to_words(&first, true), to_words(&[], false)];
        assert!(from_words(&idle).unwrap().1);
        let plain = [to_words(&first, false), to_words(&[], false)];
        let (edges, weighted) = from_words(&plain).unwrap();
        assert!(matches!(around(1, &edges, weighted), Topology::DistGraph { weights: None, .. }));
    }
}
