//! Topologies (MPI 5.0, chapter 8): grids, and what all kinds share. Graphs are in `graph.rs`,
//! distributed graphs in `dist_graph.rs`, `MPI_Dims_create` in `dims.rs`.
//!
//! Ranks keep their order: all processes of a node are equally near to each other as far as a
//! topology can say, so there is nothing to gain from reordering.

pub(crate) use crate::dims::*;
pub(crate) use crate::dist_graph::*;
pub(crate) use crate::graph::*;

use crate::comm_create::{give, start};
use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::comm::{create, Comm};
use starling_core::error::{Class, Error, Result};
use starling_core::status::UNDEFINED;
use starling_core::topo::Topology;
use std::ffi::c_int;
use std::rc::Rc;

/// An array of the caller with `n` elements.
///
/// # Safety
/// `array` is null or has that many.
pub(crate) unsafe fn list<'a>(n: usize, array: *const c_int, name: &str) -> Result<&'a [c_int]> {
    if n == 0 {
        return Ok(&[]);
    }
    require(array, name)?;
    // SAFETY: not null; the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(array, n) })
}

/// Fills an array of the caller.
///
/// # Safety
/// `array` is null or has room for `values`.
pub(crate) unsafe fn fill(
    array: *mut c_int,
    values: impl IntoIterator<Item = c_int>,
    name: &str,
) -> Result<()> {
    for (i, value) in values.into_iter().enumerate() {
        require(array, name)?;
        // SAFETY: not null; the caller's contract.
        unsafe { *array.add(i) = value };
    }
    Ok(())
}

/// A number of things, which must not be negative.
pub(crate) fn count(n: c_int, name: &str) -> Result<usize> {
    usize::try_from(n).map_err(|_| {
        bad(Class::ARG, format!("the argument {name} is {n}; it must not be negative"))
    })
}

/// An array of the caller must hold at least `needed` elements.
pub(crate) fn check_room(given: c_int, needed: usize, name: &str) -> Result<()> {
    match i64::from(given) >= needed as i64 {
        true => Ok(()),
        false => {
            let text = format!("the argument {name} is {given}, but {needed} are to be returned");
            Err(bad(Class::ARG, text))
        }
    }
}

/// A rank of `comm`.
pub(crate) fn check_rank(comm: &Comm, rank: c_int) -> Result<c_int> {
    match rank >= 0 && (rank as u32) < comm.size() {
        true => Ok(rank),
        false => {
            let (title, last) = (comm.title(), comm.size() as i64 - 1);
            let text = format!("the rank is {rank}, but {title} has the ranks 0 to {last}");
            Err(bad(Class::RANK, text))
        }
    }
}

#[cold]
pub(crate) fn no_topology(comm: &Comm, kind: &str) -> Error {
    bad(Class::TOPOLOGY, format!("{} has no {kind} topology", comm.title()))
}

