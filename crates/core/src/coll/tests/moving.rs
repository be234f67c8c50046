//! Operations that move blocks of equal size.

use super::memory::{joined, pattern, Memory, Types};
use super::{is_worth_it, names, roots, run, COUNTS, SIZES};
use crate::coll::{allgather, alltoall, bcast, gather, scatter};
use crate::comm::Comm;
use crate::harness::on_ranks;
use std::rc::Rc;

/// Runs `body` for every number of processes, list of types and length.
fn for_all(body: impl Fn(&Rc<Comm>, Types, i64) + Sync) {
    for n in SIZES {
        on_ranks(n, |rank| {
            let world = rank.world().unwrap();
            for types in Types::ALL {
                for count in COUNTS.into_iter().filter(|count| is_worth_it(n, *count)) {
                    body(&world, types, count);
                }
            }
        });
    }
}

/// Blocks of ranks 0..n, one behind the other.
fn all(n: u32, seed: impl Fn(u32) -> u32, count: i64) -> Vec<u8> {
    joined(n, |rank| pattern(seed(rank), count))
}

#[test]
fn bcast_gives_everybody_the_roots_data() {
    for_all(|comm, types, count| {
        let ty = types.of(comm.rank);
        for name in names(bcast::ROWS) {
            for root in roots(comm.size()) {
                let expected = Memory::with(&ty, &pattern(root, count));
                let mut data = match comm.rank == root {
                    true => Memory::with(&ty, &pattern(root, count)),
                    false => Memory::new(&ty, count),
                };
                let argument = data.data();
                run(comm, name, |c| bcast::bcast(c, argument, root as i32));
                data.check(&expected, &|| format!("{name:?} from {root}, {types:?} {count}"));
            }
        }
    });
}

#[test]
fn gather_collects_in_rank_order() {
    for_all(|comm, types, count| {
        let (me, n) = (comm.rank, comm.size());
        let (send_type, recv_type) = (types.of(me), types.of(me + 1));
        for name in names(gather::ROWS) {
            for (root, in_place) in roots(n).into_iter().flat_map(|r| [(r, false), (r, true)]) {
                let mut send = Memory::with(&send_type, &pattern(me, count));
                let mut recv = Memory::new(&recv_type, count * n as i64);
                if in_place {
                    recv.write(count * root as i64, &pattern(root, count));
                }
                let at_root = me == root;
                let from = (!at_root || !in_place).then(|| send.data());
                let into = at_root.then(|| recv.block_of(n));
                run(comm, name, |c| gather::gather(c, from, into, root as i32));
                if at_root {
                    let expected = Memory::with(&recv_type, &all(n, |r| r, count));
                    recv.check(&expected, &|| format!("{name:?} to {root}, {types:?} {count}"));
                }
            }
        }
    });
}

#[test]
fn scatter_shares_out_in_rank_order() {
    for_all(|comm, types, count| {
        let (me, n) = (comm.rank, comm.size());
        let (send_type, recv_type) = (types.of(me), types.of(me + 1));
        for name in names(scatter::ROWS) {
            for (root, in_place) in roots(n).into_iter().flat_map(|r| [(r, false), (r, true)]) {
                let mut send = Memory::with(&send_type, &all(n, |r| r, count));
                let mut recv = Memory::new(&recv_type, count);
                let at_root = me == root;
                let from = at_root.then(|| send.block_of(n));
                let into = (!at_root || !in_place).then(|| recv.data());
                run(comm, name, |c| scatter::scatter(c, from, into, root as i32));
                let expected = match at_root && in_place {
                    true => Memory::new(&recv_type, count),
                    false => Memory::with(&recv_type, &pattern(me, count)),
                };
                recv.check(&expected, &|| format!("{name:?} from {root}, {types:?} {count}"));
                let unchanged = Memory::with(&send_type, &all(n, |r| r, count));
                send.check(&unchanged, &|| format!("sendbuf of {name:?} from {root}"));
            }
        }
    });
}

#[test]
fn allgather_collects_everywhere() {
    for_all(|comm, types, count| {
        let (me, n) = (comm.rank, comm.size());
        let (send_type, recv_type) = (types.of(me), types.of(me + 1));
        for name in names(allgather::ROWS) {
            for in_place in [false, true] {
                let mut send = Memory::with(&send_type, &pattern(me, count));
                let mut recv = Memory::new(&recv_type, count * n as i64);
                if in_place {
                    recv.write(count * me as i64, &pattern(me, count));
                }
                let (from, into) = ((!in_place).then(|| send.data()), recv.block_of(n));
                run(comm, name, |c| allgather::allgather(c, from, into));
                let expected = Memory::with(&recv_type, &all(n, |r| r, count));
                recv.check(&expected, &|| format!("{name:?} {types:?} {count} {in_place}"));
            }
        }
    });
}

#[test]
fn alltoall_transposes() {
    for_all(|comm, types, count| {
        let (me, n) = (comm.rank, comm.size());
        let (send_type, recv_type) = (types.of(me), types.of(me + 1));
        let out = all(n, |to| me * 100 + to, count);
        for name in names(alltoall::ROWS) {
            for in_place in [false, true] {
                let mut send = Memory::with(&send_type, &out);
                let mut recv = Memory::new(&recv_type, count * n as i64);
                if in_place {
                    recv.write(0, &out);
                }
                let (from, into) = ((!in_place).then(|| send.block_of(n)), recv.block_of(n));
                run(comm, name, |c| alltoall::alltoall(c, from, into));
                let expected = Memory::with(&recv_type, &all(n, |from| from * 100 + me, count));
                recv.check(&expected, &|| format!("{name:?} {types:?} {count} {in_place}"));
            }
        }
    });
}

#[test]
fn processes_that_disagree_on_the_amount_get_an_error() {
    on_ranks(2, |rank| {
        let world = rank.world().unwrap();
        let mut data = Memory::new(&super::memory::int(), 10 - 2 * world.rank as i64);
        let argument = data.data();
        let result = super::try_run(&world, None, |c| bcast::bcast(c, argument, 0));
        assert_eq!(result.is_err(), world.rank == 1);
        let send = data.data();
        let recv = data.data().part(0, 3);
        let result = super::try_run(&world, None, |c| allgather::allgather(c, Some(send), recv));
        assert!(result.unwrap_err().to_string().contains("do not agree"));
    });
}
