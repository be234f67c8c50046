//! The memory of a window that all its processes map: what they synchronise with, and the windows'
//! own memory where MPI allocates it. Made by `create.rs`, used by `epoch.rs` and `accumulate.rs`.
//!
//! ```text
//! per rank, a multiple of 128 bytes (`Layout::stride`):
//!    0  next       u32  ticket that the next process gets that locks this rank
//!    4  readers    u32  ticket that may lock shared
//!    8  writers    u32  ticket that may lock exclusively
//!   12  completes  u32  processes that have completed their access to this rank's exposure
//!   64  mutex      u32  0 free, 1 taken, 2 taken and somebody sleeps: accumulates to this rank
//!   68  version    u32  of the regions; odd while they change
//!   72  regions    u32  how many there are; more than fit means that nobody knows
//!   76  bulk       u32  1 while somebody accumulates much to this rank (`bulk.rs`)
//!  128  active     u32  rank to which this one accumulates just now, plus 1
//!  192  region     2 x u64 each: address and length of memory attached to a dynamic window
//!       waiters    u32 each: who waits with a ticket, by ticket modulo their number (rank + 1)
//!       posts      u32 per rank: exposures that it has posted to this rank
//! memory            page-aligned: what `MPI_Win_allocate` and its like give out
//! ```
//! A lock is a pair of counters (the ticket lock for readers and writers of Mellor-Crummey and
//! Scott, 1991): strictly first come, first served. A reader passes `readers` on as soon as it has
//! the lock and `writers` when it releases it; a writer passes both on when it releases. A process
//! waits with one ticket per rank at most, so `waiters` has a place for each.

use starling_sys::futex;
use starling_sys::memory::Mapping;
use std::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

const PAGE: usize = 4096;
/// Regions of a dynamic window that are listed for checks; with more there are no checks.
pub(super) const REGIONS_MAX: usize = 64;
/// Longest sleep on a mutex; a safety net, not needed for waking.
const SLEEP_MAX: Duration = Duration::from_secs(1);
/// Polls of a mutex before sleeping.
const MUTEX_SPINS: u32 = 200;

#[repr(C, align(64))]
struct LockLine {
    next: AtomicU32,
    readers: AtomicU32,
    writers: AtomicU32,
    completes: AtomicU32,
}

#[repr(C, align(64))]
struct DataLine {
    mutex: AtomicU32,
    version: AtomicU32,
    regions: AtomicU32,
    bulk: AtomicU32,
}

#[repr(C, align(64))]
struct ActiveLine {
    active: AtomicU32,
}

#[repr(C)]
struct Block {
    lock: LockLine,
    data: DataLine,
    own: ActiveLine,
}

const _: () = assert!(size_of::<Block>() == 192);
const _: () = assert!(std::mem::offset_of!(Block, data) == 64);
const _: () = assert!(std::mem::offset_of!(Block, own) == 128);

/// Offsets of the parts.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    ranks: usize,
    slots: usize,
    waiters: usize,
    posts: usize,
    stride: usize,
    /// Where the windows' own memory begins.
    pub memory: usize,
}

impl Layout {
    /// For a window of `ranks` processes.
    pub fn new(ranks: u32) -> Layout {
        let ranks = ranks as usize;
        let slots = ranks.next_power_of_two();
        let waiters = size_of::<Block>() + 16 * REGIONS_MAX;
        let posts = waiters + 4 * slots;
        let stride = (posts + 4 * ranks).next_multiple_of(128);
        let memory = (ranks * stride).next_multiple_of(PAGE);
        Layout { ranks, slots, waiters, posts, stride, memory }
    }
}

/// The shared memory of one window, mapped.
pub(super) struct Control {
    mapping: Mapping,
    layout: Layout,
}

/// Holds the mutex of a rank until dropped.
pub(super) struct Guard<'a>(&'a AtomicU32);

impl Control {
    /// `mapping` is at least as long as the layout says.
    pub fn new(mapping: Mapping, layout: Layout) -> Control {
        assert!(mapping.len() >= layout.memory);
        Control { mapping, layout }
    }

    /// Address of the byte at `offset` of the windows' own memory.
    pub fn memory(&self, offset: usize) -> *mut u8 {
        self.mapping.base().wrapping_add(self.layout.memory + offset)
    }

    fn block(&self, rank: u32) -> &Block {
        assert!((rank as usize) < self.layout.ranks);
        let offset = rank as usize * self.layout.stride;
        // SAFETY: inside the mapping by the layout, 128-byte aligned; all fields are atomics.
        unsafe { &*self.mapping.base().add(offset).cast::<Block>() }
    }

