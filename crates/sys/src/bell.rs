//! The bell of a rank: how a rank that waits goes to sleep and how others wake it.
//! Called by `core::progress` (the sleeper) and by the transports (who ring).
//!
//! ```text
//! Bell, one cache line, in memory that all ranks of the node map
//!   0  asleep   u32   0 awake, 1 about to sleep or sleeping (the futex word)
//!   4  padding to 64
//! ```
//! Invariant: who publishes something for a rank and then finds `asleep == 0` may go on, because
//! the rank will look once more before it sleeps. It holds because both sides write first, fence,
//! then read (`Fences`): the sleeper sets `asleep`, heavy fence, looks at all its sources; the
//! other side publishes, light fence, reads `asleep`.
//! States: awake -> (prepare) about to sleep -> (sleep) sleeping -> (ring or cancel) awake.
//! The owner makes the first two moves, anyone the last.

use crate::fence::Fences;
use crate::futex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// See the module's page.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Bell {
    asleep: AtomicU32,
    _pad: [u32; 15],
}

const _: () = assert!(size_of::<Bell>() == 64 && align_of::<Bell>() == 64);

impl Bell {
    /// Announces that the caller is about to sleep. It must then look at all its sources once
    /// more and call either [`Bell::sleep`] or [`Bell::cancel`].
    pub fn prepare(&self, fences: Fences) {
        self.asleep.store(1, Ordering::Relaxed);
        fences.heavy(); // pairs with the light fence in `ring`
    }

    /// Sleeps until someone rings, at most `limit`; returns early when it was rung meanwhile.
    pub fn sleep(&self, limit: Option<Duration>) {
        futex::wait(&self.asleep, 1, limit);
        self.asleep.store(0, Ordering::Relaxed);
    }

    /// Takes [`Bell::prepare`] back: something had arrived.
    pub fn cancel(&self) {
        self.asleep.store(0, Ordering::Relaxed);
    }

    /// Wakes the owner if it sleeps. Call after publishing what it should see.
    /// Returns whether it had to be woken.
    #[inline(always)]
    pub fn ring(&self, fences: Fences) -> bool {
        fences.light(); // pairs with the heavy fence in `prepare`
        self.asleep.load(Ordering::Relaxed) != 0 && self.wake()
    }

    #[cold]
    fn wake(&self) -> bool {
        // Only one of several ringers makes the system call.
        if self.asleep.swap(0, Ordering::AcqRel) == 0 {
            return false;
        }
        futex::wake_all(&self.asleep);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::sync::Arc;

    /// Two threads hand a number to and fro, sleeping at every step: a lost wake-up hangs.
    fn hand_over(fences: Fences) {
        let shared = Arc::new((Bell::default(), Bell::default(), AtomicU64::new(0)));
        let other = shared.clone();
        let wait_for = move |bell: &Bell, word: &AtomicU64, value: u64| loop {
            if word.load(Ordering::Acquire) >= value {
                break;
            }
            bell.prepare(fences);
            if word.load(Ordering::Acquire) >= value {
                bell.cancel();
            } else {
                bell.sleep(Some(Duration::from_secs(20)));
                assert!(word.load(Ordering::Acquire) >= value, "a wake-up was lost");
            }
        };
        let thread = std::thread::spawn(move || {
            for step in 0..5000 {
                wait_for(&other.1, &other.2, 2 * step + 1);
                other.2.store(2 * step + 2, Ordering::Release);
                other.0.ring(fences);
            }
        });
        for step in 0..5000 {
            shared.2.store(2 * step + 1, Ordering::Release);
            shared.1.ring(fences);
            wait_for(&shared.0, &shared.2, 2 * step + 2);
        }
        thread.join().unwrap();
    }

    #[test]
    fn no_wake_up_is_lost_with_membarrier() {
        hand_over(Fences::probe());
    }

    #[test]
    fn no_wake_up_is_lost_with_full_fences() {
        hand_over(Fences::SYMMETRIC);
    }
}
