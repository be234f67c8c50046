//! Asymmetric fences. Called by `bell` and by the shared-memory inbox.
//!
//! Two protocols of Starling have the shape of Dekker's algorithm: one side writes A then reads
//! B, the other writes B then reads A, and at least one must see the other's write. The side that
//! runs for every message (`light`) should cost nothing; the side that runs when a rank is about
//! to sleep or retires a ring (`heavy`) may cost a system call. Linux offers exactly that:
//! `membarrier` makes every CPU that runs a registered process execute a full fence, so that the
//! light side needs to keep only the compiler from reordering. Where `membarrier` is denied
//! (seccomp) both sides are full fences. Every process of a node must use the same pair, so the
//! choice is made once by the creator of the segment and travels in its header.

use std::sync::atomic::{compiler_fence, fence, Ordering};
use std::time::Duration;

const REGISTER_GLOBAL_EXPEDITED: i32 = 4;
const GLOBAL_EXPEDITED: i32 = 2;

fn membarrier(command: i32) -> bool {
    // SAFETY: membarrier takes three integers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Which pair of fences a node uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    asymmetric: bool,
    heard: bool,
}

impl Fences {
    /// Full fences on both sides: always right, a few nanoseconds per message.
    pub const SYMMETRIC: Fences = Fences { asymmetric: false, heard: true };

    /// Tries whether this kernel (and this sandbox) allows `membarrier`.
    pub fn probe() -> Fences {
        let asymmetric = membarrier(REGISTER_GLOBAL_EXPEDITED) && membarrier(GLOBAL_EXPEDITED);
        Fences { asymmetric, heard: true }
    }

    /// The pair that the node's segment names. A process that joins registers itself, so that
    /// the others' heavy fences reach it. Where that is denied here though the creator could do
    /// it, wake-ups from this process can be missed by others and theirs by us, so everyone who
    /// sleeps must look again from time to time: see [`Fences::sleep_limit`].
    pub fn join(asymmetric: bool) -> Fences {
        Fences { asymmetric, heard: !asymmetric || membarrier(REGISTER_GLOBAL_EXPEDITED) }
    }

    /// Longest sleep that is safe: none, unless heavy fences do not reach this process.
    pub fn sleep_limit(self) -> Option<Duration> {
        (!self.heard).then_some(Duration::from_millis(1))
    }

    /// Whether heavy fences of others reach this process.
    pub fn is_heard(self) -> bool {
        self.heard
    }

    /// Whether the pair is the asymmetric one (goes into the segment's header).
    pub fn is_asymmetric(self) -> bool {
        self.asymmetric
    }

    /// The fence of the frequent side. Pairs with [`Fences::heavy`].
    #[inline(always)]
    pub fn light(self) {
        if self.asymmetric {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    /// The fence of the rare side. Pairs with [`Fences::light`] of every process of the node.
    pub fn heavy(self) {
        fence(Ordering::SeqCst);
        if self.asymmetric {
            // Cannot fail once `probe` or `join` succeeded in this process.
            membarrier(GLOBAL_EXPEDITED);
        }
    }
}
