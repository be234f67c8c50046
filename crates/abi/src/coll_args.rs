//! The arguments of collectives, decoded and checked: buffers, counts, roots, operations. What is
//! significant at the root only is not looked at elsewhere (MPI 5.0, section 6.5 and following).
//! Called by the bodies in `coll.rs`.

use crate::decode::{bad, check_count, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::ints::IntArray;
use crate::op::reducer;
use starling_core::buffer::Data;
use starling_core::coll::reduction::Reducer;
use starling_core::coll::Blocks;
use starling_core::comm::Comm;
use starling_core::error::{Class, Result};
use starling_core::status::{PROC_NULL, ROOT};
use starling_datatype::Datatype;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

type Optional<T> = Option<T>;

/// What this process is in a rooted collective.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Other,
    /// `MPI_PROC_NULL` in the root's group of an intercommunicator.
    Idle,
}

fn role(comm: &Comm, root: c_int) -> Result<Role> {
    let size = comm.peers().size();
    match (comm.is_inter(), root) {
        (false, root) if root >= 0 && root as u32 == comm.rank => Ok(Role::Root),
        (true, ROOT) => Ok(Role::Root),
        (true, PROC_NULL) => Ok(Role::Idle),
        (_, root) if root >= 0 && (root as u32) < size => Ok(Role::Other),
        (true, _) => {
            let text = format!(
                "the root is {root}; on an intercommunicator it is MPI_ROOT, MPI_PROC_NULL, or a \
                 rank of the remote group, 0 to {}",
                size - 1
            );
            Err(bad(Class::ROOT, text))
        }
        (false, _) => {
            let title = comm.title();
            let text = format!("the root is {root}, but {title} has the ranks 0 to {}", size - 1);
            Err(bad(Class::ROOT, text))
        }
    }
}

