//! What this process may use of the machine: its affinity mask and its cgroup's share of CPU time.
//!
//! Called by the launcher and by `Topology::discover`. Relies on Linux.

use crate::CpuSet;
use std::path::Path;

/// Words of the mask handed to the kernel: 8192 CPUs, the most that Linux can be built for.
const MASK_WORDS: usize = 128;

/// The CPUs this thread may run on; empty when the kernel does not say.
pub fn allowed_cpus() -> CpuSet {
    let mut words = [0u64; MASK_WORDS];
    let bytes = std::mem::size_of_val(&words);
    // SAFETY: the kernel writes at most `bytes` bytes into `words`, which is that long and is
    // plain integers; the type of the pointer is only libc's name for a longer array of words.
    let result = unsafe { libc::sched_getaffinity(0, bytes, words.as_mut_ptr().cast()) };
    match result {
        0 => CpuSet::from_words(&words),
        _ => CpuSet::new(),
    }
}

/// How many CPUs' worth of time the cgroup of a container grants, rounded up; None when there is
/// no such limit. Reads version 2's `cpu.max` and version 1's `cpu.cfs_quota_us` under `root`
/// (`/sys/fs/cgroup`).
pub fn cpu_quota(root: &Path) -> Option<usize> {
    let read = |name: &str| std::fs::read_to_string(root.join(name)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(line) => {
            let mut words = line.split_whitespace().map(str::to_string);
            (words.next()?, words.next()?)
        }
        None => (read("cpu/cpu.cfs_quota_us")?, read("cpu/cpu.cfs_period_us")?),
    };
    let (quota, period): (i64, i64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    if quota <= 0 || period <= 0 {
        return None;
    }
    usize::try_from((quota + period - 1) / period).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_thread_may_run_somewhere() {
        assert!(!allowed_cpus().is_empty());
    }

    #[test]
    fn quotas_of_both_cgroup_versions() {
        let root = std::env::temp_dir().join(format!("starling-quota-{}", std::process::id()));
        std::fs::create_dir_all(root.join("cpu")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
        assert_eq!(cpu_quota(&root), None);
        write("cpu/cpu.cfs_quota_us", "-1\n");
        write("cpu/cpu.cfs_period_us", "100000\n");
        assert_eq!(cpu_quota(&root), None);
        write("cpu/cpu.cfs_quota_us", "250000\n");
        assert_eq!(cpu_quota(&root), Some(3));
        write("cpu.max", "max 100000\n");
        assert_eq!(cpu_quota(&root), None);
        write("cpu.max", "200000 100000\n");
        assert_eq!(cpu_quota(&root), Some(2));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
