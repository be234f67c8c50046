//! A set of CPU numbers, as the kernel writes and takes them.
//!
//! Called by everything that talks about CPUs. Relies on nothing.

use std::fmt;

/// A set of CPU numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    /// Bit `n % 64` of word `n / 64` is CPU `n`; no zero words at the end, so that equal sets
    /// compare equal.
    words: Vec<u64>,
}

/// The largest CPU number a list may name; a longer one is rubbish rather than a machine.
const CPU_MAX: u32 = 1 << 16;

impl CpuSet {
    /// The empty set.
    pub fn new() -> CpuSet {
        CpuSet::default()
    }

    /// Reads the kernel's list format: `0-3,8,10-11`. None when it is not one.
    pub fn parse(list: &str) -> Option<CpuSet> {
        let mut set = CpuSet::new();
        for part in list.trim().split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            if first > last || last > CPU_MAX {
                return None;
            }
            (first..=last).for_each(|cpu| set.insert(cpu));
        }
        Some(set)
    }

    /// Reads bits as the kernel keeps them: CPU 0 is the lowest bit of the first word.
    pub fn from_words(words: &[u64]) -> CpuSet {
        let mut set = CpuSet { words: words.to_vec() };
        set.shrink();
        set
    }

    /// The bits as the kernel keeps them.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds a CPU.
    pub fn insert(&mut self, cpu: u32) {
        let word = cpu as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cpu % 64);
    }

    /// Whether the CPU is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.words.get(cpu as usize / 64).is_some_and(|word| word >> (cpu % 64) & 1 == 1)
    }

    /// How many CPUs are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has no CPU.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The CPUs in both sets.
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        let mut set = CpuSet { words };
        set.shrink();
        set
    }

    /// The CPUs in either set.
    pub fn union(&self, other: &CpuSet) -> CpuSet {
        self.iter().chain(other.iter()).collect()
    }

    /// The CPU numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.words.len() as u32 * 64).filter(|&cpu| self.contains(cpu))
    }

    fn shrink(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> CpuSet {
        let mut set = CpuSet::new();
        cpus.into_iter().for_each(|cpu| set.insert(cpu));
        set
    }
}

/// The kernel's list format.
impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpus: Vec<u32> = self.iter().collect();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for cpu in cpus {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == cpu => *last = cpu,
                _ => runs.push((cpu, cpu)),
            }
        }
        for (index, (first, last)) in runs.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        for list in ["", "0", "0-3", "0-3,8,10-11", "63-64", "200"] {
            assert_eq!(CpuSet::parse(list).unwrap().to_string(), list);
        }
        assert_eq!(CpuSet::parse("0,1,2\n").unwrap().to_string(), "0-2");
        for rubbish in ["a", "3-1", "1-", "-1", "0-99999999"] {
            assert_eq!(CpuSet::parse(rubbish), None, "{rubbish}");
        }
    }

    #[test]
    fn set_arithmetic() {
        let a = CpuSet::parse("0-3,64-70").unwrap();
        let b = CpuSet::parse("2-9").unwrap();
        assert_eq!(a.intersection(&b).to_string(), "2-3");
        assert_eq!(a.union(&b).to_string(), "0-9,64-70");
        assert_eq!((a.len(), b.len()), (11, 8));
        assert!(a.contains(64) && !a.contains(71) && !a.contains(1000));
        assert!(a.intersection(&CpuSet::parse("100").unwrap()).is_empty());
        assert_eq!(CpuSet::from_words(&[6, 0]), CpuSet::parse("1-2").unwrap());
        assert!(CpuSet::from_words(&[0, 0]).is_empty());
    }
}
