//! Collectives (MPI 5.0, chapter 6). Each operation is decoded once; the macro `collective!` makes
//! of it the blocking body, the non-blocking one and the persistent one, which only differ in how
//! they run the engine's state machine. `icoll`, `pcoll` and `neighbor` re-export from here.
//! What the arguments mean is in `coll_args.rs`.

use crate::coll_args::*;
use crate::entry::Call;
use crate::generated::types::*;
use crate::ints::IntArray;
use crate::p2p::new_request;
use crate::persistent::new_persistent;
use starling_core::coll::{self as engine, Coll, Operation};
use starling_core::error::Result;
use starling_core::request::{Activity, Start};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

macro_rules! collective {
    ($($blocking:ident $nonblocking:ident $persistent:ident ($($arg:ident: $ty:ty),*)
        = $decode:path => $($value:ident)* => $run:path;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $blocking(call: &Call, $($arg: $ty,)* comm: MPI_Comm) -> Result<()> {
            let comm = call.comm(comm)?;
            let ($($value,)*) = $decode(call, &comm, $($arg),*)?;
            // SAFETY: the call returns when the collective is complete.
            let c = unsafe { Coll::new(call.rank, &comm) };
            call.rank.block_on($run(c, $($value),*))?
        }

        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $nonblocking(
            call: &Call,
            $($arg: $ty,)*
            comm: MPI_Comm,
            request: *mut MPI_Request,
        ) -> Result<()> {
            crate::decode::require(request, "request")?;
            let comm = call.comm(comm)?;
            let ($($value,)*) = $decode(call, &comm, $($arg),*)?;
            // SAFETY: the user leaves the buffers alone until the request is complete (6.12).
            unsafe {
                let c = Coll::non_blocking(call.rank, &comm);
                let operation = Operation::start(call.rank, $run(c, $($value),*));
                new_request(call, Activity::Collective(operation), comm, false, request)
            }
        }

        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $persistent(
            call: &Call,
            $($arg: $ty,)*
            comm: MPI_Comm,
            info: MPI_Info,
            request: *mut MPI_Request,
        ) -> Result<()> {
            crate::decode::require(request, "request")?;
            check_info(call, info)?;
            let comm = call.comm(comm)?;
            let ($($value,)*) = $decode(call, &comm, $($arg),*)?;
            // SAFETY: the user leaves the buffers alone while the request is active (6.13).
            let c = unsafe { Coll::non_blocking(call.rank, &comm) };
            let start: Start = Rc::new(move |rank| {
                let operation = Operation::start(rank, $run(c.clone(), $($value.clone()),*));
                Ok(Activity::Collective(operation))
            });
            // SAFETY: `request` is the caller's, not null.
            unsafe { new_persistent(call, start, comm, false, request) }
        }
    )* };
}

collective! {
    barrier ibarrier barrier_init() = barrier_args => => engine::barrier::barrier;

    bcast ibcast bcast_init(
        buffer: *mut c_void, count: i64, datatype: MPI_Datatype, root: c_int
    ) = bcast_args => data root => engine::bcast::bcast;

    gather igather gather_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype, root: c_int
    ) = gather_args => send recv root => engine::gather::gather;

    gatherv igatherv gatherv_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, displs: IntArray, recvtype: MPI_Datatype,
        root: c_int
    ) = gatherv_args => send recv root => engine::gatherv::gatherv;

    scatter iscatter scatter_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype, root: c_int
    ) = scatter_args => send recv root => engine::scatter::scatter;

    scatterv iscatterv scatterv_init(
        sendbuf: *const c_void, sendcounts: IntArray, displs: IntArray, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype, root: c_int
    ) = scatterv_args => send recv root => engine::scatterv::scatterv;

    allgather iallgather allgather_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype
    ) = all_args => send recv => engine::allgather::allgather;

    allgatherv iallgatherv allgatherv_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, displs: IntArray, recvtype: MPI_Datatype
    ) = allgatherv_args => send recv => engine::allgatherv::allgatherv;

    alltoall ialltoall alltoall_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype
    ) = all_args => send recv => engine::alltoall::alltoall;

    alltoallv ialltoallv alltoallv_init(
        sendbuf: *const c_void, sendcounts: IntArray, sdispls: IntArray, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, rdispls: IntArray, recvtype: MPI_Datatype
    ) = alltoallv_args => send recv => engine::alltoallv::alltoallv;

    alltoallw ialltoallw alltoallw_init(
        sendbuf: *const c_void, sendcounts: IntArray, sdispls: IntArray,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, rdispls: IntArray,
        recvtypes: *const MPI_Datatype
    ) = alltoallw_args => send recv => engine::alltoallv::alltoallw;

    reduce ireduce reduce_init(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: i64, datatype: MPI_Datatype,
        op: MPI_Op, root: c_int
    ) = reduce_args => send recv op root => engine::reduce::reduce;

    allreduce iallreduce allreduce_init(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: i64, datatype: MPI_Datatype,
        op: MPI_Op
    ) = allreduce_args => send recv op => engine::allreduce::allreduce;

    reduce_scatter ireduce_scatter reduce_scatter_init(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcounts: IntArray,
        datatype: MPI_Datatype, op: MPI_Op
    ) = reduce_scatter_args => send recv counts op => engine::reduce_scatter::reduce_scatter;

    reduce_scatter_block ireduce_scatter_block reduce_scatter_block_init(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcount: i64, datatype: MPI_Datatype,
        op: MPI_Op
    ) = reduce_scatter_block_args => send recv op => engine::reduce_scatter::reduce_scatter_block;

    scan iscan scan_init(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: i64, datatype: MPI_Datatype,
        op: MPI_Op
    ) = scan_args => send recv op => engine::scan::scan;

    exscan iexscan exscan_init(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: i64, datatype: MPI_Datatype,
        op: MPI_Op
    ) = scan_args => send recv op => engine::scan::exscan;

    neighbor_allgather ineighbor_allgather neighbor_allgather_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype
    ) = neighbor_args => send recv => engine::neighbor::neighbor_allgather;

    neighbor_allgatherv ineighbor_allgatherv neighbor_allgatherv_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, displs: IntArray, recvtype: MPI_Datatype
    ) = neighbor_allgatherv_args => send recv => engine::neighbor::neighbor_allgatherv;

    neighbor_alltoall ineighbor_alltoall neighbor_alltoall_init(
        sendbuf: *const c_void, sendcount: i64, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: i64, recvtype: MPI_Datatype
    ) = neighbor_args => send recv => engine::neighbor::neighbor_alltoall;

    neighbor_alltoallv ineighbor_alltoallv neighbor_alltoallv_init(
        sendbuf: *const c_void, sendcounts: IntArray, sdispls: IntArray, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, rdispls: IntArray, recvtype: MPI_Datatype
    ) = neighbor_alltoallv_args => send recv => engine::neighbor::neighbor_alltoallv;

    neighbor_alltoallw ineighbor_alltoallw neighbor_alltoallw_init(
        sendbuf: *const c_void, sendcounts: IntArray, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: IntArray, rdispls: *const MPI_Aint,
        recvtypes: *const MPI_Datatype
    ) = neighbor_alltoallw_args => send recv => engine::neighbor::neighbor_alltoallw;
}
