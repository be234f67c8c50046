//! Collectives on intercommunicators (MPI 5.0, section 6.2.3).

use super::memory::{int, joined, pattern, Memory};
use super::reducing::{affine, Case};
use super::{make, run};
use crate::coll::{
    allgather, allgatherv, allreduce, alltoall, alltoallv, barrier, bcast, gather, gatherv, reduce,
    reduce_scatter, scatter, scatterv,
};
use crate::comm::{create, intercomm, Comm, Use};
use crate::harness::on_ranks;
use crate::rank::Rank;
use crate::status::{PROC_NULL, ROOT};
use std::rc::Rc;

/// Splits the world: every third rank on one side, the others on the other.
pub fn two_groups(rank: &'static Rank) -> Rc<Comm> {
    let world = rank.world().unwrap();
    let first = world.rank.is_multiple_of(3);
    let local = make(rank, &world, |c| create::split(c, first as i32, 0)).unwrap();
    let remote_leader = if first { 1 } else { 0 };
    let bridge = intercomm::Bridge::over(&world, Use::Creation, remote_leader, 9);
    let bridge = (local.rank == 0).then_some(bridge);
    make(rank, &local, |c| intercomm::create(c, 0, bridge))
}

/// One process on this side of an intercommunicator.
struct Side {
    comm: Rc<Comm>,
    me: u32,
    n: u32,
    remote: u32,
    first: bool,
}

fn for_all(body: impl Fn(&Side) + Sync) {
    for n in [2, 3, 5, 8] {
        on_ranks(n, |rank| {
            let comm = two_groups(rank);
            let (me, n, remote) = (comm.rank, comm.size(), comm.peers().size());
            let first = rank.node().me.is_multiple_of(3);
            body(&Side { comm, me, n, remote, first });
        });
    }
}

impl Side {
    /// Seeds that differ between the sides.
    fn seed(&self, rank: u32) -> u32 {
        rank + if self.first { 0 } else { 50 }
    }

    fn remote_seed(&self, rank: u32) -> u32 {
        rank + if self.first { 50 } else { 0 }
    }

    /// The blocks of the other side, one behind the other.
    fn blocks_of_remote(&self, count: i64) -> Vec<u8> {
        joined(self.remote, |r| pattern(self.remote_seed(r), count))
    }

    /// Runs `body` with the root argument of this process, for every root on either side.
    fn for_roots(&self, body: impl Fn(i32)) {
        for first in [false, true] {
            let on_root_side = first == self.first;
            for root in 0..if on_root_side { self.n } else { self.remote } {
                body(match on_root_side {
                    true if root == self.me => ROOT,
                    true => PROC_NULL,
                    false => root as i32,
                });
            }
        }
    }
}

const COUNTS: [i64; 3] = [0, 5, 6000];

#[test]
fn bcast_and_barrier_cross_over() {
    for_all(|side| {
        for count in COUNTS {
            side.for_roots(|root| {
                let mut data = match root {
                    ROOT => Memory::with(&int(), &pattern(side.seed(side.me), count)),
                    _ => Memory::new(&int(), count),
                };
                let argument = data.data();
                run(&side.comm, None, |c| bcast::bcast(c, argument, root));
                if root >= 0 {
                    let expected = pattern(side.remote_seed(root as u32), count);
                    data.check(&Memory::with(&int(), &expected), &|| format!("from {root}"));
                }
                run(&side.comm, None, barrier::barrier);
            });
        }
    });
}

#[test]
fn the_root_gathers_from_and_scatters_to_the_other_side() {
    for_all(|side| {
        for count in COUNTS {
            side.for_roots(|root| {
                let all = Memory::with(&int(), &side.blocks_of_remote(count));
                let displs: Vec<i64> = (0..side.remote as i64).map(|r| r * count).collect();
                let counts = vec![count; displs.len()];
                let (mut own, mut others) = (
                    Memory::with(&int(), &pattern(side.seed(side.me), count)),
                    Memory::new(&int(), count * side.remote as i64),
                );
                for varying in [false, true] {
                    let from = (root >= 0).then(|| own.data());
                    let at_root = root == ROOT;
                    if varying {
                        let into = at_root.then(|| others.blocks(&counts, &displs));
                        run(&side.comm, None, |c| gatherv::gatherv(c, from, into, root));
                    } else {
                        let into = at_root.then(|| others.block_of(side.remote));
                        run(&side.comm, None, |c| gather::gather(c, from, into, root));
                    }
                    if at_root {
                        others.check(&all, &|| "gathered".to_string());
                    }
                    // And back again.
                    let into = (root >= 0).then(|| own.data());
                    if varying {
                        let from = at_root.then(|| others.blocks(&counts, &displs));
                        run(&side.comm, None, |c| scatterv::scatterv(c, from, into, root));
                    } else {
                        let from = at_root.then(|| others.block_of(side.remote));
                        run(&side.comm, None, |c| scatter::scatter(c, from, into, root));
                    }
                    let mine = Memory::with(&int(), &pattern(side.seed(side.me), count));
                    own.check(&mine, &|| "scattered".to_string());
                }
            });
        }
    });
}

