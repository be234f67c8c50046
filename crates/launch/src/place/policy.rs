//! Reading --bind-to and --map-by in the words of MPICH and Open MPI.

use crate::cli::usage::Refusal;
use starling_topology::{CpuSet, Level};

/// How much of the machine a rank gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bind {
    /// An even share.
    Even,
    /// No binding.
    Nothing,
    /// So many neighbouring parts of a level.
    Part(Level, usize),
    /// These sets, in turns.
    User(Vec<CpuSet>),
}

/// How ranks are dealt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Map {
    /// Over the parts of this level.
    pub level: Level,
    /// So many cores for each rank.
    pub cores: usize,
    /// So many ranks on a part before the next; None: one, in turns.
    pub per_part: Option<usize>,
}

/// Both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// From --bind-to.
    pub bind: Bind,
    /// From --map-by.
    pub map: Option<Map>,
}

const LEVELS: [(&str, Level); 16] = [
    ("hwthread", Level::Thread),
    ("core", Level::Core),
    ("l2cache", Level::L2),
    ("l3cache", Level::L3),
    ("numa", Level::Numa),
    ("socket", Level::Package),
    ("node", Level::Node),
    ("hw-thread", Level::Thread),
    ("pu", Level::Thread),
    ("l2", Level::L2),
    ("l3", Level::L3),
    ("numanode", Level::Numa),
    ("package", Level::Package),
    ("machine", Level::Node),
    ("board", Level::Node),
    ("slot", Level::Node),
];
/// How many of LEVELS a message shows; the rest are other names for them.
const SHOWN: usize = 7;

/// Words that Open MPI accepts behind a part and that mean what we do anyway.
const WITHOUT_EFFECT: [&str; 6] =
    ["overload-allowed", "if-supported", "oversubscribe", "nooversubscribe", "span", "inherit"];

impl Policy {
    /// Reads the values of the two options.
    ///
    /// # Errors
    /// When one of them is not understood.
    pub fn read(bind: Option<&str>, map: Option<&str>) -> Result<Policy, Refusal> {
        let bind = bind.map_or(Ok(Bind::Even), read_bind)?;
        let map = map.map(read_map).transpose()?;
        Ok(Policy { bind, map })
    }
}

fn read_bind(text: &str) -> Result<Bind, Refusal> {
    let wrong = |what: &str| Refusal::usage(format!("--bind-to {text}: {what}"));
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    if name == "user" {
        let sets = rest.split(',').map(|set| CpuSet::parse(&set.replace('+', ",")));
        let sets: Option<Vec<CpuSet>> = sets.map(|set| set.filter(|s| !s.is_empty())).collect();
        return sets.map(Bind::User).ok_or_else(|| wrong("CPUs are written as 0,1-3,4+6"));
    }
    if name == "none" {
        return Ok(Bind::Nothing);
    }
    if name == "rr" {
        return Ok(Bind::Part(Level::Core, 1));
    }
    let level = level(name).ok_or_else(|| wrong(&format!("none, {}, user:CPUS", names())))?;
    let mut width = 1;
    for word in rest.split([':', ',']).filter(|word| !word.is_empty()) {
        match word.parse() {
            Ok(count) if count > 0 => width = count,
            _ if WITHOUT_EFFECT.contains(&word) => {}
            _ => return Err(wrong(&format!("\"{word}\" is not a number of parts"))),
        }
    }
    Ok(Bind::Part(level, width))
}

fn read_map(text: &str) -> Result<Map, Refusal> {
    let wrong = |what: &str| Refusal::usage(format!("--map-by {text}: {what}"));
    let mut words = text.split([':', ',']);
    let mut name = words.next().unwrap_or_default();
    let mut per_part = None;
    if name == "ppr" {
        let count = words.next().and_then(|word| word.parse().ok()).filter(|&count| count > 0);
        per_part = Some(count.ok_or_else(|| wrong("written as ppr:N:PART"))?);
        name = words.next().unwrap_or_default();
    }
    let level = level(name).ok_or_else(|| wrong(&format!("{}, ppr:N:PART", names())))?;
    let mut cores = 1;
    for word in words.filter(|word| !word.is_empty()) {
        let lower = word.to_ascii_lowercase();
        match lower.strip_prefix("pe=").map(str::parse) {
            Some(Ok(count)) if count > 0 => cores = count,
            None if WITHOUT_EFFECT.contains(&&*lower) => {}
            _ => return Err(wrong(&format!("\"{word}\" is not PE=N"))),
        }
    }
    Ok(Map { level, cores, per_part })
}

fn level(name: &str) -> Option<Level> {
    LEVELS.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
}

fn names() -> String {
    LEVELS[..SHOWN].iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(text: &str) -> Bind {
        Policy::read(Some(text), None).unwrap().bind
    }

    fn map(text: &str) -> Map {
        Policy::read(None, Some(text)).unwrap().map.unwrap()
    }

    #[test]
    fn parts_and_their_modifiers() {
        assert_eq!(bind("none"), Bind::Nothing);
        assert_eq!(bind("core"), Bind::Part(Level::Core, 1));
        assert_eq!(bind("core:4"), Bind::Part(Level::Core, 4));
        assert_eq!(bind("core:overload-allowed"), Bind::Part(Level::Core, 1));
        assert_eq!(bind("l3cache"), Bind::Part(Level::L3, 1));
        let sets = ["0", "2-3", "4,6"].map(|list| CpuSet::parse(list).unwrap());
        assert_eq!(bind("user:0,2-3,4+6"), Bind::User(sets.to_vec()));
        assert_eq!(map("socket"), Map { level: Level::Package, cores: 1, per_part: None });
        assert_eq!(map("slot:PE=2"), Map { level: Level::Node, cores: 2, per_part: None });
        let two = Map { level: Level::Numa, cores: 3, per_part: Some(2) };
        assert_eq!(map("ppr:2:numa:pe=3"), two);
        assert_eq!(Policy::read(None, None).unwrap(), Policy { bind: Bind::Even, map: None });
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for text in ["cores", "core:0", "core:x", "user:", "user:a", ""] {
            let refusal = Policy::read(Some(text), None).unwrap_err();
            assert!(refusal.message.starts_with(&format!("--bind-to {text}:")), "{refusal}");
        }
        for text in ["nodes", "ppr:x:core", "ppr:2", "core:PE=0", "core:7"] {
            let refusal = Policy::read(None, Some(text)).unwrap_err();
            assert!(refusal.message.starts_with(&format!("--map-by {text}:")), "{refusal}");
        }
    }
}
