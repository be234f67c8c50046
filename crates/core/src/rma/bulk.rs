//! Accumulates of many elements in memory that all map. Element by element, atomic operations of
//! the processor take many times as long as the operation's vector loop; so a long accumulate
//! makes the short ones to its target wait, and runs that loop. Called by `accumulate.rs`.
//!
//! ```text
//! short                                   long (under the target's mutex)
//!   active[me] = target                     bulk[target] = 1
//!   light fence                             heavy fence
//!   bulk[target]? then wait for the mutex   wait until nobody is active at the target
//!   change atomically                       change
//!   active[me] = nobody                     bulk[target] = 0
//! ```
//! Invariant: of a short and a long one at least one sees the other, because both write first,
//! fence, then read (`sys::fence`): a short one that did not see `bulk` is waited for. Short ones
//! pay two plain stores and a load. Where heavy fences do not reach every process of the window,
//! there are no long ones.

use super::Win;
use crate::rank::Rank;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// From this size on an accumulate is a long one.
pub(super) const BULK_BYTES: u64 = 16 << 10;
/// Looks at a process that is active before sleeping a little; it may have lost its core.
const SPINS: u32 = 1000;
const NAP: Duration = Duration::from_micros(50);

impl Win {
    /// Runs a short accumulate to `target`, which uses atomic operations.
    #[inline]
    pub(super) fn run_short<T>(&self, rank: &Rank, target: u32, change: impl FnOnce() -> T) -> T {
        if !self.has_bulk {
            return change();
        }
        let active = self.control.active(self.me());
        active.store(target + 1, Ordering::Relaxed);
        // Pairs with the heavy fence in `run_long`.
        rank.node().fences.light();
        // Acquire pairs with the Release in `run_long`: what a long one has changed is seen.
        let waits = self.control.bulk(target).load(Ordering::Acquire) != 0;
        if waits {
            active.store(0, Ordering::Release);
        }
        let guard = waits.then(|| self.control.accumulate_mutex(target));
        let result = change();
        drop(guard);
        active.store(0, Ordering::Release); // pairs with the Acquire in `run_long`
        result
    }

    /// Runs a long accumulate to `target`, which nobody else accumulates to meanwhile.
    pub(super) fn run_long<T>(&self, rank: &Rank, target: u32, change: impl FnOnce() -> T) -> T {
        let _guard = self.control.accumulate_mutex(target);
        let bulk = self.control.bulk(target);
        bulk.store(1, Ordering::Relaxed);
        rank.node().fences.heavy();
        for other in 0..self.ranks() {
            let mut spins = 0;
            while self.control.active(other).load(Ordering::Acquire) == target + 1 {
                spins += 1;
                match spins < SPINS {
                    true => std::hint::spin_loop(),
                    false => std::thread::sleep(NAP),
                }
            }
        }
        let result = change();
        bulk.store(0, Ordering::Release);
        result
    }
}
