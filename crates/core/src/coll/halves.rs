//! Doubling algorithms need a power of two of participants. With more processes, the first few
//! pairs of neighbours are represented by their second member; ranks stay in order, so operations
//! that do not commute stay right.
//!
//! ```text
//! n = 7, p = 4:   ranks         0 1   2 3   4 5   6
//!                 participants    0     1     2   3
//! ```

/// The participants among `n` processes.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    /// Number of participants, a power of two.
    pub p: u32,
    /// Number of pairs.
    pub pairs: u32,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Hands its data to the next rank and waits for the result.
    Represented,
    /// Takes part under this number, for the rank before it as well if the flag is set.
    Participant(u32, bool),
}

impl Halves {
    pub fn of(n: u32) -> Halves {
        let p = 1 << n.ilog2();
        Halves { p, pairs: n - p }
    }

    /// What rank `rank` does.
    pub fn part(&self, rank: u32) -> Part {
        match rank < 2 * self.pairs {
            true if rank.is_multiple_of(2) => Part::Represented,
            true => Part::Participant(rank / 2, true),
            false => Part::Participant(rank - self.pairs, false),
        }
    }

    /// The rank of participant `v`.
    pub fn rank(&self, v: u32) -> u32 {
        if v < self.pairs {
            2 * v + 1
        } else {
            v + self.pairs
        }
    }

    /// The first rank that participant `v` stands for; for `p`, the number of processes.
    pub fn first(&self, v: u32) -> u32 {
        v + v.min(self.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_one_participant() {
        for n in 1..40 {
            let halves = Halves::of(n);
            assert!(halves.p <= n && 2 * halves.p > n && halves.first(halves.p) == n);
            for v in 0..halves.p {
                let both = halves.first(v) + 1 == halves.rank(v);
                assert_eq!(halves.part(halves.rank(v)), Part::Participant(v, both));
                assert!(both || halves.first(v) == halves.rank(v));
                assert!(!both || halves.part(halves.first(v)) == Part::Represented);
            }
        }
    }
}
