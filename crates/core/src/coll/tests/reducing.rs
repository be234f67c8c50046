//! Reductions, with an operation that commutes, one that does not, and one that rounds.

use super::memory::{int, pattern, Memory};
use super::{is_worth_it, names, roots, run, COUNTS, LONG, SIZES};
use crate::coll::reduction::{Apply, Reducer, Reduction};
use crate::coll::{allreduce, reduce, reduce_scatter, scan};
use crate::comm::Comm;
use crate::harness::on_ranks;
use starling_datatype::{Basic, Datatype};
use starling_op::Op;
use std::rc::Rc;

/// An operation, the type it runs on, operands, and how to combine packed ones.
pub struct Case {
    pub op: Reducer,
    pub ty: Rc<Datatype>,
    pub operand: fn(u32, i64) -> Vec<u8>,
    /// `right = left op right`
    combine: fn(&[u8], &mut [u8]),
    longest: i64,
}

/// Replaces each element of `right` by what `combine` makes of both.
fn each<const N: usize>(left: &[u8], right: &mut [u8], combine: fn([u8; N], [u8; N]) -> [u8; N]) {
    for (left, right) in left.chunks_exact(N).zip(right.chunks_exact_mut(N)) {
        let result = combine(left.try_into().unwrap(), (&*right).try_into().unwrap());
        right.copy_from_slice(&result);
    }
}

fn sum() -> Case {
    let op = Reduction { commutative: true, apply: Apply::Builtin(Op::Sum) };
    Case {
        op: Reducer { op: Rc::new(op), datatype_handle: 0 },
        ty: int(),
        operand: pattern,
        combine: |left, right| {
            each(left, right, |a, b| {
                i32::from_ne_bytes(a).wrapping_add(i32::from_ne_bytes(b)).to_ne_bytes()
            })
        },
        longest: LONG,
    }
}

/// The map x -> a * x + b.
#[derive(Clone, Copy)]
struct Affine(i64, i64);

impl Affine {
    /// First `after`, then `self`: does not commute.
    fn compose(self, after: Affine) -> Affine {
        let scaled = self.0.wrapping_mul(after.1);
        Affine(self.0.wrapping_mul(after.0), scaled.wrapping_add(self.1))
    }

    fn from_packed(bytes: [u8; 16]) -> Affine {
        let half = |at: usize| i64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        Affine(half(0), half(8))
    }

    fn packed(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.0.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.1.to_ne_bytes());
        bytes
    }
}

/// Where the two numbers of an [`Affine`] lie, and how far the next one is.
const AT: [i64; 2] = [-8, 16];
const STRIDE: usize = 40;

fn compose_all(input: *const u8, inout: *mut u8, count: i64, handle: u32) {
    assert_eq!(handle, 77);
    for i in 0..count as usize {
        let at = |k: usize| (i * STRIDE) as isize + AT[k] as isize;
        // SAFETY: the layout of the type below; the collectives pass that many elements.
        unsafe {
            let read = |base: *const u8, k| base.offset(at(k)).cast::<i64>().read_unaligned();
            let (left, right) =
                (Affine(read(input, 0), read(input, 1)), Affine(read(inout, 0), read(inout, 1)));
            let result = left.compose(right);
            inout.offset(at(0)).cast::<i64>().write_unaligned(result.0);
            inout.offset(at(1)).cast::<i64>().write_unaligned(result.1);
        }
    }
}

pub fn affine() -> Case {
    let pair = Datatype::hindexed(&[1, 1], &AT, &Datatype::basic(Basic::Int64)).unwrap();
    let apply = Apply::User(Box::new(compose_all));
    Case {
        op: Reducer { op: Rc::new(Reduction { commutative: false, apply }), datatype_handle: 77 },
        ty: Datatype::resized(-8, STRIDE as i64, &pair).unwrap(),
        operand: |seed, count| pattern(seed, 4 * count),
        combine: |left, right| {
            each(left, right, |a, b| {
                Affine::from_packed(a).compose(Affine::from_packed(b)).packed()
            })
        },
        longest: LONG / 4,
    }
}

