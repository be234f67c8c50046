//! The lock of a rank. Every MPI call of a rank runs under it when threads were asked for
//! (`MPI_THREAD_MULTIPLE`); otherwise it costs one test.
//!
//! It can be taken again by the thread that has it: MPI calls a user's callbacks (reductions,
//! attribute copies, error handlers), and those may call MPI. Whoever waits gives it up entirely
//! while sleeping (`pause`).
//! States of `word`: 0 free, 1 taken, 2 taken and somebody sleeps for it.

use starling_sys::futex;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    /// An address that no other living thread has.
    static SELF: u8 = const { 0 };
}

fn this_thread() -> usize {
    SELF.with(|s| std::ptr::from_ref(s) as usize)
}

/// See the module's page.
#[derive(Default)]
pub struct RankLock {
    enabled: Cell<bool>,
    needed: Cell<bool>,
    word: AtomicU32,
    owner: std::sync::atomic::AtomicUsize,
    depth: Cell<u32>,
}

/// Held while a call runs.
pub struct Held<'a>(Option<&'a RankLock>);

impl RankLock {
    /// From now on threads may come, for good. Called before the second thread can.
    pub fn enable(&self) {
        self.needed.set(true);
        self.enabled.set(true);
    }

    /// Threads may come until it is known better (`disable`).
    pub fn enable_for_now(&self) {
        self.enabled.set(true);
    }

    /// There is one thread only, unless somebody has called `enable`. May be called while the
    /// lock is held.
    pub fn disable(&self) {
        self.enabled.set(self.needed.get());
    }

    /// Whether threads may come.
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        self.enabled.get()
    }

    /// Takes the lock until the result is dropped.
    #[inline(always)]
    pub fn hold(&self) -> Held<'_> {
        if !self.enabled.get() {
            return Held(None);
        }
        self.hold_slow();
        Held(Some(self))
    }

    fn hold_slow(&self) {
        let me = this_thread();
        // Relaxed: only this thread stores its own address here.
        if self.owner.load(Ordering::Relaxed) == me {
            self.depth.set(self.depth.get() + 1);
            return;
        }
        self.acquire();
        self.owner.store(me, Ordering::Relaxed);
        self.depth.set(1);
    }

    fn acquire(&self) {
        // Acquire pairs with the Release in `release`.
        if self.word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return;
        }
        for _ in 0..100 {
            std::hint::spin_loop();
            if self.word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return;
            }
        }
        while self.word.swap(2, Ordering::Acquire) != 0 {
            futex::wait(&self.word, 2, None);
        }
    }

    fn release(&self) {
        if self.word.swap(0, Ordering::Release) == 2 {
            futex::wake_all(&self.word);
        }
    }

    fn drop_one(&self) {
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        if depth == 0 {
            self.owner.store(0, Ordering::Relaxed);
            self.release();
        }
    }

    /// Gives the lock up, whatever its depth, runs `sleep`, and takes it back.
    pub fn pause(&self, sleep: impl FnOnce()) {
        if !self.enabled.get() {
            return sleep();
        }
        let depth = self.depth.replace(0);
        self.owner.store(0, Ordering::Relaxed);
        self.release();
        sleep();
        self.acquire();
        self.owner.store(this_thread(), Ordering::Relaxed);
        self.depth.set(depth);
    }
}

impl Drop for Held<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(lock) = self.0 {
            lock.drop_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Shared(RankLock, Cell<u64>);
    // SAFETY: the test touches the cell only under the lock.
    unsafe impl Sync for Shared {}

    #[test]
    fn threads_count_together_and_may_nest() {
        let shared = Shared(RankLock::default(), Cell::new(0));
        shared.0.enable();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let shared = &shared;
                    for i in 0..10_000 {
                        let _outer = shared.0.hold();
                        let _inner = shared.0.hold();
                        shared.1.set(shared.1.get() + 1);
                        if i % 100 == 0 {
                            shared.0.pause(std::thread::yield_now);
                        }
                    }
                });
            }
        });
        assert_eq!(shared.1.get(), 40_000);
    }
}
