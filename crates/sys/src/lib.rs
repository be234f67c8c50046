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

/// This process's id.
pub fn process_id() -> u32 {
    std::process::id()
}
