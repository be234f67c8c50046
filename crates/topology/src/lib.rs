//! Cores, caches and NUMA domains of this node, read from /sys.
//!
//! The launcher asks where to put ranks, the library asks who is near. `cpuset` is a set of CPU
//! numbers, `tree` the machine as the kernel describes it, `process` what this process may use.

pub mod cpuset;
pub mod process;
pub mod tree;

pub use cpuset::CpuSet;
pub use tree::{Cpu, Level, Topology};
