//! What the tools interface shows of the engine (MPI 5.0, chapter 15): how its variables belong
//! together, and what happens. The variables themselves are the tunables and counters of
//! `starling_settings`. Called by `abi::tool`, and by `p2p::deliver` when something happens.

use crate::rank::Rank;
use std::cell::RefCell;
use std::rc::Rc;

/// A message that arrived before its receive was posted.
#[derive(Clone, Copy, Debug)]
pub struct Unexpected {
    /// World rank of the sender.
    pub source: u32,
    /// Tag of the message; collectives number theirs.
    pub tag: i32,
    /// Length of the message.
    pub bytes: u64,
}

/// Who is told of such messages.
pub type Listener = Rc<dyn Fn(Unexpected)>;

/// The listener, if there is one.
#[derive(Default)]
pub struct Watch(RefCell<Option<Listener>>);

impl Watch {
    /// Tells `tool` from now on, or nobody.
    pub fn set(&self, tool: Option<Listener>) {
        *self.0.borrow_mut() = tool;
    }
}

impl Rank {
    /// Counts an unexpected message, and tells of it.
    pub(crate) fn note_unexpected(&self, source: u32, tag: i32, bytes: u64) {
        self.counters.unexpected_messages.add(1);
        // The tool may end its watch from inside.
        let tool = self.watch.0.borrow().clone();
        if let Some(tool) = tool {
            tool(Unexpected { source, tag, bytes });
        }
    }
}

/// Variables that belong together.
pub struct Category {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub doc: &'static str,
    /// Indices of control variables (tunables, in their order).
    pub tunables: Vec<usize>,
    /// Indices of performance variables (counters, in their order).
    pub counters: Vec<usize>,
}

/// Name, meaning, and how the names of the variables begin. The first that fits counts; the last
/// takes what fits nowhere else.
const CATEGORIES: [(&str, &str, &[&str]); 4] = [
    (
        "point_to_point",
        "How messages get to their receivers.",
        &[
            "messages_",
            "eager_",
            "ring_",
            "rings_",
            "fragment_",
            "single_copy_",
            "cma",
            "unexpected_",
        ],
    ),
    ("progress", "How a rank waits, and how it is woken.", &["spin_", "sleeps", "wakes"]),
    ("collective", "How collectives are done.", &["coll"]),
    ("general", "Everything else.", &[""]),
];

/// The number of the category that a variable belongs to.
pub fn category_of(variable: &str) -> usize {
    let fits =
        |(.., starts): &(&str, &str, &[&str])| starts.iter().any(|s| variable.starts_with(s));
    CATEGORIES.iter().position(fits).unwrap_or(CATEGORIES.len() - 1)
}

/// All categories, with the indices of those of `tunables` and `counters` that belong to each.
pub fn categories(tunables: &[&str], counters: &[&str]) -> Vec<Category> {
    let of = |names: &[&str], category: usize| {
        (0..names.len()).filter(|i| category_of(names[*i]) == category).collect()
    };
    let rows = CATEGORIES.iter().enumerate();
    rows.map(|(i, (name, doc, _))| Category {
        name,
        doc,
        tunables: of(tunables, i),
        counters: of(counters, i),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_one_category() {
        let tunables = ["spin_ns", "eager_limit", "unheard_of"];
        let counters = ["sleeps", "ring_full", "messages_eager", "another"];
        let all = categories(&tunables, &counters);
        let find = |name| all.iter().find(|c| c.name == name).unwrap();
        assert_eq!(find("progress").tunables, [0]);
        assert_eq!(find("point_to_point").tunables, [1]);
        assert_eq!(find("general").tunables, [2]);
        assert_eq!(find("point_to_point").counters, [1, 2]);
        assert_eq!(all.iter().map(|c| c.tunables.len()).sum::<usize>(), tunables.len());
        assert_eq!(all.iter().map(|c| c.counters.len()).sum::<usize>(), counters.len());
    }
}
