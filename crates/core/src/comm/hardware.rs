//! Which part of the machine a process is bound to. Called by `abi` for
//! `MPI_Comm_split_type` (MPI 5.0, section 7.4.2). This version's ranks are all on one node.

use starling_topology::{Level, Topology};

/// The name of the resource that all ranks of a node share; the standard's own.
pub const SHARED_MEMORY: &str = "mpi_shared_memory";

/// The names of the kinds of parts, from large to small.
pub const RESOURCES: [(&str, Level); 7] = [
    (SHARED_MEMORY, Level::Node),
    ("package", Level::Package),
    ("numanode", Level::Numa),
    ("l3cache", Level::L3),
    ("l2cache", Level::L2),
    ("core", Level::Core),
    ("hwthread", Level::Thread),
];

/// Who names the resources in `MPI_Get_hw_resource_info`, whose keys look like URIs.
const PROVIDER: &str = "starling://";

/// All kinds of parts, and whether this process is bound to one of that kind (section 9.1.2).
pub fn resources() -> Vec<(String, bool)> {
    let allowed = Topology::discover();
    let bound = |level| level == Level::Node || part_of(&allowed, level).is_some();
    RESOURCES.iter().map(|(name, level)| (format!("{PROVIDER}{name}"), bound(*level))).collect()
}

/// The number of the part of kind `resource` that this process is bound to; `None` if there is no
/// such kind, or the process may run on several of them.
pub fn part(resource: &str) -> Option<u32> {
    let resource = resource.strip_prefix(PROVIDER).unwrap_or(resource);
    let (_, level) = RESOURCES.iter().find(|(name, _)| *name == resource)?;
    if *level == Level::Node {
        return Some(0);
    }
    part_of(&Topology::discover(), *level)
}

fn part_of(allowed: &Topology, level: Level) -> Option<u32> {
    match &allowed.parts(level)[..] {
        [(number, _)] => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starling_topology::CpuSet;
    use std::path::Path;

    #[test]
    fn only_a_bound_process_belongs_to_a_small_part() {
        assert_eq!(part("a resource that does not exist"), None);
        assert_eq!(part(SHARED_MEMORY), Some(0));
        for (name, bound) in resources() {
            assert_eq!(part(&name).is_some(), bound, "{name}");
        }
        // A machine about which nothing is known: every CPU is a core of one package.
        let machine = |cpus: &[u32]| {
            Topology::read(Path::new("/nowhere"), &CpuSet::from_iter(cpus.iter().copied()))
        };
        assert_eq!(part_of(&machine(&[5]), Level::Thread), Some(5));
        assert!(part_of(&machine(&[5]), Level::Core).is_some());
        assert_eq!(part_of(&machine(&[4, 5]), Level::Core), None);
        assert_eq!(part_of(&machine(&[4, 5]), Level::Package), Some(0));
    }
}
