//! Which algorithm runs: every operation with a choice has a table of rows, and the cheapest row
//! that is valid is taken. Costs are estimates in the style of Thakur, Rabenseifner and Gropp
//! (2005): messages times [`ALPHA`] plus bytes times [`BETA`] plus bytes combined times [`GAMMA`],
//! along the longest chain of dependent steps.
//!
//! All processes must come to the same row, so a [`Shape`] holds only what the standard requires
//! to be the same everywhere: never counts and types apart, only the packed bytes they make, and
//! element counts only in reductions.

use super::reduction::Reducer;
use crate::buffer::Data;

/// Nanoseconds per message.
pub const ALPHA: f64 = 600.0;
/// Nanoseconds per byte moved.
pub const BETA: f64 = 0.1;
/// Nanoseconds per byte combined by a reduction.
pub const GAMMA: f64 = 0.1;

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of processes.
    pub n: u32,
    /// Packed bytes; each table says of what.
    pub bytes: u64,
    /// Elements of a reduction, otherwise 0.
    pub count: i64,
    /// Whether operands of a reduction may be exchanged.
    pub commutative: bool,
    /// Whether the node has more processes than cores.
    pub crowded: bool,
}

/// Whether `n` processes are more than the machine has cores. Not what each process may use: the
/// answer must be the same for all.
pub fn is_crowded(n: u32) -> bool {
    n as usize > starling_sys::online_cpus()
}

impl Shape {
    /// For an operation that moves data.
    pub fn moving(n: u32, bytes: u64) -> Shape {
        Shape { n, bytes, count: 0, commutative: true, crowded: is_crowded(n) }
    }

    /// For a reduction of operands like `data`.
    pub fn reducing(n: u32, data: &Data, op: &Reducer) -> Shape {
        let (bytes, count) = (data.bytes(), data.count);
        Shape { n, bytes, count, commutative: op.is_commutative(), crowded: is_crowded(n) }
    }

    /// Rounds of a doubling algorithm: log2 of the number of processes, rounded up.
    pub fn rounds(&self) -> f64 {
        self.n.next_power_of_two().trailing_zeros() as f64
    }

    /// The processes other than this one.
    pub fn others(&self) -> f64 {
        (self.n - 1) as f64
    }

    /// The bytes, as a factor of costs.
    pub fn size(&self) -> f64 {
        self.bytes as f64
    }
}

/// One algorithm.
pub struct Row<A: 'static> {
    /// Its name, by which it can be forced.
    pub name: &'static str,
    /// What the operation's `match` runs.
    pub algorithm: A,
    /// Whether it can do this.
    pub valid: fn(&Shape) -> bool,
    /// How long it takes, in nanoseconds.
    pub cost: fn(&Shape) -> f64,
}

/// Of a row that can do everything.
pub fn always(_: &Shape) -> bool {
    true
}

/// The row to run: the forced one if it is in this table and valid, otherwise the cheapest.
pub fn choose<A: Copy>(rows: &[Row<A>], shape: &Shape, forced: Option<&str>) -> A {
    let valid = || rows.iter().filter(|row| (row.valid)(shape));
    if let Some(row) = valid().find(|row| Some(row.name) == forced) {
        return row.algorithm;
    }
    let cheapest = valid().min_by(|a, b| (a.cost)(shape).total_cmp(&(b.cost)(shape)));
    cheapest.expect("every table has a row that is always valid").algorithm
}