    fn word(&self, rank: u32, offset: usize) -> &AtomicU32 {
        let block: *const Block = self.block(rank);
        debug_assert!(offset + 4 <= self.layout.stride);
        // SAFETY: inside the rank's part by the layout; aligned; atomic.
        unsafe { &*block.cast::<u8>().add(offset).cast::<AtomicU32>() }
    }

    fn region(&self, rank: u32, index: usize, half: usize) -> &AtomicU64 {
        let block: *const Block = self.block(rank);
        debug_assert!(index < REGIONS_MAX);
        // SAFETY: the regions follow the block; aligned; atomic.
        unsafe { &*block.add(1).cast::<AtomicU64>().add(2 * index + half) }
    }

    fn waiter(&self, rank: u32, ticket: u32) -> &AtomicU32 {
        let slot = ticket as usize & (self.layout.slots - 1);
        self.word(rank, self.layout.waiters + 4 * slot)
    }

    /// Exposures that rank `target` has posted to rank `origin` and `origin` has not used yet.
    pub fn posts(&self, origin: u32, target: u32) -> &AtomicU32 {
        self.word(origin, self.layout.posts + 4 * target as usize)
    }

    /// Processes that have completed their access to the exposure of `rank`.
    pub fn completes(&self, rank: u32) -> &AtomicU32 {
        &self.block(rank).lock.completes
    }

    /// Takes a ticket for the lock of `target`.
    pub fn take_ticket(&self, target: u32) -> u32 {
        self.block(target).lock.next.fetch_add(1, Ordering::SeqCst)
    }

    /// Whether the lock of `target` is the ticket's.
    #[inline]
    pub fn may_enter(&self, target: u32, ticket: u32, exclusive: bool) -> bool {
        let lock = &self.block(target).lock;
        let word = if exclusive { &lock.writers } else { &lock.readers };
        word.load(Ordering::Acquire) == ticket // pairs with the changes in `entered` and `release`
    }

    /// Says that rank `me` is going to sleep until its ticket's turn. It has to look once more.
    pub fn announce_waiter(&self, target: u32, ticket: u32, me: u32) {
        self.waiter(target, ticket).store(me + 1, Ordering::SeqCst);
        fence(Ordering::SeqCst); // pairs with the one in `waiting_with`
    }

    /// The rank that waits with `ticket`, if it has said so.
    fn waiting_with(&self, target: u32, ticket: u32) -> Option<u32> {
        fence(Ordering::SeqCst); // the counters were changed before; pairs with `announce_waiter`
        if self.block(target).lock.next.load(Ordering::SeqCst) == ticket {
            return None; // nobody has it yet
        }
        let waiter = self.waiter(target, ticket).load(Ordering::SeqCst).checked_sub(1)?;
        ((waiter as usize) < self.layout.ranks).then_some(waiter)
    }

    /// A process with a shared lock lets the next reader in; returns who may have to be woken.
    pub fn entered(&self, target: u32, ticket: u32) -> Option<u32> {
        let next = ticket.wrapping_add(1);
        self.block(target).lock.readers.store(next, Ordering::SeqCst);
        self.waiting_with(target, next)
    }

    /// Releases the lock; returns who may have to be woken.
    pub fn release(&self, target: u32, ticket: u32, exclusive: bool) -> Option<u32> {
        let lock = &self.block(target).lock;
        if exclusive {
            lock.readers.store(ticket.wrapping_add(1), Ordering::SeqCst);
        }
        let next = lock.writers.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        self.waiting_with(target, next)
    }

