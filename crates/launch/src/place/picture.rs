//! The picture of --show-binding: the machine as a tree, with the ranks on it.

use starling_topology::{CpuSet, Level, Topology};
use std::fmt::Write;

/// Draws where the ranks are. Neighbouring cores with the same ranks share a line.
pub fn draw(topology: &Topology, places: &[Option<CpuSet>], host: &str) -> String {
    let cpus = topology.cpus().len();
    let cores = topology.parts(Level::Core).len();
    let mut text = format!("{host}: {} on {}", count(places.len(), "rank"), count(cores, "core"));
    if cpus != cores {
        let _ = write!(text, " ({cpus} CPUs)");
    }
    text.push('\n');
    let unbound: Vec<usize> = (0..places.len()).filter(|&rank| places[rank].is_none()).collect();
    let packages = topology.parts(Level::Package);
    for (index, (number, package)) in packages.iter().enumerate() {
        let (branch, trunk) = limbs(index + 1 == packages.len());
        let _ = writeln!(text, "{branch}socket {number}");
        let domains = inside(topology, Level::Numa, package);
        for (index, (number, domain)) in domains.iter().enumerate() {
            let (branch, inner) = limbs(index + 1 == domains.len());
            let _ = writeln!(text, "{trunk}{branch}NUMA {number}");
            draw_cores(&mut text, topology, places, domain, &format!("{trunk}{inner}"));
        }
    }
    if !unbound.is_empty() {
        let all = if unbound.len() == places.len() { "all ranks" } else { "ranks " };
        let list = if unbound.len() == places.len() { String::new() } else { list(&unbound) };
        let _ = writeln!(text, "not bound: {all}{list}");
    }
    text
}

fn draw_cores(
    text: &mut String,
    topology: &Topology,
    places: &[Option<CpuSet>],
    domain: &CpuSet,
    trunk: &str,
) {
    // First and last core, CPUs, ranks; and whether the last line may grow.
    let mut lines: Vec<(u32, u32, CpuSet, Vec<usize>)> = Vec::new();
    let mut grows = false;
    for (core, cpus) in inside(topology, Level::Core, domain) {
        // Ranks on different hardware threads of a core get lines of their own.
        let whole = ranks_on(places, &cpus);
        let threads: Vec<CpuSet> = cpus.iter().map(|cpu| CpuSet::from_iter([cpu])).collect();
        let alike = threads.iter().all(|thread| ranks_on(places, thread) == whole);
        let pieces = if alike { vec![cpus] } else { threads };
        for cpus in pieces {
            let ranks = ranks_on(places, &cpus);
            match lines.last_mut() {
                Some((_, last, set, on)) if grows && alike && *on == ranks && *last + 1 == core => {
                    *last = core;
                    *set = set.union(&cpus);
                }
                _ => lines.push((core, core, cpus, ranks)),
            }
        }
        grows = alike;
    }
    let rows: Vec<[String; 3]> = lines.into_iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for (index, [cores, cpus, ranks]) in rows.iter().enumerate() {
        let (branch, _) = limbs(index + 1 == rows.len());
        let line = format!("{trunk}{branch}{cores:first$}  {cpus:second$}  {ranks}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn row((first, last, cpus, ranks): (u32, u32, CpuSet, Vec<usize>)) -> [String; 3] {
    let cores = match first == last {
        true => format!("core {first}"),
        false => format!("cores {first}-{last}"),
    };
    let on = match ranks.len() {
        0 => String::new(),
        1 => format!("rank {}", ranks[0]),
        _ => format!("ranks {}", list(&ranks)),
    };
    let plural = if cpus.len() == 1 { "CPU" } else { "CPUs" };
    [cores, format!("({plural} {cpus})"), on]
}

fn ranks_on(places: &[Option<CpuSet>], cpus: &CpuSet) -> Vec<usize> {
    let on = |place: &Option<CpuSet>| {
        place.as_ref().is_some_and(|set| !set.intersection(cpus).is_empty())
    };
    (0..places.len()).filter(|&rank| on(&places[rank])).collect()
}

fn inside(topology: &Topology, level: Level, whole: &CpuSet) -> Vec<(u32, CpuSet)> {
    let parts = topology.parts(level).into_iter();
    let cut = parts.map(|(number, set)| (number, set.intersection(whole)));
    cut.filter(|(_, set)| !set.is_empty()).collect()
}

/// What stands before a part and before the lines below it.
fn limbs(last: bool) -> (&'static str, &'static str) {
    match last {
        true => ("└─ ", "   "),
        false => ("├─ ", "│  "),
    }
}

/// `0-3,7`: sets of CPUs are written the same way.
fn list(ranks: &[usize]) -> String {
    ranks.iter().map(|&rank| rank as u32).collect::<CpuSet>().to_string()
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::super::policy::Policy;
    use super::super::tests::machine;
    use super::*;

    fn drawn(machine: &Topology, ranks: usize, bind: Option<&str>) -> String {
        let policy = Policy::read(bind, None).unwrap();
        draw(machine, &super::super::place(machine, ranks, &policy), "h")
    }

    #[test]
    fn two_sockets_and_four_ranks() {
        let expected = "\
h: 4 ranks on 8 cores (16 CPUs)
├─ socket 0
│  └─ NUMA 0
│     ├─ cores 0-1  (CPUs 0-1,8-9)    rank 0
│     └─ cores 2-3  (CPUs 2-3,10-11)  rank 1
└─ socket 1
   └─ NUMA 1
      ├─ cores 4-5  (CPUs 4-5,12-13)  rank 2
      └─ cores 6-7  (CPUs 6-7,14-15)  rank 3
";
        assert_eq!(drawn(&machine(2, 4, 2), 4, None), expected);
    }

    #[test]
    fn threads_idle_cores_and_unbound_ranks() {
        let expected = "\
h: 3 ranks on 4 cores (8 CPUs)
└─ socket 0
   └─ NUMA 0
      ├─ core 0     (CPU 0)         rank 0
      ├─ core 0     (CPU 4)         rank 1
      ├─ core 1     (CPU 1)         rank 2
      ├─ core 1     (CPU 5)
      └─ cores 2-3  (CPUs 2-3,6-7)
";
        assert_eq!(drawn(&machine(1, 4, 2), 3, Some("hwthread")), expected);
        let expected = "\
h: 9 ranks on 1 core
└─ socket 0
   └─ NUMA 0
      └─ core 0  (CPU 0)
not bound: all ranks
";
        assert_eq!(drawn(&machine(1, 1, 1), 9, None), expected);
        let shared = drawn(&machine(1, 2, 1), 4, Some("core"));
        assert!(shared.contains("core 0  (CPU 0)  ranks 0,2\n"), "{shared}");
    }
}
