//! Matching: which message belongs to which receive (MPI 5.0, section 3.5).
//! One [`Queue`] per context. Called by `recv.rs` (a receive looks for a message), `deliver.rs`
//! (a message looks for a receive), `probe.rs` and `cancel.rs`.
//!
//! Invariants. (1) A message goes to the receive that was posted first among those that match.
//! (2) A receive gets the message that arrived first among those that match; messages of one
//! sender arrive in the order of sending. (3) Never do a posted receive and an unexpected message
//! that match each other lie in the queue at the same time.

use super::TransferId;
use crate::status::{ANY_SOURCE, ANY_TAG};
use std::cell::RefCell;
use std::collections::VecDeque;

/// A receive that waits for its message.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    /// The receive.
    pub transfer: TransferId,
    /// Rank in the communicator, or `ANY_SOURCE`.
    pub source: i32,
    /// Tag, or `ANY_TAG`.
    pub tag: i32,
}

/// How a message that nobody waited for has arrived.
pub enum Arrival {
    /// All of it; `sync` is the sender's transfer if it waits for the match.
    Whole {
        /// The bytes.
        data: Box<[u8]>,
        /// The sender's transfer.
        sync: Option<u64>,
    },
    /// Announced: it lies with the sender.
    Announced {
        /// The sender's transfer.
        transfer: u64,
        /// Its length.
        bytes: u64,
        /// Where it lies, or 0 if not in one piece.
        address: u64,
    },
}

impl Arrival {
    /// Length of the message.
    pub fn bytes(&self) -> u64 {
        match self {
            Arrival::Whole { data, .. } => data.len() as u64,
            Arrival::Announced { bytes, .. } => *bytes,
        }
    }
}

/// A message that waits for its receive.
pub struct Unexpected {
    /// World rank of the sender.
    pub from: u32,
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// Tag.
    pub tag: i32,
    /// The message.
    pub arrival: Arrival,
}

/// See the module's page.
#[derive(Default)]
pub struct Queue {
    posted: RefCell<VecDeque<Posted>>,
    unexpected: RefCell<VecDeque<Unexpected>>,
}

#[inline(always)]
fn matches(want_source: i32, want_tag: i32, source: i32, tag: i32) -> bool {
    (want_source == source || want_source == ANY_SOURCE) && (want_tag == tag || want_tag == ANY_TAG)
}

fn take_first<T>(queue: &mut VecDeque<T>, fits: impl FnMut(&T) -> bool) -> Option<T> {
    let index = queue.iter().position(fits)?;
    if index == 0 {
        return queue.pop_front();
    }
    queue.remove(index)
}

impl Queue {
    /// The receive for a message that has arrived; it is no longer posted.
    #[inline]
    pub fn match_posted(&self, source: i32, tag: i32) -> Option<Posted> {
        let mut posted = self.posted.borrow_mut();
        take_first(&mut posted, |p| matches(p.source, p.tag, source, tag))
    }

    /// The message for a receive; it is no longer in the queue.
    #[inline]
    pub fn match_unexpected(&self, source: i32, tag: i32) -> Option<Unexpected> {
        let mut unexpected = self.unexpected.borrow_mut();
        if unexpected.is_empty() {
            return None;
        }
        take_first(&mut unexpected, |u| matches(source, tag, u.source, u.tag))
    }

    /// Looks at the message for a receive without taking it.
    pub fn peek_unexpected<R>(
        &self,
        source: i32,
        tag: i32,
        look: impl FnOnce(&Unexpected) -> R,
    ) -> Option<R> {
        self.unexpected.borrow().iter().find(|u| matches(source, tag, u.source, u.tag)).map(look)
    }

    /// Whether neither receives nor messages wait.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.posted.borrow().is_empty() && self.unexpected.borrow().is_empty()
    }

    /// Adds a receive; nothing in the queue matches it.
    pub fn post(&self, posted: Posted) {
        self.posted.borrow_mut().push_back(posted);
    }

    /// Takes a receive back; false if it is no longer posted.
    pub fn withdraw(&self, transfer: TransferId) -> bool {
        take_first(&mut self.posted.borrow_mut(), |p| p.transfer == transfer).is_some()
    }

    /// Adds a message; no posted receive matches it.
    pub fn add_unexpected(&self, message: Unexpected) {
        self.unexpected.borrow_mut().push_back(message);
    }

    /// Forgets the message that the transfer `id` of world rank `from` announced.
    pub fn forget_unexpected(&self, from: u32, id: u64) -> bool {
        let is_it = |u: &Unexpected| {
            u.from == from
                && match u.arrival {
                    Arrival::Whole { sync, .. } => sync == Some(id),
                    Arrival::Announced { transfer, .. } => transfer == id,
                }
        };
        take_first(&mut self.unexpected.borrow_mut(), is_it).is_some()
    }

    /// Number of posted receives and of unexpected messages.
    pub fn lengths(&self) -> (usize, usize) {
        (self.posted.borrow().len(), self.unexpected.borrow().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(id: u64, source: i32, tag: i32) -> Posted {
        Posted { transfer: TransferId(id), source, tag }
    }

    #[test]
    fn the_first_posted_receive_that_matches_wins() {
        let queue = Queue::default();
        queue.post(posted(1, 5, 7));
        queue.post(posted(2, ANY_SOURCE, ANY_TAG));
        queue.post(posted(3, 4, 7));
        assert_eq!(queue.match_posted(4, 7).unwrap().transfer, TransferId(2));
        assert_eq!(queue.match_posted(4, 7).unwrap().transfer, TransferId(3));
        assert!(queue.match_posted(4, 7).is_none());
        assert!(queue.withdraw(TransferId(1)) && !queue.withdraw(TransferId(1)));
    }

    #[test]
    fn the_first_message_that_matches_wins() {
        let queue = Queue::default();
        for (i, tag) in [9, 7, 7].into_iter().enumerate() {
            let data = vec![i as u8].into_boxed_slice();
            let arrival = Arrival::Whole { data, sync: None };
            queue.add_unexpected(Unexpected { from: 0, source: 0, tag, arrival });
        }
        let first = |u: Unexpected| match u.arrival {
            Arrival::Whole { data, .. } => data[0],
            _ => unreachable!(),
        };
        assert_eq!(first(queue.match_unexpected(0, 7).unwrap()), 1);
        assert_eq!(first(queue.match_unexpected(ANY_SOURCE, ANY_TAG).unwrap()), 0);
        assert_eq!(first(queue.match_unexpected(0, ANY_TAG).unwrap()), 2);
    }
}