impl Case {
    /// What ranks `from..to` contribute, combined in order.
    pub fn combined(&self, from: u32, to: u32, count: i64) -> Vec<u8> {
        let first = (self.operand)(from, count);
        (from + 1..to).fold(first, |left, rank| {
            let mut right = (self.operand)(rank, count);
            (self.combine)(&left, &mut right);
            right
        })
    }

    /// The part of packed elements that starts at `skip`.
    fn part(&self, packed: &[u8], skip: i64, count: i64) -> Vec<u8> {
        let size = self.ty.size();
        packed[(skip * size) as usize..((skip + count) * size) as usize].to_vec()
    }
}

fn for_all(body: impl Fn(&Rc<Comm>, &Case, i64) + Sync) {
    for n in SIZES {
        on_ranks(n, |rank| {
            let world = rank.world().unwrap();
            for case in [sum(), affine()] {
                for count in COUNTS.into_iter().filter(|count| is_worth_it(n, *count)) {
                    // Operands of about the same length in bytes.
                    body(&world, &case, count.min(case.longest));
                }
            }
        });
    }
}

#[test]
fn reduce_combines_in_rank_order_at_the_root() {
    for_all(|comm, case, count| {
        let (me, n) = (comm.rank, comm.size());
        let operand = (case.operand)(me, count);
        let expected = Memory::with(&case.ty, &case.combined(0, n, count));
        let unchanged = Memory::with(&case.ty, &operand);
        for name in names(reduce::ROWS) {
            for (root, in_place) in roots(n).into_iter().flat_map(|r| [(r, false), (r, true)]) {
                let mut send = Memory::with(&case.ty, &operand);
                let mut recv = match in_place {
                    true => Memory::with(&case.ty, &operand),
                    false => Memory::new(&case.ty, count),
                };
                let at_root = me == root;
                let from = (!at_root || !in_place).then(|| send.data());
                let (into, op) = (at_root.then(|| recv.data()), case.op.clone());
                run(comm, name, |c| reduce::reduce(c, from, into, op, root as i32));
                let what = || format!("{name:?} to {root} of {n}, {count}, {in_place}");
                if at_root {
                    recv.check(&expected, &what);
                }
                send.check(&unchanged, &what);
            }
        }
    });
}

#[test]
fn allreduce_combines_in_rank_order_everywhere() {
    for_all(|comm, case, count| {
        let (me, n) = (comm.rank, comm.size());
        let operand = (case.operand)(me, count);
        let expected = Memory::with(&case.ty, &case.combined(0, n, count));
        let unchanged = Memory::with(&case.ty, &operand);
        for name in names(allreduce::ROWS) {
            for in_place in [false, true] {
                let mut send = Memory::with(&case.ty, &operand);
                let mut recv = match in_place {
                    true => Memory::with(&case.ty, &operand),
                    false => Memory::new(&case.ty, count),
                };
                let from = (!in_place).then(|| send.data());
                let (into, op) = (recv.data(), case.op.clone());
                run(comm, name, |c| allreduce::allreduce(c, from, into, op));
                let what = || format!("{name:?} of {n}, {count}, {in_place}");
                recv.check(&expected, &what);
                send.check(&unchanged, &what);
            }
        }
    });
}

/// Elements of each process: all alike, or different with some empty.
fn shares(n: u32, count: i64, even: bool) -> Vec<i64> {
    let each = count / n as i64;
    (0..n).map(|r| if even { each } else { each * ((r * 2 + 1) % 4) as i64 }).collect()
}