#[test]
fn allgather_gives_each_side_the_others_blocks() {
    for_all(|side| {
        for count in COUNTS {
            // One side may send more than the other.
            let (mine, theirs) = if side.first { (count, 2 * count) } else { (2 * count, count) };
            let expected = Memory::with(&int(), &side.blocks_of_remote(theirs));
            let mut send = Memory::with(&int(), &pattern(side.seed(side.me), mine));
            let mut recv = Memory::new(&int(), theirs * side.remote as i64);
            let (from, into) = (send.data(), recv.block_of(side.remote));
            run(&side.comm, None, |c| allgather::allgather(c, Some(from), into));
            recv.check(&expected, &|| format!("allgather of {count}"));
            let displs: Vec<i64> = (0..side.remote as i64).map(|r| r * theirs).collect();
            let counts = vec![theirs; displs.len()];
            let mut recv = Memory::new(&int(), theirs * side.remote as i64);
            let (from, into) = (send.data(), recv.blocks(&counts, &displs));
            run(&side.comm, None, |c| allgatherv::allgatherv(c, Some(from), into));
            recv.check(&expected, &|| format!("allgatherv of {count}"));
        }
    });
}

#[test]
fn alltoall_crosses_every_pair() {
    for_all(|side| {
        for count in COUNTS {
            let blocks = |seed: &dyn Fn(u32) -> u32| -> Vec<u8> {
                joined(side.remote, |r| pattern(seed(r), count))
            };
            let out = blocks(&|to| side.seed(side.me) * 100 + to);
            let expected = blocks(&|from| side.remote_seed(from) * 100 + side.me);
            let expected = Memory::with(&int(), &expected);
            let mut send = Memory::with(&int(), &out);
            let mut recv = Memory::new(&int(), count * side.remote as i64);
            let (from, into) = (send.block_of(side.remote), recv.block_of(side.remote));
            run(&side.comm, None, |c| alltoall::alltoall(c, Some(from), into));
            recv.check(&expected, &|| format!("alltoall of {count}"));
            let displs: Vec<i64> = (0..side.remote as i64).map(|r| r * count).collect();
            let counts = vec![count; displs.len()];
            for typed in [false, true] {
                let mut recv = Memory::new(&int(), count * side.remote as i64);
                if typed {
                    let from = send.typed_blocks(&counts, &displs);
                    let into = recv.typed_blocks(&counts, &displs);
                    run(&side.comm, None, |c| alltoallv::alltoallw(c, Some(from), into));
                } else {
                    let from = send.blocks(&counts, &displs);
                    let into = recv.blocks(&counts, &displs);
                    run(&side.comm, None, |c| alltoallv::alltoallv(c, Some(from), into));
                }
                recv.check(&expected, &|| format!("typed {typed}, {count}"));
            }
        }
    });
}

#[test]
fn reductions_give_the_result_of_the_other_side() {
    for_all(|side| {
        let case = affine();
        for count in COUNTS {
            let remote = side.remote_seed(0);
            let expected = case.combined(remote, remote + side.remote, count);
            let expected = Memory::with(&case.ty, &expected);
            let operand = (case.operand)(side.seed(side.me), count);
            let mut send = Memory::with(&case.ty, &operand);
            side.for_roots(|root| {
                let mut recv = Memory::new(&case.ty, count);
                let mut send = Memory::with(&case.ty, &operand);
                let from = (root >= 0).then(|| send.data());
                let (into, op) = ((root == ROOT).then(|| recv.data()), case.op.clone());
                run(&side.comm, None, |c| reduce::reduce(c, from, into, op, root));
                if root == ROOT {
                    recv.check(&expected, &|| format!("reduce of {count}"));
                }
            });
            let mut recv = Memory::new(&case.ty, count);
            let (from, into, op) = (Some(send.data()), recv.data(), case.op.clone());
            run(&side.comm, None, |c| allreduce::allreduce(c, from, into, op));
            recv.check(&expected, &|| format!("allreduce of {count}"));
        }
    });
}

#[test]
fn reduce_scatter_shares_out_the_result_of_the_other_side() {
    for_all(|side| {
        let case = affine();
        for each in [0, 1, 700] {
            // Both sides' blocks make up the same number of elements.
            let total = each * side.n as i64 * side.remote as i64;
            let own = each * side.remote as i64;
            check_shares(side, &case, &vec![own; side.n as usize], true);
            let mut uneven = vec![0; side.n as usize];
            uneven[0] = total - total / 3;
            uneven[side.n as usize - 1] += total / 3;
            check_shares(side, &case, &uneven, false);
        }
    });
}

fn check_shares(side: &Side, case: &Case, counts: &[i64], even: bool) {
    let total: i64 = counts.iter().sum();
    let own = counts[side.me as usize];
    let remote = side.remote_seed(0);
    let result = case.combined(remote, remote + side.remote, total);
    let start: i64 = counts[..side.me as usize].iter().sum();
    let size = case.ty.size();
    let block = &result[(start * size) as usize..((start + own) * size) as usize];
    let mut send = Memory::with(&case.ty, &(case.operand)(side.seed(side.me), total));
    let mut recv = Memory::new(&case.ty, own);
    let (from, into, op) = (Some(send.data()), recv.data(), case.op.clone());
    match even {
        true => run(&side.comm, None, |c| reduce_scatter::reduce_scatter_block(c, from, into, op)),
        false => run(&side.comm, None, |c| {
            reduce_scatter::reduce_scatter(c, from, into, counts.into(), op)
        }),
    }
    recv.check(&Memory::with(&case.ty, block), &|| format!("{counts:?}"));
}