    /// Makes the accumulates of others to `target` wait. The holder must not wait for messages.
    pub fn accumulate_mutex(&self, target: u32) -> Guard<'_> {
        let mutex = &self.block(target).data.mutex;
        for _ in 0..MUTEX_SPINS {
            // Acquire pairs with the Release in `Guard::drop`.
            if mutex.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Guard(mutex);
            }
            std::hint::spin_loop();
        }
        while mutex.swap(2, Ordering::Acquire) != 0 {
            futex::wait(mutex, 2, Some(SLEEP_MAX));
        }
        Guard(mutex)
    }

    /// Whether somebody accumulates much to `target`.
    pub fn bulk(&self, target: u32) -> &AtomicU32 {
        &self.block(target).data.bulk
    }

    /// The rank to which `rank` accumulates just now, plus 1.
    pub fn active(&self, rank: u32) -> &AtomicU32 {
        &self.block(rank).own.active
    }

    /// Publishes the memory that rank `me`, the caller, has attached.
    pub fn publish_regions(&self, me: u32, regions: &[(u64, u64)]) {
        let data = &self.block(me).data;
        data.version.fetch_add(1, Ordering::AcqRel);
        fence(Ordering::SeqCst); // pairs with the one in `attached`
        for (index, (start, len)) in regions.iter().take(REGIONS_MAX).enumerate() {
            self.region(me, index, 0).store(*start, Ordering::Relaxed);
            self.region(me, index, 1).store(*len, Ordering::Relaxed);
        }
        data.regions.store(regions.len() as u32, Ordering::Relaxed);
        data.version.fetch_add(1, Ordering::Release); // pairs with the Acquire in `attached`
    }

    /// Whether `rank` has attached all of `[start, end)`, as far as that is known.
    pub fn attached(&self, rank: u32, start: u64, end: u64) -> bool {
        let data = &self.block(rank).data;
        loop {
            let version = data.version.load(Ordering::Acquire);
            let count = data.regions.load(Ordering::Relaxed) as usize;
            let found = count > REGIONS_MAX || {
                let regions = (0..count).map(|index| {
                    let [start, len] =
                        [0, 1].map(|half| self.region(rank, index, half).load(Ordering::Relaxed));
                    (start, len)
                });
                covered(&mut regions.collect::<Vec<_>>(), start, end)
            };
            fence(Ordering::SeqCst);
            if version.is_multiple_of(2) && data.version.load(Ordering::Relaxed) == version {
                return found;
            }
            std::thread::yield_now(); // its owner is just changing it
        }
    }
}

/// Whether the regions cover `[start, end)` together; neighbours count as one.
pub(super) fn covered(regions: &mut [(u64, u64)], start: u64, end: u64) -> bool {
    regions.sort_unstable();
    let mut reached = start;
    for (first, len) in regions.iter() {
        if *first <= reached && reached < first.saturating_add(*len) {
            reached = first.saturating_add(*len);
        }
    }
    reached >= end
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if self.0.swap(0, Ordering::Release) == 2 {
            futex::wake_all(self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starling_sys::memory;
    use std::cell::UnsafeCell;

    fn control(ranks: u32) -> Control {
        let layout = Layout::new(ranks);
        let fd = memory::create(layout.memory as u64).unwrap();
        Control::new(Mapping::new(fd).unwrap(), layout)
    }

    struct Shared(Control, UnsafeCell<u64>);
    // SAFETY: the test writes the number under the lock that is tested only.
    unsafe impl Sync for Shared {}

    #[test]
    fn writers_are_alone_and_readers_see_whole_values() {
        let shared = Shared(control(3), UnsafeCell::new(0));
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let shared = &shared;
                scope.spawn(move || {
                    for round in 0..3000 {
                        let exclusive = (round + thread) % 3 == 0;
                        let ticket = shared.0.take_ticket(1);
                        while !shared.0.may_enter(1, ticket, exclusive) {
                            std::thread::yield_now();
                        }
                        if !exclusive {
                            shared.0.entered(1, ticket);
                        }
                        // SAFETY: under the lock.
                        unsafe {
                            let before = *shared.1.get();
                            assert_eq!(before % 2, 0);
                            if exclusive {
                                *shared.1.get() = before + 1;
                                std::hint::black_box(&shared.1);
                                *shared.1.get() = before + 2;
                            }
                        }
                        shared.0.release(1, ticket, exclusive);
                    }
                });
            }
        });
        assert_eq!(shared.1.into_inner(), 2 * 3000);
    }

    #[test]
    fn the_next_in_line_is_named() {
        let control = control(4);
        let (first, second) = (control.take_ticket(0), control.take_ticket(0));
        assert!(control.may_enter(0, first, true) && !control.may_enter(0, second, false));
        control.announce_waiter(0, second, 3);
        assert_eq!(control.release(0, first, true), Some(3));
        assert!(control.may_enter(0, second, false));
        assert_eq!(control.entered(0, second), None);
        assert_eq!(control.release(0, second, false), None);
    }

    #[test]
    fn attached_regions_are_found() {
        let control = control(2);
        control.publish_regions(1, &[(4096, 100), (100, 50), (150, 50)]);
        assert!(control.attached(1, 100, 200) && control.attached(1, 4096, 4196));
        assert!(!control.attached(1, 99, 101) && !control.attached(1, 100, 201));
        assert!(!control.attached(0, 100, 101));
        control.publish_regions(1, &vec![(0, 1); REGIONS_MAX + 1]);
        assert!(control.attached(1, 12345, 12346));
    }
}