#[test]
fn reduce_scatter_shares_out_the_result() {
    for_all(|comm, case, count| {
        let (me, n) = (comm.rank, comm.size());
        for (even, in_place) in [(false, false), (false, true), (true, false), (true, true)] {
            let counts = shares(n, count, even);
            let total: i64 = counts.iter().sum();
            let operand = (case.operand)(me, total);
            let start = counts[..me as usize].iter().sum();
            let own = counts[me as usize];
            let result = case.part(&case.combined(0, n, total), start, own);
            for name in names(reduce_scatter::ROWS) {
                let mut send = Memory::with(&case.ty, &operand);
                let mut recv = match in_place {
                    true => Memory::with(&case.ty, &operand),
                    false => Memory::new(&case.ty, own),
                };
                let from = (!in_place).then(|| send.data());
                let (into, op) = (recv.data().part(0, own), case.op.clone());
                match even {
                    true => {
                        run(comm, name, |c| reduce_scatter::reduce_scatter_block(c, from, into, op))
                    }
                    false => run(comm, name, |c| {
                        reduce_scatter::reduce_scatter(c, from, into, counts.clone().into(), op)
                    }),
                }
                // In place, what lies behind the result is undefined.
                let packed = recv.packed();
                let what = format!("{name:?} of {n}, {count}, even {even}, in place {in_place}");
                assert!(case.part(&packed, 0, own) == result, "{what}");
                if !in_place {
                    recv.check(&Memory::with(&case.ty, &result), &|| what.clone());
                    send.check(&Memory::with(&case.ty, &operand), &|| what.clone());
                }
            }
        }
    });
}

#[test]
fn scan_and_exscan_combine_what_comes_before() {
    for_all(|comm, case, count| {
        let (me, n) = (comm.rank, comm.size());
        let operand = (case.operand)(me, count);
        for name in names(scan::ROWS) {
            for (inclusive, in_place) in
                [(true, false), (true, true), (false, false), (false, true)]
            {
                let mut send = Memory::with(&case.ty, &operand);
                let mut recv = match in_place {
                    true => Memory::with(&case.ty, &operand),
                    false => Memory::new(&case.ty, count),
                };
                let expected = match (inclusive, me, in_place) {
                    (true, ..) => Memory::with(&case.ty, &case.combined(0, me + 1, count)),
                    (false, 0, true) => Memory::with(&case.ty, &operand),
                    (false, 0, false) => Memory::new(&case.ty, count),
                    (false, ..) => Memory::with(&case.ty, &case.combined(0, me, count)),
                };
                let from = (!in_place).then(|| send.data());
                let (into, op) = (recv.data(), case.op.clone());
                match inclusive {
                    true => run(comm, name, |c| scan::scan(c, from, into, op)),
                    false => run(comm, name, |c| scan::exscan(c, from, into, op)),
                }
                let what = || format!("{name:?} of {n}, {count}, {inclusive}, {in_place}");
                recv.check(&expected, &what);
                send.check(&Memory::with(&case.ty, &operand), &what);
            }
        }
    });
}

#[test]
fn everybody_gets_the_same_bits_every_time() {
    for n in SIZES {
        on_ranks(n, |rank| {
            let world = rank.world().unwrap();
            let ty = Datatype::basic(Basic::Float);
            for (op, count) in [(Op::Sum, 5), (Op::Sum, 5000), (Op::Max, 5), (Op::Max, 5000)] {
                let mut operand = pattern(world.rank, count);
                for word in operand.chunks_exact_mut(4) {
                    // Some of each: zeros of both signs, and numbers whose sums round.
                    let number = match u32::from_ne_bytes((&*word).try_into().unwrap()) {
                        w if w % 3 == 0 => 0.0f32,
                        w if w % 3 == 1 => -0.0,
                        w => w as f32 / 3e7,
                    };
                    word.copy_from_slice(&number.to_ne_bytes());
                }
                for name in names(allreduce::ROWS) {
                    let mut results = Vec::new();
                    for _ in 0..2 {
                        let mut send = Memory::with(&ty, &operand);
                        let mut recv = Memory::new(&ty, count);
                        let apply = Apply::Builtin(op);
                        let op = Rc::new(Reduction { commutative: true, apply });
                        let op = Reducer { op, datatype_handle: 0 };
                        let (from, into) = (Some(send.data()), recv.data());
                        run(&world, name, |c| allreduce::allreduce(c, from, into, op));
                        results.push(recv.packed());
                    }
                    assert!(results[0] == results[1], "{name:?} differs from run to run");
                    let mut of_root = Memory::with(&ty, &results[0]);
                    let argument = of_root.data();
                    run(&world, None, |c| crate::coll::bcast::bcast(c, argument, 0));
                    assert!(of_root.packed() == results[0], "{name:?} differs between ranks");
                }
            }
        });
    }
}
