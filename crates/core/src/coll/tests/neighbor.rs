//! Neighbourhood collectives, checked against the topology itself: what arrives in a slot is what
//! the rank there meant for this one.

use super::memory::{joined, pattern, Memory, Types};
use super::{make, run, try_run};
use crate::coll::neighbor::{
    neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv,
    neighbor_alltoallw,
};
use crate::comm::{create, Comm};
use crate::harness::on_ranks;
use crate::topo::Topology;
use std::rc::Rc;

/// Per slot of a process: the rank that it receives from and the slot that this one sends from.
type Expected = Vec<Option<(u32, u32)>>;

fn check_all(comm: &Rc<Comm>, expected: &Expected, out: u32) {
    for types in Types::ALL {
        for count in [0, 1, 300, 5000] {
            check_allgather(comm, expected, types, count);
            check_alltoall(comm, expected, out, types, count);
        }
    }
}

fn check_allgather(comm: &Rc<Comm>, expected: &Expected, types: Types, count: i64) {
    let slots = expected.len() as i64;
    let (send_type, recv_type) = (types.of(comm.rank), types.of(comm.rank + 1));
    let mut send = Memory::with(&send_type, &pattern(comm.rank, count));
    let displs: Vec<i64> = (0..slots).map(|slot| slot * count).collect();
    let counts = vec![count; displs.len()];
    for varying in [false, true] {
        let mut recv = Memory::new(&recv_type, slots * count);
        let from = send.data();
        if varying {
            let into = recv.blocks(&counts, &displs);
            run(comm, None, |c| neighbor_allgatherv(c, from, into));
        } else {
            let into = recv.data().part(0, count);
            run(comm, None, |c| neighbor_allgather(c, from, into));
        }
        let mut wanted = Memory::new(&recv_type, slots * count);
        for (slot, source) in expected.iter().enumerate() {
            if let Some((rank, _)) = source {
                wanted.write(slot as i64 * count, &pattern(*rank, count));
            }
        }
        recv.check(&wanted, &|| format!("allgather, varying {varying}, {types:?} {count}"));
    }
}

/// What goes from `slot` of `rank`.
fn message(rank: u32, slot: u32, count: i64) -> Vec<u8> {
    pattern(1000 + 64 * rank + slot, count)
}

fn check_alltoall(comm: &Rc<Comm>, expected: &Expected, out: u32, types: Types, count: i64) {
    let slots = expected.len() as i64;
    let (send_type, recv_type) = (types.of(comm.rank), types.of(comm.rank + 1));
    let all = joined(out, |slot| message(comm.rank, slot, count));
    let mut send = Memory::with(&send_type, &all);
    let places = |slots: i64| -> (Vec<i64>, Vec<i64>) {
        (vec![count; slots as usize], (0..slots).map(|slot| slot * count).collect())
    };
    let (out, into) = (places(out as i64), places(slots));
    for variant in 0..3 {
        let mut recv = Memory::new(&recv_type, slots * count);
        match variant {
            0 => {
                let (from, into) = (send.data().part(0, count), recv.data().part(0, count));
                run(comm, None, |c| neighbor_alltoall(c, from, into));
            }
            1 => {
                let (from, into) = (send.blocks(&out.0, &out.1), recv.blocks(&into.0, &into.1));
                run(comm, None, |c| neighbor_alltoallv(c, from, into));
            }
            _ => {
                let from = send.typed_blocks(&out.0, &out.1);
                let into = recv.typed_blocks(&into.0, &into.1);
                run(comm, None, |c| neighbor_alltoallw(c, from, into));
            }
        }
        let mut wanted = Memory::new(&recv_type, slots * count);
        for (slot, source) in expected.iter().enumerate() {
            if let Some((rank, theirs)) = source {
                wanted.write(slot as i64 * count, &message(*rank, *theirs, count));
            }
        }
        recv.check(&wanted, &|| format!("alltoall, variant {variant}, {types:?} {count}"));
    }
}

#[test]
fn grids_exchange_with_both_sides_of_every_dimension() {
    let grids: [(&[i32], &[bool]); 7] = [
        (&[1], &[true]),
        (&[2], &[true]),
        (&[3], &[false]),
        (&[1, 1], &[true, true]),
        (&[2, 2], &[true, true]),
        (&[2, 1, 2], &[true, true, false]),
        (&[3, 2], &[true, false]),
    ];
    for (dims, periods) in grids {
        on_ranks(dims.iter().product::<i32>() as u32, |rank| {
            let world = rank.world().unwrap();
            let comm = make(rank, &world, create::duplicate);
            let topology = Topology::Cart { dims: dims.to_vec(), periods: periods.to_vec() };
            *comm.topology.borrow_mut() = Some(topology);
            // From the neighbour before comes what it sends to the one behind it, and vice versa.
            let here = Topology::coordinates(dims, comm.rank as i32);
            let mut expected = Expected::new();
            for d in 0..dims.len() {
                for (side, step) in [(1, -1), (0, 1)] {
                    let mut there = here.clone();
                    there[d] += step;
                    let rank = Topology::rank_at(dims, periods, &there);
                    expected.push(rank.map(|rank| (rank as u32, 2 * d as u32 + side)));
                }
            }
            check_all(&comm, &expected, 2 * dims.len() as u32);
        });
    }
}

#[test]
fn graphs_exchange_along_their_edges() {
    // 0 - 1 - 2 - 0, and 3 on its own but for an edge to itself.
    let (index, edges) = (vec![2, 4, 6, 7], vec![1, 2, 2, 0, 0, 1, 3]);
    on_ranks(4, |rank| {
        let world = rank.world().unwrap();
        let comm = make(rank, &world, create::duplicate);
        let (index, edges) = (index.clone(), edges.clone());
        *comm.topology.borrow_mut() = Some(Topology::Graph { index, edges });
        let expected: [Expected; 4] = [
            vec![Some((1, 1)), Some((2, 0))],
            vec![Some((2, 1)), Some((0, 0))],
            vec![Some((0, 1)), Some((1, 0))],
            vec![Some((3, 0))],
        ];
        let slots = expected[comm.rank as usize].len() as u32;
        check_all(&comm, &expected[comm.rank as usize], slots);
    });
}

#[test]
fn several_edges_between_two_processes_keep_their_order() {
    on_ranks(2, |rank| {
        let world = rank.world().unwrap();
        let comm = make(rank, &world, create::duplicate);
        // Rank 0 sends thrice to 1 and once to itself, rank 1 once to 0.
        let (sources, destinations, expected): (_, _, Expected) = match comm.rank {
            0 => (vec![1, 0], vec![1, 0, 1, 1], vec![Some((1, 0)), Some((0, 1))]),
            _ => (vec![0, 0, 0], vec![0], vec![Some((0, 0)), Some((0, 2)), Some((0, 3))]),
        };
        let out = destinations.len() as u32;
        let topology = Topology::DistGraph { sources, destinations, weights: None };
        *comm.topology.borrow_mut() = Some(topology);
        check_all(&comm, &expected, out);
    });
}

#[test]
fn a_communicator_without_topology_is_refused() {
    on_ranks(1, |rank| {
        let world = rank.world().unwrap();
        let mut data = Memory::new(&super::memory::int(), 1);
        let (send, recv) = (data.data(), data.data());
        let result = try_run(&world, None, |c| neighbor_alltoall(c, send, recv));
        assert!(result.unwrap_err().to_string().contains("has no topology"));
    });
}
