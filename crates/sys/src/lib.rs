//! The operating system and the CPU, seen by Starling: memory that processes of a node share,
//! sleeping and waking, fences, the ring between two ranks, and copies from another process.
//!
//! Called by `transport` and `core`. Relies on Linux and libc only. Most of the `unsafe` of the
//! library lives here, behind types whose methods are safe or say exactly what they ask for.

pub mod bell;
pub mod clock;
pub mod copy;
pub mod cross_memory;
pub mod fence;
pub mod futex;
pub mod memory;
pub mod queue;

/// Number of CPUs this process may run on (its affinity mask), at least 1.
pub fn usable_cpus() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Number of CPUs that are online, whatever this process may use; at least 1.
pub fn online_cpus() -> usize {
    static ONLINE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *ONLINE.get_or_init(|| {
        // SAFETY: sysconf only reads a number.
        let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
        usize::try_from(online).unwrap_or(1).max(1)
    })
}

/// This process's id.
pub fn process_id() -> u32 {
    std::process::id()
}
