//! Non-blocking collectives: several on their way at once, next to blocking ones.

use super::memory::{int, joined, pattern, Memory};
use super::reducing::affine;
use super::{run, SIZES};
use crate::coll::{allgather, allreduce, alltoall, barrier, bcast, scan, Coll, Operation};
use crate::comm::Comm;
use crate::error::Result;
use crate::harness::on_ranks;
use std::future::Future;
use std::rc::Rc;

fn start<F: Future<Output = Result<()>> + 'static>(
    comm: &Rc<Comm>,
    call: impl FnOnce(Coll) -> F,
) -> Rc<Operation> {
    let rank = crate::rank::current().unwrap();
    // SAFETY: the tests keep the buffers until they have waited for the operation.
    Operation::start(rank, call(unsafe { Coll::new(rank, comm) }))
}

fn wait(operation: &Rc<Operation>) {
    let rank = crate::rank::current().unwrap();
    rank.wait_until(None, || operation.is_done()).unwrap();
    operation.result().unwrap();
}

#[test]
fn many_are_on_their_way_at_once() {
    for n in SIZES {
        on_ranks(n, |rank| {
            let world = rank.world().unwrap();
            let me = world.rank;
            for count in [1i64, 300, 20_000] {
                let mut bcasts: Vec<Memory> = (0..n)
                    .map(|root| match root == me {
                        true => Memory::with(&int(), &pattern(root, count)),
                        false => Memory::new(&int(), count),
                    })
                    .collect();
                let mut sends = Memory::with(&int(), &pattern(me, count));
                let mut gathered = Memory::new(&int(), count * n as i64);
                let blocks = joined(n, |to| pattern(me * 10 + to, count));
                let mut exchanged = Memory::with(&int(), &blocks);

                let mut operations = Vec::new();
                for (root, data) in bcasts.iter_mut().enumerate() {
                    let data = data.data();
                    operations.push(start(&world, |c| bcast::bcast(c, data, root as i32)));
                }
                let (from, into) = (sends.data(), gathered.block_of(n));
                operations.push(start(&world, |c| allgather::allgather(c, Some(from), into)));
                operations.push(start(&world, barrier::barrier));
                let into = exchanged.block_of(n);
                operations.push(start(&world, |c| alltoall::alltoall(c, None, into)));
                // A blocking one in the middle, on the same communicator.
                let mut blocking = Memory::with(&int(), &pattern(me, count));
                let argument = blocking.data();
                run(&world, None, |c| bcast::bcast(c, argument, 0));
                // Wait in an order of one's own.
                let shift = me as usize % operations.len();
                operations.rotate_left(shift);
                operations.iter().rev().for_each(wait);

                let check = |memory: &Memory, packed: Vec<u8>, what: &str| {
                    let what = || format!("{what} of {count} among {n}");
                    memory.check(&Memory::with(&int(), &packed), &what);
                };
                for (root, data) in bcasts.iter().enumerate() {
                    check(data, pattern(root as u32, count), "bcast");
                }
                let all = joined(n, |r| pattern(r, count));
                check(&gathered, all, "allgather");
                let all = joined(n, |from| pattern(from * 10 + me, count));
                check(&exchanged, all, "alltoall");
                check(&blocking, pattern(0, count), "blocking bcast");
            }
        });
    }
}

#[test]
fn reductions_of_users_overlap() {
    on_ranks(5, |rank| {
        let world = rank.world().unwrap();
        let (me, n, count) = (world.rank, world.size(), 3000);
        let case = affine();
        let mut memories: Vec<(Memory, Memory)> = (0..6)
            .map(|i| {
                let operand = (case.operand)(i * n + me, count);
                (Memory::with(&case.ty, &operand), Memory::new(&case.ty, count))
            })
            .collect();
        let operations: Vec<Rc<Operation>> = (0..)
            .zip(&mut memories)
            .map(|(i, (send, recv))| {
                let (send, recv, op) = (Some(send.data()), recv.data(), case.op.clone());
                match i % 2 {
                    0 => start(&world, |c| allreduce::allreduce(c, send, recv, op)),
                    _ => start(&world, |c| scan::scan(c, send, recv, op)),
                }
            })
            .collect();
        operations.iter().for_each(wait);
        for (i, (_, recv)) in (0..).zip(&memories) {
            let end = if i % 2 == 0 { n } else { me + 1 };
            let expected = case.combined(i * n, i * n + end, count);
            recv.check(&Memory::with(&case.ty, &expected), &|| format!("number {i}"));
        }
    });
}

#[test]
fn a_barrier_waits_for_everybody() {
    on_ranks(4, |rank| {
        let world = rank.world().unwrap();
        let late = world.rank == 3;
        if late {
            // The others can not be through before this one has sent the message below.
            let mut token = [0u8];
            let from = crate::buffer::Buffer::contiguous(token.as_mut_ptr(), 1);
            // SAFETY: `token` lives until the receive is complete, right below.
            let id = unsafe { rank.receive(&world.queue, 0, 1, &from) }.unwrap();
            rank.finish(id, None).unwrap();
        }
        let operation = start(&world, barrier::barrier);
        if world.rank == 0 {
            for _ in 0..100 {
                rank.poll().unwrap();
            }
            assert!(!operation.is_done());
            let token = crate::buffer::Buffer::contiguous([7u8].as_mut_ptr(), 1);
            let to = world.destination(3, 1);
            // SAFETY: a byte goes at once and the array outlives the statement's call.
            unsafe { rank.send(to, &token, crate::p2p::Mode::Standard) }.unwrap();
        }
        wait(&operation);
    });
}
