//! Reads made-up /sys trees: a machine with two sockets, and trees with files missing.

use starling_topology::{CpuSet, Level, Topology};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes away with the value.
struct Tree(PathBuf);

impl Tree {
    fn new() -> Tree {
        static MADE: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's uniqueness matters.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("starling-sysfs-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Tree(path)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{text}\n")).unwrap();
    }

    fn read(&self, allowed: &str) -> Topology {
        Topology::read(&self.0, &CpuSet::parse(allowed).unwrap())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Two sockets of 16 cores, two threads each. As Linux numbers them: CPUs 0-15 and 32-47 are the
/// first and second threads of socket 0, 16-31 and 48-63 those of socket 1. Level-3 caches hold
/// 8 cores, there is one NUMA domain per socket.
fn two_sockets() -> Tree {
    let tree = Tree::new();
    tree.write("cpu/online", "0-63");
    tree.write("node/node0/cpulist", "0-15,32-47");
    tree.write("node/node1/cpulist", "16-31,48-63");
    for cpu in 0..64u32 {
        let core = cpu % 32;
        let pair = format!("{core},{}", core + 32);
        let block = core / 8 * 8;
        let l3 = format!("{block}-{},{}-{}", block + 7, block + 32, block + 39);
        tree.write(&format!("cpu/cpu{cpu}/topology/core_cpus_list"), &pair);
        let package = (core / 16).to_string();
        tree.write(&format!("cpu/cpu{cpu}/topology/physical_package_id"), &package);
        let caches = [("1", "Data", &pair), ("1", "Instruction", &pair)];
        let caches = caches.into_iter().chain([("2", "Unified", &pair), ("3", "Unified", &l3)]);
        for (index, (level, kind, shared)) in caches.enumerate() {
            let folder = format!("cpu/cpu{cpu}/cache/index{index}");
            tree.write(&format!("{folder}/level"), level);
            tree.write(&format!("{folder}/type"), kind);
            tree.write(&format!("{folder}/shared_cpu_list"), shared);
        }
    }
    tree
}

#[test]
fn two_sockets_of_sixteen_cores() {
    let topology = two_sockets().read("0-63");
    assert_eq!(topology.cpus().len(), 64);
    let counts = [Level::Core, Level::L2, Level::L3, Level::Numa, Level::Package, Level::Node]
        .map(|level| topology.parts(level).len());
    assert_eq!(counts, [32, 32, 4, 2, 2, 1]);
    let packages = topology.parts(Level::Package);
    assert_eq!(packages[0].1.to_string(), "0-15,32-47");
    assert_eq!(packages[1].1.to_string(), "16-31,48-63");
    assert_eq!(topology.parts(Level::L3)[1].1.to_string(), "8-15,40-47");
    // Machine order: both threads of a core, then the next core of the same cache.
    let order: Vec<u32> = topology.cpus().iter().take(6).map(|cpu| cpu.id).collect();
    assert_eq!(order, [0, 32, 1, 33, 2, 34]);
}

#[test]
fn what_two_cpus_share() {
    let topology = two_sockets().read("0-63");
    assert_eq!(topology.shared(3, 3), Some(Level::Thread));
    assert_eq!(topology.shared(3, 35), Some(Level::Core));
    assert_eq!(topology.shared(3, 4), Some(Level::L3));
    assert_eq!(topology.shared(3, 9), Some(Level::Numa));
    assert_eq!(topology.shared(3, 20), Some(Level::Node));
    assert_eq!(topology.shared(3, 100), None);
}

#[test]
fn a_mask_leaves_the_rest_out_and_keeps_the_numbers() {
    let tree = two_sockets();
    let topology = tree.read("20-23,52");
    assert_eq!(topology.all().to_string(), "20-23,52");
    assert_eq!(topology.parts(Level::Core).len(), 4);
    let whole = tree.read("0-63");
    assert_eq!(topology.cpu(22), whole.cpu(22));
}

#[test]
fn missing_files_mean_a_flat_machine() {
    let tree = Tree::new();
    let topology = tree.read("1,3-4");
    assert_eq!(topology.all().to_string(), "1,3-4");
    assert_eq!(topology.parts(Level::Core).len(), 3);
    assert_eq!(topology.parts(Level::Package).len(), 1);
    assert_eq!(topology.shared(1, 3), Some(Level::Numa));
    assert_eq!(tree.read("").cpus().len(), 1);
    tree.write("cpu/online", "0-3");
    assert_eq!(tree.read("").cpus().len(), 4);
    assert_eq!(tree.read("2-9").all().to_string(), "2-3");
}

#[test]
fn rubbish_in_files_is_survived() {
    let tree = Tree::new();
    tree.write("cpu/online", "0-1");
    tree.write("cpu/cpu0/topology/physical_package_id", "-1");
    tree.write("cpu/cpu0/topology/core_cpus_list", "banana");
    tree.write("cpu/cpu1/topology/core_cpus_list", "7");
    tree.write("cpu/cpu0/cache/index0/type", "Unified");
    tree.write("node/node0/cpulist", "");
    tree.write("node/possible/x", "0");
    let topology = tree.read("0-1");
    assert_eq!(topology.cpus().len(), 2);
    assert_eq!(topology.parts(Level::Core).len(), 2);
    assert_eq!(topology.parts(Level::Package).len(), 1);
}

#[test]
fn this_machine_is_not_empty() {
    let topology = Topology::discover();
    assert!(!topology.cpus().is_empty());
    let allowed = starling_topology::process::allowed_cpus();
    if Path::new("/sys/devices/system/cpu/online").exists() {
        assert!(topology.cpus().iter().all(|cpu| allowed.contains(cpu.id)));
    }
}
