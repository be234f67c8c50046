//! Neighbourhood collectives (MPI 5.0, section 8.7): every process exchanges blocks with its
//! neighbours in the communicator's topology, all at once.
//!
//! A process may be another's neighbour several times. The k-th message to a neighbour then meets
//! the k-th receive from it. In a grid, what goes to the neighbour before has to arrive in the
//! slot of the neighbour behind; both are the same process if a dimension wraps around and has
//! one or two processes. So receives are posted in the order in which the other side sends.

use super::{Blocks, Coll, Started};
use crate::buffer::Data;
use crate::error::{Class, Error, Result};
use crate::topo::Topology;

/// `MPI_Neighbor_allgather`. `recv` counts the elements from one neighbour.
pub async fn neighbor_allgather(c: Coll, send: Data, recv: Data) -> Result<()> {
    let recv = Blocks::even(&recv);
    exchange(&c, |_| send.clone(), |slot| recv.block(slot)).await
}

/// `MPI_Neighbor_allgatherv`
pub async fn neighbor_allgatherv(c: Coll, send: Data, recv: Blocks) -> Result<()> {
    exchange(&c, |_| send.clone(), |slot| recv.block(slot)).await
}

/// `MPI_Neighbor_alltoall`. Both count the elements of one block.
pub async fn neighbor_alltoall(c: Coll, send: Data, recv: Data) -> Result<()> {
    let (send, recv) = (Blocks::even(&send), Blocks::even(&recv));
    exchange(&c, |slot| send.block(slot), |slot| recv.block(slot)).await
}

/// `MPI_Neighbor_alltoallv`
pub async fn neighbor_alltoallv(c: Coll, send: Blocks, recv: Blocks) -> Result<()> {
    exchange(&c, |slot| send.block(slot), |slot| recv.block(slot)).await
}

/// `MPI_Neighbor_alltoallw`, with blocks made by [`Blocks::typed`].
pub async fn neighbor_alltoallw(c: Coll, send: Blocks, recv: Blocks) -> Result<()> {
    exchange(&c, |slot| send.block(slot), |slot| recv.block(slot)).await
}

/// What this process does, in order: from which rank into which slot, to which rank from which.
struct Plan {
    receives: Vec<(u32, u32)>,
    sends: Vec<(u32, u32)>,
}

fn plan(c: &Coll) -> Result<Plan> {
    let topology = c.comm.topology.borrow();
    let Some(topology) = &*topology else {
        let text = format!(
            "{} has no topology; neighbourhood collectives need a communicator from \
             MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create",
            c.comm.title()
        );
        return Err(Error::new(Class::TOPOLOGY, text));
    };
    let (sources, destinations) = topology.neighbours(c.me() as i32);
    let slots = |ranks: &[Option<u32>]| -> Vec<(u32, u32)> {
        (0..).zip(ranks).filter_map(|(slot, rank)| rank.map(|rank| (rank, slot))).collect()
    };
    let mut receives = slots(&sources);
    if let Topology::Cart { .. } = topology {
        // Per dimension: first what the neighbour behind sends to the one before it, that is us.
        receives.sort_by_key(|(_, slot)| (slot / 2, slot % 2 == 0));
    }
    Ok(Plan { receives, sends: slots(&destinations) })
}

async fn exchange(c: &Coll, out: impl Fn(u32) -> Data, into: impl Fn(u32) -> Data) -> Result<()> {
    let plan = plan(c)?;
    let mut started = Vec::new();
    for (rank, slot) in plan.receives {
        started.push(c.recv_start(rank, &into(slot))?);
    }
    for (rank, slot) in plan.sends {
        started.push(c.send_start(rank, &out(slot))?);
    }
    Started::finish_all(started).await
}