/// An argument that may be `MPI_IN_PLACE`: then `None`.
fn or_in_place(
    call: &Call,
    comm: &Comm,
    buf: *const c_void,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<Option<Data>> {
    match buf == MPI_IN_PLACE && !comm.is_inter() {
        true => Ok(None),
        false => call.data(buf, count, datatype).map(Some),
    }
}

/// Buffers that must not be the same (section 6.1).
fn check_apart(send: &Option<Data>, recv: &Data) -> Result<()> {
    match send {
        Some(send) if send.addr == recv.addr && send.bytes() > 0 && recv.bytes() > 0 => {
            let text = "sendbuf and recvbuf are the same; pass MPI_IN_PLACE as sendbuf instead";
            Err(bad(Class::BUFFER, text))
        }
        _ => Ok(()),
    }
}

/// The same for buffers with blocks of their own counts.
fn check_blocks_apart(send: *const c_void, recv: *const c_void, any: bool) -> Result<()> {
    if send == recv && !send.is_null() && any {
        let text = "sendbuf and recvbuf are the same; pass MPI_IN_PLACE instead";
        return Err(bad(Class::BUFFER, text));
    }
    Ok(())
}

/// `n` counts, none negative.
fn counts(array: IntArray, n: u32, name: &str) -> Result<Rc<[i64]>> {
    let list = integers(array, n, name)?;
    for (rank, count) in list.iter().enumerate() {
        if *count < 0 {
            return Err(bad(Class::COUNT, format!("{name}[{rank}] is {count}")));
        }
    }
    Ok(list)
}

fn integers(array: IntArray, n: u32, name: &str) -> Result<Rc<[i64]>> {
    if array.is_null() && n > 0 {
        return Err(bad(Class::ARG, format!("the argument {name} is a null pointer")));
    }
    Ok(array.to_vec(n as usize).into())
}

/// One block per process, counts and displacements of one type.
fn varying(
    call: &Call,
    buf: *const c_void,
    (array, array_name): (IntArray, &str),
    (displs, displs_name): (IntArray, &str),
    datatype: MPI_Datatype,
    n: u32,
) -> Result<Blocks> {
    let counts = counts(array, n, array_name)?;
    let displs = integers(displs, n, displs_name)?;
    let total = counts.iter().sum();
    let data = call.data(buf, total, datatype)?;
    Ok(Blocks::varying(data.addr, counts, displs, data.ty))
}

/// One block per process, a type for each, displacements in bytes.
fn typed(
    call: &Call,
    buf: *const c_void,
    (array, array_name): (IntArray, &str),
    displs: Rc<[i64]>,
    types: *const MPI_Datatype,
) -> Result<Blocks> {
    let n = displs.len();
    let counts = counts(array, n as u32, array_name)?;
    let types: Vec<Rc<Datatype>> = match n {
        0 => Vec::new(),
        _ => {
            require(types, "the array of datatypes")?;
            // SAFETY: the caller passes one datatype per process (section 6.8).
            let list = unsafe { std::slice::from_raw_parts(types, n) };
            list.iter().map(|ty| call.committed_datatype(*ty)).collect::<Result<_>>()?
        }
    };
    // With MPI_BOTTOM the displacements are addresses; those in the first page are nobody's.
    let nowhere = |i: usize| counts[i] > 0 && types[i].as_basic().is_some() && displs[i] < 4096;
    if buf == MPI_IN_PLACE || buf.is_null() && (0..n).any(nowhere) {
        let text = "a buffer of the collective is MPI_IN_PLACE or null where data is to be moved";
        return Err(bad(Class::BUFFER, text));
    }
    Ok(Blocks::typed(buf.cast_mut().cast(), counts, displs, types.into()))
}

/// Hints are accepted and not used; a bad handle is refused.
pub(super) fn check_info(call: &Call, info: MPI_Info) -> Result<()> {
    crate::info::find_hints(call, info).map(|_| ())
}

pub(super) fn barrier_args(_call: &Call, _comm: &Comm) -> Result<()> {
    Ok(())
}

pub(super) fn bcast_args(
    call: &Call,
    comm: &Comm,
    buffer: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    root: c_int,
) -> Result<(Data, c_int)> {
    if role(comm, root)? == Role::Idle {
        let byte = call.datatype(MPI_BYTE)?;
        return Ok((Data { addr: std::ptr::null_mut(), count: 0, ty: byte }, root));
    }
    Ok((call.data(buffer, count, datatype)?, root))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn gather_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result<(Optional<Data>, Optional<Data>, c_int)> {
    match role(comm, root)? {
        Role::Idle => Ok((None, None, root)),
        Role::Other => Ok((Some(call.data(sendbuf, sendcount, sendtype)?), None, root)),
        Role::Root => {
            let recv = call.data(recvbuf, recvcount, recvtype)?;
            if comm.is_inter() {
                return Ok((None, Some(recv), root));
            }
            let send = or_in_place(call, comm, sendbuf, sendcount, sendtype)?;
            check_apart(&send, &recv)?;
            Ok((send, Some(recv), root))
        }
    }
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn gatherv_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    displs: IntArray,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result<(Optional<Data>, Optional<Blocks>, c_int)> {
    match role(comm, root)? {
        Role::Idle => Ok((None, None, root)),
        Role::Other => Ok((Some(call.data(sendbuf, sendcount, sendtype)?), None, root)),
        Role::Root => {
            let n = comm.peers().size();
            let (counts, displs) = ((recvcounts, "recvcounts"), (displs, "displs"));
            let recv = varying(call, recvbuf, counts, displs, recvtype, n)?;
            if comm.is_inter() {
                return Ok((None, Some(recv), root));
            }
            Ok((or_in_place(call, comm, sendbuf, sendcount, sendtype)?, Some(recv), root))
        }
    }
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn scatter_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result<(Optional<Data>, Optional<Data>, c_int)> {
    match role(comm, root)? {
        Role::Idle => Ok((None, None, root)),
        Role::Other => Ok((None, Some(call.data(recvbuf, recvcount, recvtype)?), root)),
        Role::Root => {
            let send = call.data(sendbuf, sendcount, sendtype)?;
            if comm.is_inter() {
                return Ok((Some(send), None, root));
            }
            let recv = or_in_place(call, comm, recvbuf, recvcount, recvtype)?;
            check_apart(&recv, &send)?;
            Ok((Some(send), recv, root))
        }
    }
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn scatterv_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcounts: IntArray,
    displs: IntArray,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
    root: c_int,
) -> Result<(Optional<Blocks>, Optional<Data>, c_int)> {
    match role(comm, root)? {
        Role::Idle => Ok((None, None, root)),
        Role::Other => Ok((None, Some(call.data(recvbuf, recvcount, recvtype)?), root)),
        Role::Root => {
            let n = comm.peers().size();
            let (counts, displs) = ((sendcounts, "sendcounts"), (displs, "displs"));
            let send = varying(call, sendbuf, counts, displs, sendtype, n)?;
            if comm.is_inter() {
                return Ok((Some(send), None, root));
            }
            Ok((Some(send), or_in_place(call, comm, recvbuf, recvcount, recvtype)?, root))
        }
    }
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn all_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
) -> Result<(Optional<Data>, Data)> {
    let recv = call.data(recvbuf, recvcount, recvtype)?;
    let send = or_in_place(call, comm, sendbuf, sendcount, sendtype)?;
    check_apart(&send, &recv)?;
    Ok((send, recv))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn allgatherv_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    displs: IntArray,
    recvtype: MPI_Datatype,
) -> Result<(Optional<Data>, Blocks)> {
    let n = comm.peers().size();
    let (counts, displs) = ((recvcounts, "recvcounts"), (displs, "displs"));
    let recv = varying(call, recvbuf, counts, displs, recvtype, n)?;
    Ok((or_in_place(call, comm, sendbuf, sendcount, sendtype)?, recv))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn alltoallv_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcounts: IntArray,
    sdispls: IntArray,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    rdispls: IntArray,
    recvtype: MPI_Datatype,
) -> Result<(Optional<Blocks>, Blocks)> {
    let n = comm.peers().size();
    let (counts, displs) = ((recvcounts, "recvcounts"), (rdispls, "rdispls"));
    let recv = varying(call, recvbuf, counts, displs, recvtype, n)?;
    if sendbuf == MPI_IN_PLACE && !comm.is_inter() {
        return Ok((None, recv));
    }
    let (counts, displs) = ((sendcounts, "sendcounts"), (sdispls, "sdispls"));
    let send = varying(call, sendbuf, counts, displs, sendtype, n)?;
    let any = |array: IntArray| array.to_vec(n as usize).iter().any(|count| *count > 0);
    check_blocks_apart(sendbuf, recvbuf, any(sendcounts) && any(recvcounts))?;
    Ok((Some(send), recv))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn alltoallw_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcounts: IntArray,
    sdispls: IntArray,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    rdispls: IntArray,
    recvtypes: *const MPI_Datatype,
) -> Result<(Optional<Blocks>, Blocks)> {
    let n = comm.peers().size();
    let rdispls = integers(rdispls, n, "rdispls")?;
    let recv = typed(call, recvbuf, (recvcounts, "recvcounts"), rdispls, recvtypes)?;
    if sendbuf == MPI_IN_PLACE && !comm.is_inter() {
        return Ok((None, recv));
    }
    let sdispls = integers(sdispls, n, "sdispls")?;
    let any = |array: IntArray| array.to_vec(n as usize).iter().any(|count| *count > 0);
    let both = !sendcounts.is_null() && any(sendcounts) && any(recvcounts);
    check_blocks_apart(sendbuf, recvbuf, both)?;
    Ok((Some(typed(call, sendbuf, (sendcounts, "sendcounts"), sdispls, sendtypes)?), recv))
}

/// Operand, result, counts, operation.
type ReduceScatter = (Optional<Data>, Data, Rc<[i64]>, Reducer);

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn reduce_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
) -> Result<(Optional<Data>, Optional<Data>, Reducer, c_int)> {
    let role = role(comm, root)?;
    if role == Role::Idle {
        // Nothing but the root is significant here; any operation will do.
        let nothing = reducer(call, MPI_BOR, MPI_BYTE, &call.datatype(MPI_BYTE)?)?;
        return Ok((None, None, nothing, root));
    }
    let ty = call.committed_datatype(datatype)?;
    let op = reducer(call, op, datatype, &ty)?;
    match role {
        Role::Root => {
            let recv = call.data(recvbuf, count, datatype)?;
            if comm.is_inter() {
                return Ok((None, Some(recv), op, root));
            }
            let send = or_in_place(call, comm, sendbuf, count, datatype)?;
            check_apart(&send, &recv)?;
            Ok((send, Some(recv), op, root))
        }
        _ => Ok((Some(call.data(sendbuf, count, datatype)?), None, op, root)),
    }
}

pub(super) fn allreduce_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Optional<Data>, Data, Reducer)> {
    let recv = call.data(recvbuf, count, datatype)?;
    let op = reducer(call, op, datatype, &recv.ty)?;
    let send = or_in_place(call, comm, sendbuf, count, datatype)?;
    check_apart(&send, &recv)?;
    Ok((send, recv, op))
}

pub(super) fn scan_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Optional<Data>, Data, Reducer)> {
    comm.require_intra(call.function.name)?;
    allreduce_args(call, comm, sendbuf, recvbuf, count, datatype, op)
}

pub(super) fn reduce_scatter_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<ReduceScatter> {
    let counts = counts(recvcounts, comm.size(), "recvcounts")?;
    let total = counts.iter().sum();
    let own = counts[comm.rank as usize];
    // In place the operand, that is all blocks, lies in recvbuf.
    let in_recv = if sendbuf == MPI_IN_PLACE { total } else { own };
    let recv = call.data(recvbuf, in_recv, datatype)?;
    let op = reducer(call, op, datatype, &recv.ty)?;
    let send = or_in_place(call, comm, sendbuf, total, datatype)?;
    check_apart(&send, &recv)?;
    Ok((send, recv, counts, op))
}

pub(super) fn reduce_scatter_block_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: i64,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<(Optional<Data>, Data, Reducer)> {
    check_count(recvcount)?;
    let recv = call.data(recvbuf, recvcount, datatype)?;
    let op = reducer(call, op, datatype, &recv.ty)?;
    let total = recvcount * comm.size() as i64;
    let send = or_in_place(call, comm, sendbuf, total, datatype)?;
    check_apart(&send, &recv)?;
    Ok((send, recv, op))
}

/// Numbers of sources and of destinations in the communicator's topology.
fn degrees(comm: &Comm) -> Result<(u32, u32)> {
    match &*comm.topology.borrow() {
        Some(topology) => {
            let (sources, destinations) = topology.neighbours(comm.rank as i32);
            Ok((sources.len() as u32, destinations.len() as u32))
        }
        None => {
            let text = format!(
                "{} has no topology; make one with MPI_Cart_create, MPI_Graph_create or \
                 MPI_Dist_graph_create",
                comm.title()
            );
            Err(bad(Class::TOPOLOGY, text))
        }
    }
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn neighbor_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: i64,
    recvtype: MPI_Datatype,
) -> Result<(Data, Data)> {
    degrees(comm)?;
    let send = call.data(sendbuf, sendcount, sendtype)?;
    Ok((send, call.data(recvbuf, recvcount, recvtype)?))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn neighbor_allgatherv_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcount: i64,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    displs: IntArray,
    recvtype: MPI_Datatype,
) -> Result<(Data, Blocks)> {
    let (sources, _) = degrees(comm)?;
    let send = call.data(sendbuf, sendcount, sendtype)?;
    let (counts, displs) = ((recvcounts, "recvcounts"), (displs, "displs"));
    Ok((send, varying(call, recvbuf, counts, displs, recvtype, sources)?))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn neighbor_alltoallv_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcounts: IntArray,
    sdispls: IntArray,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    rdispls: IntArray,
    recvtype: MPI_Datatype,
) -> Result<(Blocks, Blocks)> {
    let (sources, destinations) = degrees(comm)?;
    let (counts, displs) = ((sendcounts, "sendcounts"), (sdispls, "sdispls"));
    let send = varying(call, sendbuf, counts, displs, sendtype, destinations)?;
    let (counts, displs) = ((recvcounts, "recvcounts"), (rdispls, "rdispls"));
    Ok((send, varying(call, recvbuf, counts, displs, recvtype, sources)?))
}

#[allow(clippy::too_many_arguments)] // the standard's own list
pub(super) fn neighbor_alltoallw_args(
    call: &Call,
    comm: &Comm,
    sendbuf: *const c_void,
    sendcounts: IntArray,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: IntArray,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
) -> Result<(Blocks, Blocks)> {
    let (sources, destinations) = degrees(comm)?;
    let sdispls = addresses(sdispls, destinations, "sdispls")?;
    let rdispls = addresses(rdispls, sources, "rdispls")?;
    let send = typed(call, sendbuf, (sendcounts, "sendcounts"), sdispls, sendtypes)?;
    Ok((send, typed(call, recvbuf, (recvcounts, "recvcounts"), rdispls, recvtypes)?))
}

fn addresses(list: *const MPI_Aint, n: u32, name: &str) -> Result<Rc<[i64]>> {
    if n == 0 {
        return Ok(Rc::new([]));
    }
    require(list, name)?;
    // SAFETY: the caller passes one displacement per neighbour (section 8.6).
    let list = unsafe { std::slice::from_raw_parts(list, n as usize) };
    Ok(list.iter().map(|d| *d as i64).collect())
}
