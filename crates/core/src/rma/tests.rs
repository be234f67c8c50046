//! Windows of ranks that are threads of one process, over both transports: with `local` the ranks
//! reach each other's memory directly, with `shm` the kernel copies, and where the test denies
//! that, messages do.

use super::{create, Accumulate, Element, Flavor, LockKind, Memory, Win};
use crate::buffer::Data;
use crate::harness::on_ranks;
use crate::info::Info;
use crate::rank::Rank;
use starling_datatype::Basic;
use starling_op::Op;
use std::rc::Rc;

const RANKS: u32 = 3;
const WORDS: usize = 512;

/// A window of `WORDS` words per rank, of the caller's memory unless it is allocated.
fn window(rank: &'static Rank, flavor: Flavor, memory: &mut [u64]) -> Rc<Win> {
    let (base, size) = (memory.as_mut_ptr() as usize, size_of_val(memory) as i64);
    let mine = Memory { flavor, base, size, disp_unit: 8, apart: false };
    let world = rank.world().unwrap();
    rank.block_on(create(rank, world, mine, Info::default())).unwrap().unwrap()
}

fn words(rank: &Rank, memory: &mut [u64]) -> Data {
    let ty = rank.predefined_datatype(Basic::Uint64.abi_value()).unwrap().clone();
    Data { addr: memory.as_mut_ptr().cast(), count: memory.len() as i64, ty }
}

/// Puts, gets, accumulates and locks, with everybody's neighbour as target.
fn exercise(rank: &'static Rank, win: &Win) {
    let me = win.me();
    let next = (me + 1) % RANKS;
    let mut out: Vec<u64> = (0..WORDS as u64).map(|i| u64::from(me) << 32 | i).collect();
    let mut back = vec![0u64; WORDS];
    let (origin, into) = (words(rank, &mut out), words(rank, &mut back));
    let there = || win.target(next, 0, words(rank, &mut [0; WORDS])).unwrap();
    win.fence(rank, false).unwrap();
    win.enter(rank, next, false).unwrap();
    // SAFETY: the buffers outlive the calls; fences separate the accesses.
    unsafe {
        win.put(rank, next, &origin, &there()).unwrap();
        win.fence(rank, false).unwrap();
        win.get(rank, next, &into, &there()).unwrap();
    }
    win.fence(rank, true).unwrap();
    assert_eq!(back, out);
    let sum = Element::of(rank, Op::Sum, &origin.ty).unwrap();
    let mut ones = vec![1u64; WORDS];
    let ones = words(rank, &mut ones);
    win.lock_all(rank, false).unwrap();
    for target in 0..RANKS {
        win.enter(rank, target, true).unwrap();
        let there = win.target(target, 0, words(rank, &mut [0; WORDS])).unwrap();
        let (element, origin, result) = (&sum, Some(&ones), None);
        // SAFETY: accumulates may meet each other.
        unsafe {
            let what = Accumulate { element, origin, result, there: &there };
            win.accumulate(rank, target, &what).unwrap();
        }
    }
    win.unlock_all(rank).unwrap();
    win.fence(rank, true).unwrap();
    // SAFETY: nobody writes between the fences.
    unsafe { win.get(rank, next, &into, &there()).unwrap() };
    win.fence(rank, true).unwrap();
    let expected: Vec<u64> = out.iter().map(|v| v + u64::from(RANKS)).collect();
    assert_eq!(back, expected);
    add_under_lock(rank, win);
}

/// Everybody adds to a word of rank 0, by get and put under an exclusive lock.
fn add_under_lock(rank: &'static Rank, win: &Win) {
    const TIMES: u64 = 30;
    let mut value = [0u64];
    for _ in 0..TIMES {
        let data = words(rank, &mut value);
        win.lock(rank, 0, LockKind::Exclusive, false).unwrap();
        let there = win.target(0, 7, words(rank, &mut [0])).unwrap();
        // SAFETY: the lock keeps the others away; `value` is ours.
        unsafe {
            win.get(rank, 0, &data, &there).unwrap();
            value[0] += 1;
            win.put(rank, 0, &words(rank, &mut value), &there).unwrap();
        }
        win.unlock(rank, 0).unwrap();
    }
    win.fence(rank, true).unwrap();
    let data = words(rank, &mut value);
    let there = win.target(0, 7, words(rank, &mut [0])).unwrap();
    // SAFETY: nobody writes between the fences.
    unsafe { win.get(rank, 0, &data, &there).unwrap() };
    win.fence(rank, true).unwrap();
    let before = u64::from(RANKS - 1) << 32 | 7;
    assert_eq!(value[0], before + u64::from(RANKS) + TIMES * u64::from(RANKS));
}

#[test]
fn windows_work_in_all_memory_by_all_ways() {
    on_ranks(RANKS, |rank| {
        for flavor in [Flavor::Create, Flavor::Allocate, Flavor::Shared] {
            let mut memory = vec![0u64; WORDS];
            let win = window(rank, flavor, &mut memory);
            exercise(rank, &win);
            win.leave(rank).unwrap();
        }
    });
}

#[test]
fn messages_do_what_the_kernel_denies() {
    on_ranks(RANKS, |rank| {
        let mut memory = vec![0u64; WORDS];
        let win = window(rank, Flavor::Create, &mut memory);
        // Rank 1 may copy, the others may not.
        if win.me() != 1 {
            (0..RANKS).for_each(|other| win.deny(other));
        }
        exercise(rank, &win);
        win.leave(rank).unwrap();
    });
}

#[test]
fn ranges_and_epochs_are_checked() {
    on_ranks(2, |rank| {
        let mut memory = vec![0u64; WORDS];
        let win = window(rank, Flavor::Create, &mut memory);
        let two = || words(rank, &mut [0; 2]);
        assert!(win.enter(rank, 0, false).is_err());
        assert!(win.target(1, WORDS as i64 - 2, two()).is_ok());
        assert!(win.target(1, WORDS as i64 - 1, two()).is_err());
        assert!(win.target(1, i64::MAX, two()).is_err());
        assert!(win.unlock(rank, 0).is_err() && win.complete(rank).is_err());
        win.lock(rank, 1, LockKind::Shared, false).unwrap();
        assert!(win.enter(rank, 1, true).is_ok() && win.enter(rank, 0, true).is_err());
        assert!(win.require_idle().is_err());
        win.unlock(rank, 1).unwrap();
        win.leave(rank).unwrap();
    });
}
