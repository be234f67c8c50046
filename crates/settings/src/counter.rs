//! One event counter: a number with a single writer that anyone may read.
//!
//! Used by the generated `Counters`. Counting must cost next to nothing on the path of a message,
//! so it is a plain load and a plain store, never a locked instruction.

use std::sync::atomic::{AtomicU64, Ordering};

/// A count of events since the start of the rank.
///
/// Only the thread that runs the rank may call [`add`](Counter::add); two writers at once lose
/// counts (nothing worse). Any thread may call [`get`](Counter::get) at any time.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts `n` more events. Wraps around after 2^64.
    #[inline(always)]
    pub fn add(&self, n: u64) {
        // Relaxed, both: a counter orders nothing, and there is one writer, so nobody can store
        // between the load and the store.
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
    }

    /// The count so far; another thread may see it a moment late.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counters;

    #[test]
    fn counts() {
        let counter = Counter::default();
        assert_eq!(counter.get(), 0);
        counter.add(3);
        counter.add(0);
        counter.add(4);
        assert_eq!(counter.get(), 7);
    }

    #[test]
    fn wraps_instead_of_panicking() {
        let counter = Counter::default();
        counter.add(u64::MAX);
        counter.add(2);
        assert_eq!(counter.get(), 1);
    }

    #[test]
    fn the_list_shows_each_field_under_its_name() {
        let counters = Counters::default();
        counters.messages_inline.add(5);
        counters.wakes.add(9);
        let list = counters.list();
        let value = |name: &str| list.iter().find(|row| row.0 == name).map(|row| row.2);
        assert_eq!(value("messages_inline"), Some(5));
        assert_eq!(value("wakes"), Some(9));
        assert_eq!(list.iter().map(|row| row.2).sum::<u64>(), 14);
        assert!(list.iter().all(|row| row.1.ends_with('.')), "every counter has a sentence");
    }
}
