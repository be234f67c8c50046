//! The machine as the kernel describes it under /sys/devices/system.
//!
//! Called by the launcher (placement) and by the library (who shares a cache). Relies on files
//! that may be missing in containers and virtual machines: what is not said is taken as one
//! package, one NUMA domain, every CPU a core of its own, no caches shared between cores.

use crate::process::allowed_cpus;
use crate::CpuSet;
use std::collections::BTreeMap;
use std::path::Path;

/// A kind of part of the machine, from small to large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One hardware thread: what Linux calls a CPU.
    Thread,
    /// A core with its hardware threads.
    Core,
    /// The CPUs that share a level-2 cache.
    L2,
    /// The CPUs that share a level-3 cache.
    L3,
    /// The CPUs nearest to one memory.
    Numa,
    /// A processor package (socket).
    Package,
    /// The whole node.
    Node,
}

/// One CPU and the parts it belongs to. Parts are numbered from 0 over the whole node, in the
/// order of their first CPU; `numa` and `package` are the kernel's own numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpu {
    /// The kernel's number of the CPU.
    pub id: u32,
    /// The core.
    pub core: u32,
    /// The group that shares a level-2 cache.
    pub l2: u32,
    /// The group that shares a level-3 cache.
    pub l3: u32,
    /// The NUMA domain.
    pub numa: u32,
    /// The package.
    pub package: u32,
}

impl Cpu {
    /// The number of the part of this level that the CPU belongs to.
    pub fn part(&self, level: Level) -> u32 {
        match level {
            Level::Thread => self.id,
            Level::Core => self.core,
            Level::L2 => self.l2,
            Level::L3 => self.l3,
            Level::Numa => self.numa,
            Level::Package => self.package,
            Level::Node => 0,
        }
    }
}

/// The CPUs of a node, neighbours next to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    cpus: Vec<Cpu>,
}

impl Topology {
    /// The CPUs of this node that this process may use.
    pub fn discover() -> Topology {
        Topology::read(Path::new("/sys/devices/system"), &allowed_cpus())
    }

    /// The CPUs under `root` (a stand-in for `/sys/devices/system`) that are in `allowed`. Never
    /// fails: when nothing can be read, the result is `allowed` as a flat list of cores, or one
    /// CPU when that is empty too.
    pub fn read(root: &Path, allowed: &CpuSet) -> Topology {
        let online = read_set(&root.join("cpu/online"));
        let mut usable = match (&online, allowed.is_empty()) {
            (Some(online), true) => online.clone(),
            (Some(online), false) => online.intersection(allowed),
            (None, _) => allowed.clone(),
        };
        if usable.is_empty() {
            usable = if allowed.is_empty() { CpuSet::from_iter([0]) } else { allowed.clone() };
        }
        let numa = numa_domains(root);
        // Groups are numbered over all online CPUs, so that two processes with different masks
        // give the same part the same number.
        let all = online.unwrap_or_else(|| usable.clone()).union(&usable);
        let mut cores = Numbers::default();
        let mut l2 = Numbers::default();
        let mut l3 = Numbers::default();
        let mut cpus = Vec::new();
        for id in all.iter() {
            let folder = root.join(format!("cpu/cpu{id}"));
            let package = read_number(&folder.join("topology/physical_package_id"));
            let siblings = read_set(&folder.join("topology/core_cpus_list"))
                .or_else(|| read_set(&folder.join("topology/thread_siblings_list")));
            let siblings =
                siblings.filter(|set| set.contains(id)).unwrap_or_else(|| CpuSet::from_iter([id]));
            let cpu = Cpu {
                id,
                // The threads of a core share its caches whether or not the kernel lists those.
                l2: l2.of(cache(&folder, 2, id).unwrap_or_else(|| siblings.clone())),
                l3: l3.of(cache(&folder, 3, id).unwrap_or_else(|| siblings.clone())),
                core: cores.of(siblings),
                numa: numa.iter().find(|(_, set)| set.contains(id)).map_or(0, |(&n, _)| n),
                package: package.unwrap_or(0),
            };
            if usable.contains(id) {
                cpus.push(cpu);
            }
        }
        cpus.sort_by_key(|cpu| (cpu.package, cpu.numa, cpu.l3, cpu.l2, cpu.core, cpu.id));
        Topology { cpus }
    }

    /// The CPUs, sorted so that those which share more are nearer to each other.
    pub fn cpus(&self) -> &[Cpu] {
        &self.cpus
    }

    /// The CPU with this number.
    pub fn cpu(&self, id: u32) -> Option<&Cpu> {
        self.cpus.iter().find(|cpu| cpu.id == id)
    }

    /// All CPU numbers.
    pub fn all(&self) -> CpuSet {
        self.cpus.iter().map(|cpu| cpu.id).collect()
    }

    /// The parts of a level in machine order: their numbers and their CPUs.
    pub fn parts(&self, level: Level) -> Vec<(u32, CpuSet)> {
        let mut parts: Vec<(u32, CpuSet)> = Vec::new();
        for cpu in &self.cpus {
            let number = cpu.part(level);
            match parts.iter_mut().find(|(seen, _)| *seen == number) {
                Some((_, set)) => set.insert(cpu.id),
                None => parts.push((number, CpuSet::from_iter([cpu.id]))),
            }
        }
        parts
    }

    /// The smallest level of which two CPUs share a part; None when one of them is not here.
    pub fn shared(&self, a: u32, b: u32) -> Option<Level> {
        use Level::{Core, Node, Numa, Package, Thread, L2, L3};
        let (a, b) = (self.cpu(a)?, self.cpu(b)?);
        let levels = [Thread, Core, L2, L3, Numa, Package, Node];
        levels.into_iter().find(|&level| a.part(level) == b.part(level))
    }
}

/// Gives sets of CPUs numbers in the order they are first seen.
#[derive(Default)]
struct Numbers {
    seen: Vec<CpuSet>,
}

impl Numbers {
    fn of(&mut self, set: CpuSet) -> u32 {
        let at = self.seen.iter().position(|seen| *seen == set).unwrap_or_else(|| {
            self.seen.push(set);
            self.seen.len() - 1
        });
        at as u32
    }
}

fn numa_domains(root: &Path) -> BTreeMap<u32, CpuSet> {
    let mut domains = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(root.join("node")) else {
        return domains;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("node")?.parse().ok());
        if let (Some(number), Some(set)) = (number, read_set(&entry.path().join("cpulist"))) {
            domains.insert(number, set);
        }
    }
    domains
}

/// The CPUs that share this CPU's data or unified cache of a level.
fn cache(folder: &Path, level: u32, id: u32) -> Option<CpuSet> {
    (0..8).map(|index| folder.join(format!("cache/index{index}"))).find_map(|index| {
        let kind = std::fs::read_to_string(index.join("type")).ok()?;
        if kind.trim() == "Instruction" || read_number(&index.join("level")) != Some(level) {
            return None;
        }
        read_set(&index.join("shared_cpu_list")).filter(|set| set.contains(id))
    })
}

/// A number; None also for the -1 that the kernel writes for what it does not know.
fn read_number(path: &Path) -> Option<u32> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn read_set(path: &Path) -> Option<CpuSet> {
    let set = CpuSet::parse(&std::fs::read_to_string(path).ok()?)?;
    (!set.is_empty()).then_some(set)
}