/// The first `nodes` processes of `parent` make up a communicator with `topology`.
///
/// # Safety
/// `to` points to a communicator handle of the caller.
pub(crate) unsafe fn create_with(
    call: &Call,
    parent: &Rc<Comm>,
    nodes: u32,
    topology: Topology,
    to: *mut MPI_Comm,
) -> Result<()> {
    let color = if parent.rank < nodes { 0 } else { UNDEFINED };
    let key = parent.rank as c_int;
    let made = call.rank.block_on(create::split(start(call, parent), color, key))??;
    if let Some(comm) = &made {
        comm.topology.replace(Some(topology));
    }
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: the caller's contract.
    unsafe { give(call, made, &errhandler, to) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn topo_test(call: &Call, comm: MPI_Comm, status: *mut c_int) -> Result<()> {
    require(status, "status")?;
    let comm = call.comm(comm)?;
    let kind = match &*comm.topology.borrow() {
        None => MPI_UNDEFINED,
        Some(Topology::Cart { .. }) => MPI_CART,
        Some(Topology::Graph { .. }) => MPI_GRAPH,
        Some(Topology::DistGraph { .. }) => MPI_DIST_GRAPH,
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *status = kind };
    Ok(())
}

/// The shape of a grid.
struct Grid {
    dims: Vec<c_int>,
    periods: Vec<bool>,
}

/// The grid of a communicator.
fn grid(comm: &Comm) -> Result<Grid> {
    match &*comm.topology.borrow() {
        Some(Topology::Cart { dims, periods }) => {
            Ok(Grid { dims: dims.clone(), periods: periods.clone() })
        }
        _ => Err(no_topology(comm, "Cartesian")),
    }
}

/// The grid that the caller describes, and its number of processes.
///
/// # Safety
/// The arrays are null or have `ndims` elements.
unsafe fn described(
    comm: &Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
) -> Result<(Grid, u32)> {
    let n = count(ndims, "ndims").map_err(|e| bad(Class::DIMS, e.text()))?;
    // SAFETY: the caller's contract.
    let (dims, periods) = unsafe { (list(n, dims, "dims")?, list(n, periods, "periods")?) };
    let mut nodes = 1u64;
    for (d, size) in dims.iter().enumerate() {
        if *size <= 0 {
            let text = format!("the dimension {d} has the size {size}; it must be at least 1");
            return Err(bad(Class::DIMS, text));
        }
        nodes = nodes.saturating_mul(*size as u64);
    }
    if nodes > u64::from(comm.size()) {
        let (title, size) = (comm.title(), comm.size());
        let text = format!("a grid of {dims:?} needs {nodes} processes, but {title} has {size}");
        return Err(bad(Class::DIMS, text));
    }
    let periods = periods.iter().map(|p| *p != 0).collect();
    Ok((Grid { dims: dims.to_vec(), periods }, nodes as u32))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_create(
    call: &Call,
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    _reorder: c_int,
    comm_cart: *mut MPI_Comm,
) -> Result<()> {
    require(comm_cart, "comm_cart")?;
    let parent = call.intra_comm(comm_old)?;
    // SAFETY: as for this function.
    let (Grid { dims, periods }, nodes) = unsafe { described(&parent, ndims, dims, periods)? };
    // SAFETY: a pointer of the caller, not null.
    unsafe { create_with(call, &parent, nodes, Topology::Cart { dims, periods }, comm_cart) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_map(
    call: &Call,
    comm: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    newrank: *mut c_int,
) -> Result<()> {
    require(newrank, "newrank")?;
    let comm = call.intra_comm(comm)?;
    // SAFETY: as for this function.
    let (_, nodes) = unsafe { described(&comm, ndims, dims, periods)? };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *newrank = if comm.rank < nodes { comm.rank as c_int } else { MPI_UNDEFINED } };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cartdim_get(call: &Call, comm: MPI_Comm, ndims: *mut c_int) -> Result<()> {
    require(ndims, "ndims")?;
    let n = grid(&*call.comm(comm)?)?.dims.len();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *ndims = n as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_get(
    call: &Call,
    comm: MPI_Comm,
    maxdims: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> Result<()> {
    let comm = call.comm(comm)?;
    let grid = grid(&comm)?;
    check_room(maxdims, grid.dims.len(), "maxdims")?;
    let here = Topology::coordinates(&grid.dims, comm.rank as c_int);
    // SAFETY: as for this function.
    unsafe {
        fill(dims, grid.dims, "dims")?;
        fill(periods, grid.periods.iter().map(|p| *p as c_int), "periods")?;
        fill(coords, here, "coords")
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_rank(
    call: &Call,
    comm: MPI_Comm,
    coords: *const c_int,
    rank: *mut c_int,
) -> Result<()> {
    require(rank, "rank")?;
    let Grid { dims, periods } = grid(&*call.comm(comm)?)?;
    // SAFETY: as for this function.
    let coords = unsafe { list(dims.len(), coords, "coords")? };
    let Some(found) = Topology::rank_at(&dims, &periods, coords) else {
        let text = format!(
            "the coordinates {coords:?} are outside of the grid of {dims:?}, in a dimension that \
             is not periodic"
        );
        return Err(bad(Class::ARG, text));
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *rank = found };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_coords(
    call: &Call,
    comm: MPI_Comm,
    rank: c_int,
    maxdims: c_int,
    coords: *mut c_int,
) -> Result<()> {
    let comm = call.comm(comm)?;
    let grid = grid(&comm)?;
    let rank = check_rank(&comm, rank)?;
    check_room(maxdims, grid.dims.len(), "maxdims")?;
    // SAFETY: as for this function.
    unsafe { fill(coords, Topology::coordinates(&grid.dims, rank), "coords") }
}

/// The rank `step` processes further in dimension `d`, or `MPI_PROC_NULL`.
fn neighbour(grid: &Grid, here: &[c_int], d: usize, step: i64) -> c_int {
    let size = i64::from(grid.dims[d]);
    let mut there = i64::from(here[d]) + step;
    if grid.periods[d] {
        there = there.rem_euclid(size);
    }
    if !(0..size).contains(&there) {
        return MPI_PROC_NULL;
    }
    let mut place = here.to_vec();
    place[d] = there as c_int;
    Topology::rank_at(&grid.dims, &grid.periods, &place).unwrap_or(MPI_PROC_NULL)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_shift(
    call: &Call,
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: *mut c_int,
    rank_dest: *mut c_int,
) -> Result<()> {
    require(rank_source, "rank_source")?;
    require(rank_dest, "rank_dest")?;
    let comm = call.comm(comm)?;
    let grid = grid(&comm)?;
    let Some(d) = usize::try_from(direction).ok().filter(|d| *d < grid.dims.len()) else {
        let n = grid.dims.len();
        let text = format!("the direction is {direction}, but the grid has {n} dimensions, from 0");
        return Err(bad(Class::DIMS, text));
    };
    let here = Topology::coordinates(&grid.dims, comm.rank as c_int);
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *rank_source = neighbour(&grid, &here, d, -i64::from(disp));
        *rank_dest = neighbour(&grid, &here, d, i64::from(disp));
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn cart_sub(
    call: &Call,
    comm: MPI_Comm,
    remain_dims: *const c_int,
    newcomm: *mut MPI_Comm,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    let parent = call.comm(comm)?;
    let grid = grid(&parent)?;
    // SAFETY: as for this function.
    let remain = unsafe { list(grid.dims.len(), remain_dims, "remain_dims")? };
    let here = Topology::coordinates(&grid.dims, parent.rank as c_int);
    let mut part = Grid { dims: Vec::new(), periods: Vec::new() };
    // Row-major numbers of the slice among the slices, and of this process in its slice.
    let (mut color, mut key) = (0, 0);
    for (d, size) in grid.dims.iter().enumerate() {
        if remain[d] != 0 {
            part.dims.push(*size);
            part.periods.push(grid.periods[d]);
            key = key * size + here[d];
        } else {
            color = color * size + here[d];
        }
    }
    let made = call.rank.block_on(create::split(start(call, &parent), color, key))??;
    if let Some(comm) = &made {
        comm.topology.replace(Some(Topology::Cart { dims: part.dims, periods: part.periods }));
    }
    let errhandler = parent.errhandler.borrow().clone();
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, made, &errhandler, newcomm) }
}
