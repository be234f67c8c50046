//! Operations that move blocks of different sizes.

use super::memory::{pattern, Memory, Types};
use super::{names, roots, run, SIZES};
use crate::coll::{allgatherv, alltoallv, gatherv, scatterv};
use crate::comm::Comm;
use crate::harness::on_ranks;
use std::rc::Rc;

/// Blocks that differ in size, some of them empty, in reverse order and with gaps between them.
struct Plan {
    counts: Vec<i64>,
    displs: Vec<i64>,
    total: i64,
}

impl Plan {
    fn new(n: u32, count: impl Fn(u32) -> i64) -> Plan {
        let counts: Vec<i64> = (0..n).map(count).collect();
        let mut displs = vec![0; n as usize];
        let mut total = 2;
        for i in (0..n as usize).rev() {
            displs[i] = total;
            total += counts[i] + 3;
        }
        Plan { counts, displs, total }
    }

    /// The memory with the blocks `which`, filled by `seed`.
    fn memory(
        &self,
        types: Types,
        number: u32,
        which: &[u32],
        seed: impl Fn(u32) -> u32,
    ) -> Memory {
        let mut memory = Memory::new(&types.of(number), self.total);
        for &i in which {
            memory.write(self.displs[i as usize], &pattern(seed(i), self.counts[i as usize]));
        }
        memory
    }
}

const SCALES: [i64; 3] = [1, 100, 9000];

fn size_of(rank: u32, scale: i64) -> i64 {
    ((rank * 3 + 2) % 5) as i64 * scale
}

fn for_all(body: impl Fn(&Rc<Comm>, Types, i64) + Sync) {
    for n in SIZES {
        on_ranks(n, |rank| {
            let world = rank.world().unwrap();
            for types in Types::ALL {
                for scale in SCALES {
                    body(&world, types, scale);
                }
            }
        });
    }
}

fn everyone(comm: &Comm) -> Vec<u32> {
    (0..comm.size()).collect()
}

#[test]
fn gatherv_puts_blocks_where_the_root_says() {
    for_all(|comm, types, scale| {
        let (me, n) = (comm.rank, comm.size());
        let plan = Plan::new(n, |r| size_of(r, scale));
        for (root, in_place) in roots(n).into_iter().flat_map(|r| [(r, false), (r, true)]) {
            let mut send = Memory::with(&types.of(me), &pattern(me, size_of(me, scale)));
            let there = if in_place { vec![root] } else { vec![] };
            let mut recv = plan.memory(types, me + 1, &there, |r| r);
            let at_root = me == root;
            let from = (!at_root || !in_place).then(|| send.data());
            let into = at_root.then(|| recv.blocks(&plan.counts, &plan.displs));
            run(comm, None, |c| gatherv::gatherv(c, from, into, root as i32));
            if at_root {
                let expected = plan.memory(types, me + 1, &everyone(comm), |r| r);
                recv.check(&expected, &|| format!("to {root}, {types:?} {scale}"));
            }
        }
    });
}

#[test]
fn scatterv_takes_blocks_from_where_the_root_says() {
    for_all(|comm, types, scale| {
        let (me, n) = (comm.rank, comm.size());
        let plan = Plan::new(n, |r| size_of(r, scale));
        for (root, in_place) in roots(n).into_iter().flat_map(|r| [(r, false), (r, true)]) {
            let mut send = plan.memory(types, me, &everyone(comm), |r| r);
            let mut recv = Memory::new(&types.of(me + 1), size_of(me, scale));
            let at_root = me == root;
            let from = at_root.then(|| send.blocks(&plan.counts, &plan.displs));
            let into = (!at_root || !in_place).then(|| recv.data());
            run(comm, None, |c| scatterv::scatterv(c, from, into, root as i32));
            if !at_root || !in_place {
                let ty = types.of(me + 1);
                let expected = Memory::with(&ty, &pattern(me, size_of(me, scale)));
                recv.check(&expected, &|| format!("from {root}, {types:?} {scale}"));
            }
        }
    });
}

#[test]
fn allgatherv_collects_everywhere() {
    for_all(|comm, types, scale| {
        let (me, n) = (comm.rank, comm.size());
        let plan = Plan::new(n, |r| size_of(r, scale));
        for name in names(allgatherv::ROWS) {
            for in_place in [false, true] {
                let mut send = Memory::with(&types.of(me), &pattern(me, size_of(me, scale)));
                let there = if in_place { vec![me] } else { vec![] };
                let mut recv = plan.memory(types, me + 1, &there, |r| r);
                let from = (!in_place).then(|| send.data());
                let into = recv.blocks(&plan.counts, &plan.displs);
                run(comm, name, |c| allgatherv::allgatherv(c, from, into));
                let expected = plan.memory(types, me + 1, &everyone(comm), |r| r);
                recv.check(&expected, &|| format!("{name:?} {types:?} {scale} {in_place}"));
            }
        }
    });
}

#[test]
fn alltoallv_and_alltoallw_exchange_every_pair() {
    for_all(|comm, types, scale| {
        let (me, n) = (comm.rank, comm.size());
        let size = |from: u32, to: u32| ((from * 2 + to * 3) % 5) as i64 * scale;
        let out = Plan::new(n, |to| size(me, to));
        let into = Plan::new(n, |from| size(from, me));
        let all = everyone(comm);
        let expected = into.memory(types, me + 1, &all, |from| from * 100 + me);
        for typed in [false, true] {
            let mut send = out.memory(types, me, &all, |to| me * 100 + to);
            let mut recv = into.memory(types, me + 1, &[], |_| 0);
            if typed {
                let send = send.typed_blocks(&out.counts, &out.displs);
                let recv = recv.typed_blocks(&into.counts, &into.displs);
                run(comm, None, |c| alltoallv::alltoallw(c, Some(send), recv));
            } else {
                let send = send.blocks(&out.counts, &out.displs);
                let recv = recv.blocks(&into.counts, &into.displs);
                run(comm, None, |c| alltoallv::alltoallv(c, Some(send), recv));
            }
            recv.check(&expected, &|| format!("typed {typed}, {types:?} {scale}"));
        }
    });
}

#[test]
fn alltoallv_and_alltoallw_work_in_place() {
    for_all(|comm, types, scale| {
        let (me, n) = (comm.rank, comm.size());
        let plan = Plan::new(n, |peer| ((me + peer) % 4) as i64 * scale);
        let all = everyone(comm);
        let expected = plan.memory(types, me, &all, |from| from * 100 + me);
        for typed in [false, true] {
            let mut recv = plan.memory(types, me, &all, |to| me * 100 + to);
            if typed {
                let blocks = recv.typed_blocks(&plan.counts, &plan.displs);
                run(comm, None, |c| alltoallv::alltoallw(c, None, blocks));
            } else {
                let blocks = recv.blocks(&plan.counts, &plan.displs);
                run(comm, None, |c| alltoallv::alltoallv(c, None, blocks));
            }
            recv.check(&expected, &|| format!("typed {typed}, {types:?} {scale}"));
        }
    });
}
