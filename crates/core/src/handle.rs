//! Handles: 32 bits that name an object of a rank.
//!
//! ```text
//! bits 28..31  kind         never 0, so that no handle looks like a predefined one (< 0x1000)
//! bits 22..27  generation   changes when the index is used again
//! bits  0..21  index        into the rank's table of that kind
//! ```
//! Predefined objects have the numbers of the MPI 5.0 ABI (section 20.3, all below 0x1000) and lie
//! in front of the table. A stale or foreign handle is recognised and never dereferenced.

/// What a handle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the standard's own nouns
pub enum Kind {
    Comm = 1,
    Group = 2,
    Datatype = 3,
    Op = 4,
    Request = 5,
    Errhandler = 6,
    Info = 7,
    Message = 8,
    Win = 9,
    File = 10,
    Session = 11,
    Keyval = 12,
}

impl Kind {
    const ALL: [Kind; 12] = [
        Kind::Comm,
        Kind::Group,
        Kind::Datatype,
        Kind::Op,
        Kind::Request,
        Kind::Errhandler,
        Kind::Info,
        Kind::Message,
        Kind::Win,
        Kind::File,
        Kind::Session,
        Kind::Keyval,
    ];

    /// The noun, with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Comm => "a communicator",
            Kind::Group => "a group",
            Kind::Datatype => "a datatype",
            Kind::Op => "an operation",
            Kind::Request => "a request",
            Kind::Errhandler => "an error handler",
            Kind::Info => "an info object",
            Kind::Message => "a matched message",
            Kind::Win => "a window",
            Kind::File => "a file",
            Kind::Session => "a session",
            Kind::Keyval => "an attribute key",
        }
    }

    /// The kind that a handle's bits claim.
    pub fn of(handle: u32) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| *k as u32 == handle >> 28)
    }
}

const INDEX_BITS: u32 = 22;
const GENERATION_MASK: u32 = 0x3f;

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// The objects of one kind that a rank has.
pub struct Table<T> {
    kind: Kind,
    slots: Vec<Slot<T>>,
    /// Indices free for use, oldest first, so that a generation lasts as long as possible.
    free: std::collections::VecDeque<u32>,
}

/// Why a handle names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It was valid once and has been freed.
    Freed,
    /// It names an object of another kind.
    OtherKind(Kind),
    /// It was never given out.
    Unknown,
}

impl<T> Table<T> {
    /// An empty table.
    pub fn new(kind: Kind) -> Table<T> {
        Table { kind, slots: Vec::new(), free: Default::default() }
    }

    /// Takes an object in; returns its handle, or `None` when 2^22 objects of the kind exist.
    pub fn insert(&mut self, value: T) -> Option<u32> {
        let reuse = self.free.len() > 64 || self.slots.len() == 1 << INDEX_BITS;
        let index = match reuse.then(|| self.free.pop_front()).flatten() {
            Some(index) => index,
            None if self.slots.len() < 1 << INDEX_BITS => {
                self.slots.push(Slot { generation: 0, value: None });
                self.slots.len() as u32 - 1
            }
            None => return None,
        };
        let slot = &mut self.slots[index as usize];
        slot.value = Some(value);
        Some((self.kind as u32) << 28 | slot.generation << INDEX_BITS | index)
    }

    #[inline]
    fn index(&self, handle: u32) -> Result<usize, Invalid> {
        let index = (handle & ((1 << INDEX_BITS) - 1)) as usize;
        let generation = handle >> INDEX_BITS & GENERATION_MASK;
        match self.slots.get(index) {
            Some(slot)
                if handle >> 28 == self.kind as u32
                    && slot.generation == generation
                    && slot.value.is_some() =>
            {
                Ok(index)
            }
            slot => Err(self.explain(handle, slot.is_some())),
        }
    }

    #[cold]
    fn explain(&self, handle: u32, known: bool) -> Invalid {
        match Kind::of(handle) {
            Some(kind) if kind == self.kind && known => Invalid::Freed,
            Some(kind) if kind != self.kind => Invalid::OtherKind(kind),
            _ => Invalid::Unknown,
        }
    }

    /// The object that `handle` names.
    #[inline]
    pub fn get(&self, handle: u32) -> Result<&T, Invalid> {
        let index = self.index(handle)?;
        self.slots[index].value.as_ref().ok_or(Invalid::Freed)
    }

    /// As [`Table::get`], to be changed.
    #[inline]
    pub fn get_mut(&mut self, handle: u32) -> Result<&mut T, Invalid> {
        let index = self.index(handle)?;
        self.slots[index].value.as_mut().ok_or(Invalid::Freed)
    }

    /// Takes the object out; the handle is stale from now on.
    pub fn remove(&mut self, handle: u32) -> Result<T, Invalid> {
        let index = self.index(handle)?;
        let slot = &mut self.slots[index];
        slot.generation = (slot.generation + 1) & GENERATION_MASK;
        let value = slot.value.take().ok_or(Invalid::Freed)?;
        self.free.push_back(index as u32);
        Ok(value)
    }

    /// Number of live objects.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether no object is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All live objects.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.value.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_and_foreign_handles_are_told_apart() {
        let mut groups = Table::new(Kind::Group);
        let mut infos = Table::new(Kind::Info);
        let a = groups.insert("a").unwrap();
        let i = infos.insert("i").unwrap();
        assert!(a > 0xfff && i > 0xfff);
        assert_eq!(groups.get(a), Ok(&"a"));
        assert_eq!(groups.get(i), Err(Invalid::OtherKind(Kind::Info)));
        assert_eq!(groups.remove(a), Ok("a"));
        assert_eq!(groups.get(a), Err(Invalid::Freed));
        assert_eq!(groups.get(0), Err(Invalid::Unknown));
        assert_eq!(groups.get(0x2000_0777), Err(Invalid::Unknown));
    }

    #[test]
    fn a_used_again_index_gets_another_handle() {
        let mut table = Table::new(Kind::Op);
        let old: Vec<u32> = (0..200).map(|i| table.insert(i).unwrap()).collect();
        for h in &old {
            table.remove(*h).unwrap();
        }
        for i in 0..200 {
            let new = table.insert(i).unwrap();
            assert!(!old.contains(&new));
        }
        assert!(old.iter().all(|h| table.get(*h).is_err()));
    }
}
