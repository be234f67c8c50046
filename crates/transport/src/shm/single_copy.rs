//! Reading a large message straight out of the sending process (`sys::cross_memory`), and
//! remembering where that is denied. Called by the transport's `read`.
//! States per peer: untried -> allowed | denied; decided by the first read, which tries one word
//! of the peer first; a later error turns allowed into denied for good.

use super::segment::{Segment, PROBE};
use starling_sys::cross_memory::{self, Piece};
use std::cell::RefCell;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Untried,
    Allowed,
    Denied,
}

pub(super) struct Readers {
    segment: Arc<Segment>,
    access: RefCell<Vec<Access>>,
    first: Access,
}

impl Readers {
    pub(super) fn new(segment: Arc<Segment>) -> Readers {
        let first =
            if starling_settings::tunables().cma { Access::Untried } else { Access::Denied };
        let access = RefCell::new(vec![first; segment.places() as usize]);
        Readers { segment, access, first }
    }

    /// Another process has the place of `peer`: nothing is known of it.
    pub(super) fn forget(&self, peer: u32) {
        self.access.borrow_mut()[peer as usize] = self.first;
    }

    pub(super) fn can_read(&self, peer: u32) -> bool {
        self.access.borrow()[peer as usize] != Access::Denied
    }

    /// # Safety
    /// As for `Transport::read`.
    pub(super) unsafe fn read(
        &self,
        peer: u32,
        remote: Piece,
        local: &[Piece],
    ) -> Result<(), String> {
        if self.access.borrow()[peer as usize] == Access::Untried {
            self.probe(peer)?;
        }
        let (process, _) = self.segment.process(peer).ok_or("the peer has not attached")?;
        // SAFETY: the caller's contract.
        let result = unsafe { cross_memory::read(process, remote, local) };
        result.map_err(|error| {
            self.access.borrow_mut()[peer as usize] = Access::Denied;
            error.to_string()
        })
    }

    /// Reads the peer's probe word and compares it: proves that the kernel allows it and that
    /// the process id means the same process here (it does not across PID namespaces).
    fn probe(&self, peer: u32) -> Result<(), String> {
        let mut word = 0u64;
        let local = [Piece { addr: &raw mut word as usize, len: 8 }];
        let result = match self.segment.process(peer) {
            None => Err("the peer has not attached".to_string()),
            Some((process, probe)) => {
                // SAFETY: `word` is ours and eight bytes long.
                unsafe { cross_memory::read(process, Piece { addr: probe, len: 8 }, &local) }
                    .map_err(|e| e.to_string())
            }
        };
        // SAFETY: a plain read of our own variable, which the kernel may have written.
        let same = unsafe { (&raw const word).read_volatile() } == PROBE;
        let good = result.and_then(|()| same.then_some(()).ok_or("another process".to_string()));
        self.access.borrow_mut()[peer as usize] =
            if good.is_ok() { Access::Allowed } else { Access::Denied };
        good
    }
}
