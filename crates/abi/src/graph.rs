//! Graph topologies (MPI 5.0, section 8.5.3): every process knows the whole graph. Bodies of the
//! chapter `topology`.

use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::topology::{check_rank, check_room, count, create_with, fill, list, no_topology};
use starling_core::comm::Comm;
use starling_core::error::{Class, Result};
use starling_core::topo::Topology;
use std::ffi::c_int;

/// A graph in `MPI_Graph_create`'s arrays.
struct Graph {
    index: Vec<c_int>,
    edges: Vec<c_int>,
}

impl Graph {
    /// The neighbours of `rank`, which is one of the graph.
    fn neighbours(&self, rank: c_int) -> &[c_int] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.index[rank - 1] };
        &self.edges[start as usize..self.index[rank] as usize]
    }
}

/// The graph of a communicator.
fn graph(comm: &Comm) -> Result<Graph> {
    match &*comm.topology.borrow() {
        Some(Topology::Graph { index, edges }) => {
            Ok(Graph { index: index.clone(), edges: edges.clone() })
        }
        _ => Err(no_topology(comm, "graph")),
    }
}

/// The graph that the caller describes.
///
/// # Safety
/// `index` is null or has `nnodes` elements, `edges` is null or has as many as the last of those
/// says.
unsafe fn described(
    comm: &Comm,
    nnodes: c_int,
    index: *const c_int,
    edges: *const c_int,
) -> Result<Graph> {
    let nodes = count(nnodes, "nnodes")?;
    if nodes as u64 > u64::from(comm.size()) {
        let (title, size) = (comm.title(), comm.size());
        let text = format!("a graph of {nodes} nodes needs as many processes; {title} has {size}");
        return Err(bad(Class::ARG, text));
    }
    // SAFETY: the caller's contract.
    let index = unsafe { list(nodes, index, "index")? };
    let mut last = 0;
    for (node, sum) in index.iter().enumerate() {
        if *sum < last {
            let text =
                format!("index[{node}] is {sum}; it must be at least {last}, the one before");
            return Err(bad(Class::ARG, text));
        }
        last = *sum;
    }
    // SAFETY: the caller's contract.
    let edges = unsafe { list(last as usize, edges, "edges")? };
    if let Some(wrong) = edges.iter().find(|e| !(0..nnodes).contains(*e)) {
        let text = format!("an edge leads to the node {wrong}; the graph has {nnodes}, from 0");
        return Err(bad(Class::ARG, text));
    }
    Ok(Graph { index: index.to_vec(), edges: edges.to_vec() })
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn graph_create(
    call: &Call,
    comm_old: MPI_Comm,
    nnodes: c_int,
    index: *const c_int,
    edges: *const c_int,
    _reorder: c_int,
    comm_graph: *mut MPI_Comm,
) -> Result<()> {
    require(comm_graph, "comm_graph")?;
    let parent = call.intra_comm(comm_old)?;
    // SAFETY: as for this function.
    let Graph { index, edges } = unsafe { described(&parent, nnodes, index, edges)? };
    let topology = Topology::Graph { index, edges };
    // SAFETY: a pointer of the caller, not null.
    unsafe { create_with(call, &parent, nnodes as u32, topology, comm_graph) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn graph_map(
    call: &Call,
    comm: MPI_Comm,
    nnodes: c_int,
    index: *const c_int,
    edges: *const c_int,
    newrank: *mut c_int,
) -> Result<()> {
    require(newrank, "newrank")?;
    let comm = call.intra_comm(comm)?;
    // SAFETY: as for this function.
    unsafe { described(&comm, nnodes, index, edges)? };
    let mapped = if comm.rank < nnodes as u32 { comm.rank as c_int } else { MPI_UNDEFINED };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *newrank = mapped };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn graphdims_get(
    call: &Call,
    comm: MPI_Comm,
    nnodes: *mut c_int,
    nedges: *mut c_int,
) -> Result<()> {
    require(nnodes, "nnodes")?;
    require(nedges, "nedges")?;
    let graph = graph(&*call.comm(comm)?)?;
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *nnodes = graph.index.len() as c_int;
        *nedges = graph.edges.len() as c_int;
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn graph_get(
    call: &Call,
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    index: *mut c_int,
    edges: *mut c_int,
) -> Result<()> {
    let graph = graph(&*call.comm(comm)?)?;
    check_room(maxindex, graph.index.len(), "maxindex")?;
    check_room(maxedges, graph.edges.len(), "maxedges")?;
    // SAFETY: as for this function.
    unsafe {
        fill(index, graph.index, "index")?;
        fill(edges, graph.edges, "edges")
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn graph_neighbors_count(
    call: &Call,
    comm: MPI_Comm,
    rank: c_int,
    nneighbors: *mut c_int,
) -> Result<()> {
    require(nneighbors, "nneighbors")?;
    let comm = call.comm(comm)?;
    let graph = graph(&comm)?;
    let n = graph.neighbours(check_rank(&comm, rank)?).len();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *nneighbors = n as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn graph_neighbors(
    call: &Call,
    comm: MPI_Comm,
    rank: c_int,
    maxneighbors: c_int,
    neighbors: *mut c_int,
) -> Result<()> {
    let comm = call.comm(comm)?;
    let graph = graph(&comm)?;
    let found = graph.neighbours(check_rank(&comm, rank)?);
    check_room(maxneighbors, found.len(), "maxneighbors")?;
    // SAFETY: as for this function.
    unsafe { fill(neighbors, found.iter().copied(), "neighbors") }
}
