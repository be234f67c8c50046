//! Info objects: lists of (key, value) pairs (MPI 5.0, chapter 10). Called by `abi` and by
//! whoever reads hints.

/// The pairs, in the order in which they were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pairs: Vec<(String, String)>,
}

impl Info {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Sets `key` to `value`, replacing an old value in place.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.pairs.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value.to_string(),
            None => self.pairs.push((key.to_string(), value.to_string())),
        }
    }

    /// Removes `key`; false if it is not there.
    pub fn delete(&mut self, key: &str) -> bool {
        let before = self.pairs.len();
        self.pairs.retain(|(k, _)| k != key);
        self.pairs.len() != before
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The key with number `index`, from 0.
    pub fn key(&self, index: usize) -> Option<&str> {
        self.pairs.get(index).map(|(k, _)| k.as_str())
    }
}
