//! Which CPUs each rank runs on, and the picture of it.
//!
//! `policy` reads --bind-to and --map-by, this file places, `picture` draws.

pub mod picture;
pub mod policy;

use policy::{Bind, Map, Policy};
use starling_topology::{CpuSet, Level, Topology};

/// The CPUs of each rank; None for a rank that is not bound.
///
/// By default ranks get disjoint sets of whole cores, as even as possible and in machine order;
/// hardware threads when there are more ranks than cores; and no binding when there are more ranks
/// than CPUs.
pub fn place(topology: &Topology, ranks: usize, policy: &Policy) -> Vec<Option<CpuSet>> {
    let unbound = vec![None; ranks];
    match &policy.bind {
        Bind::Nothing => return unbound,
        Bind::User(sets) => {
            return (0..ranks).map(|rank| Some(sets[rank % sets.len()].clone())).collect();
        }
        Bind::Even if policy.map.is_none() && ranks > topology.cpus().len() => return unbound,
        Bind::Even | Bind::Part(..) => {}
    }
    let map = policy.map.unwrap_or(Map { level: Level::Node, cores: 1, per_part: None });
    let parts = topology.parts(map.level);
    // Small parts are taken one after another, so that neighbours stay near; large ones in turns.
    let part_of = |rank: usize| rank / map.per_part.unwrap_or(1) % parts.len();
    let mut members = vec![Vec::new(); parts.len()];
    (0..ranks).for_each(|rank| members[part_of(rank)].push(rank));
    let mut places = unbound;
    for (members, (_, part)) in members.iter().zip(&parts) {
        let inside = Inside::new(topology, part);
        for (index, &rank) in members.iter().enumerate() {
            places[rank] = Some(inside.share(index, members.len(), policy, map.cores));
        }
    }
    places
}

/// One part of the machine whose ranks share it.
struct Inside<'a> {
    topology: &'a Topology,
    cores: Vec<CpuSet>,
    threads: Vec<CpuSet>,
}

impl<'a> Inside<'a> {
    fn new(topology: &'a Topology, part: &CpuSet) -> Inside<'a> {
        let within = |level| {
            let sets = topology.parts(level).into_iter().map(|(_, set)| set.intersection(part));
            sets.filter(|set| !set.is_empty()).collect()
        };
        Inside { topology, cores: within(Level::Core), threads: within(Level::Thread) }
    }

    /// The CPUs of member `index` of `count`.
    fn share(&self, index: usize, count: usize, policy: &Policy, cores: usize) -> CpuSet {
        match &policy.bind {
            Bind::Part(level @ (Level::Thread | Level::Core), width) => {
                let grains = if *level == Level::Core { &self.cores } else { &self.threads };
                run(grains, index * width * cores, width * cores)
            }
            Bind::Part(level, width) => {
                let first = index % count * self.cores.len() / count;
                let here = self.cores[first].iter().next().unwrap_or(0);
                let sets: Vec<CpuSet> =
                    self.topology.parts(*level).into_iter().map(|(_, set)| set).collect();
                let at = sets.iter().position(|set| set.contains(here)).unwrap_or(0);
                run(&sets, at, *width)
            }
            _ if cores > 1 => run(&self.cores, index * cores, cores),
            _ if count <= self.cores.len() => slice(&self.cores, index, count),
            _ if count <= self.threads.len() => slice(&self.threads, index, count),
            _ => slice(&self.threads, 0, 1),
        }
    }
}

/// Share `index` of `count` even, contiguous shares.
fn slice(sets: &[CpuSet], index: usize, count: usize) -> CpuSet {
    let (from, to) = (index * sets.len() / count, (index + 1) * sets.len() / count);
    join(&sets[from..to])
}

/// `width` neighbours from `start` on, from the beginning again at the end.
fn run(sets: &[CpuSet], start: usize, width: usize) -> CpuSet {
    let width = width.clamp(1, sets.len());
    (0..width).fold(CpuSet::new(), |all, step| all.union(&sets[(start + step) % sets.len()]))
}

fn join(sets: &[CpuSet]) -> CpuSet {
    sets.iter().fold(CpuSet::new(), |all, set| all.union(set))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A machine of sockets, cores and threads as Linux numbers them, read from a made-up /sys.
    pub(crate) fn machine(sockets: u32, cores: u32, threads: u32) -> Topology {
        use std::sync::atomic::{AtomicU32, Ordering};
        static MADE: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's uniqueness matters.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let root: PathBuf =
            std::env::temp_dir().join(format!("starling-place-{}-{number}", std::process::id()));
        let write = |name: String, text: String| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let all = sockets * cores;
        write("cpu/online".into(), format!("0-{}", all * threads - 1));
        for cpu in 0..all * threads {
            let core = cpu % all;
            let siblings: Vec<String> =
                (0..threads).map(|t| (core + t * all).to_string()).collect();
            write(format!("cpu/cpu{cpu}/topology/core_cpus_list"), siblings.join(","));
            write(format!("cpu/cpu{cpu}/topology/physical_package_id"), (core / cores).to_string());
        }
        for socket in 0..sockets {
            let cpus: Vec<String> = (0..all * threads)
                .filter(|cpu| cpu % all / cores == socket)
                .map(|cpu| cpu.to_string())
                .collect();
            write(format!("node/node{socket}/cpulist"), cpus.join(","));
        }
        let topology = Topology::read(&root, &CpuSet::new());
        std::fs::remove_dir_all(&root).unwrap();
        topology
    }

    fn placed(machine: &Topology, ranks: usize, bind: Option<&str>, map: Option<&str>) -> String {
        let policy = Policy::read(bind, map).unwrap();
        let places = place(machine, ranks, &policy);
        let shown = |place: Option<CpuSet>| place.map_or("-".into(), |set| set.to_string());
        places.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn by_default_cores_are_divided_evenly() {
        let m = machine(2, 4, 1);
        assert_eq!(placed(&m, 1, None, None), "0-7");
        assert_eq!(placed(&m, 2, None, None), "0-3 4-7");
        assert_eq!(placed(&m, 3, None, None), "0-1 2-4 5-7");
        assert_eq!(placed(&m, 8, None, None), "0 1 2 3 4 5 6 7");
        assert_eq!(placed(&m, 9, None, None), "- - - - - - - - -");
    }

    #[test]
    fn hardware_threads_stay_together_while_cores_suffice() {
        let m = machine(1, 2, 2);
        assert_eq!(placed(&m, 2, None, None), "0,2 1,3");
        assert_eq!(placed(&m, 4, None, None), "0 2 1 3");
        assert_eq!(placed(&m, 5, None, None), "- - - - -");
    }

    #[test]
    fn shares_are_disjoint_and_cover_the_machine() {
        let m = machine(2, 8, 2);
        for ranks in 1..=32 {
            let places = place(&m, ranks, &Policy::read(None, None).unwrap());
            let mut seen = CpuSet::new();
            for place in places {
                let place = place.unwrap();
                assert!(!place.is_empty());
                assert!(seen.intersection(&place).is_empty(), "{ranks} ranks");
                seen = seen.union(&place);
            }
            assert_eq!(seen, m.all(), "{ranks} ranks");
        }
    }

    #[test]
    fn every_part_to_bind_to() {
        let m = machine(2, 4, 2);
        assert_eq!(placed(&m, 3, Some("none"), None), "- - -");
        assert_eq!(placed(&m, 3, Some("core"), None), "0,8 1,9 2,10");
        assert_eq!(placed(&m, 2, Some("core:2"), None), "0-1,8-9 2-3,10-11");
        assert_eq!(placed(&m, 3, Some("hwthread"), None), "0 8 1");
        assert_eq!(placed(&m, 2, Some("socket"), None), "0-3,8-11 4-7,12-15");
        assert_eq!(placed(&m, 4, Some("numa"), None).split(' ').next(), Some("0-3,8-11"));
        assert_eq!(placed(&m, 1, Some("node"), None), "0-15");
        assert_eq!(placed(&m, 9, Some("core"), None).split(' ').nth(8), Some("0,8"));
        assert_eq!(placed(&m, 3, Some("user:0+2,5"), None), "0,2 5 0,2");
    }

    #[test]
    fn dealing_out_over_parts() {
        let m = machine(2, 4, 1);
        assert_eq!(placed(&m, 4, None, Some("socket")), "0-1 4-5 2-3 6-7");
        assert_eq!(placed(&m, 4, Some("core"), Some("socket")), "0 4 1 5");
        assert_eq!(placed(&m, 3, Some("core"), Some("core")), "0 1 2");
        assert_eq!(placed(&m, 2, None, Some("socket:PE=2")), "0-1 4-5");
        assert_eq!(placed(&m, 2, None, Some("slot:PE=3")), "0-2 3-5");
        assert_eq!(placed(&m, 4, Some("core"), Some("ppr:2:socket")), "0 1 4 5");
        assert_eq!(placed(&m, 2, Some("none"), Some("socket")), "- -");
    }
}
