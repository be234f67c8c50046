//! Ranks of one process. A [`Hub`] holds an inbox per rank; sending copies the message into the
//! receiver's inbox, reading from a peer's memory is a plain copy.
//! Used by every rank for messages to itself, and by tests that host ranks as threads.
//!
//! Invariant: `waiting` is the length of `queue`, changed under its lock; a reader that finds it
//! zero may skip the lock, because a sender rings the bell after it has changed it.

use crate::{Attachment, Fill, Front, Head, Packet, Sent, Sink, Take, Transport, TransportError};
use starling_sys::bell::Bell;
use starling_sys::cross_memory::Piece;
use starling_sys::fence::Fences;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Messages delivered by one poll at most, so that a flood does not starve the caller.
const BATCH: usize = 64;
/// Largest body. Larger messages are read directly, which costs no more here.
const BODY_MAX: usize = 1 << 20;

struct Letter {
    from: u32,
    head: Head,
    body: Box<[u8]>,
}

#[derive(Default)]
struct Inbox {
    waiting: AtomicUsize,
    queue: Mutex<VecDeque<Letter>>,
    bell: OnceLock<(&'static Bell, Fences)>,
}

/// The inboxes of the ranks `first .. first + n` that live in this process.
pub struct Hub {
    first: u32,
    inboxes: Vec<Inbox>,
}

impl Hub {
    /// A hub for `count` ranks from `first` on.
    pub fn new(first: u32, count: u32) -> Arc<Hub> {
        Arc::new(Hub { first, inboxes: (0..count).map(|_| Inbox::default()).collect() })
    }

    fn inbox(&self, rank: u32) -> &Inbox {
        &self.inboxes[(rank - self.first) as usize]
    }
}

/// The end of one rank.
pub struct Local {
    hub: Arc<Hub>,
    me: u32,
}

impl Local {
    /// Attaches a rank to its hub.
    pub fn attach(hub: Arc<Hub>, attachment: Attachment) -> Local {
        let inbox = hub.inbox(attachment.rank);
        assert!(
            inbox.bell.set((attachment.bell, attachment.fences)).is_ok(),
            "rank {} is attached to its hub twice",
            attachment.rank
        );
        Local { me: attachment.rank, hub }
    }

    fn deliver(&self, peer: u32, head: &Head, body: Box<[u8]>) -> Sent {
        let inbox = self.hub.inbox(peer);
        {
            let mut queue = inbox.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.push_back(Letter { from: self.me, head: *head, body });
            inbox.waiting.store(queue.len(), Ordering::Release); // pairs with Acquire in `take`
        }
        if peer != self.me {
            self.ring(peer);
        }
        Sent::Yes
    }

    fn take(&self) -> Option<Letter> {
        let inbox = self.hub.inbox(self.me);
        if inbox.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut queue = inbox.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let letter = queue.pop_front();
        inbox.waiting.store(queue.len(), Ordering::Release);
        letter
    }
}

impl Transport for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn reaches(&self, peer: u32) -> bool {
        peer >= self.hub.first && ((peer - self.hub.first) as usize) < self.hub.inboxes.len()
    }

    fn body_max(&self) -> usize {
        BODY_MAX
    }

    fn try_send(&self, peer: u32, head: &Head, body: &[u8]) -> Result<Sent, TransportError> {
        Ok(self.deliver(peer, head, body.into()))
    }

    fn try_send_with(
        &self,
        peer: u32,
        head: &Head,
        len: usize,
        fill: Fill<'_>,
    ) -> Result<Sent, TransportError> {
        let mut body = vec![0; len].into_boxed_slice();
        fill(&mut body);
        Ok(self.deliver(peer, head, body))
    }

    fn poll(&self, sink: Sink<'_>) -> Result<usize, TransportError> {
        let mut count = 0;
        while count < BATCH {
            let Some(letter) = self.take() else { break };
            sink(Packet { from: letter.from, head: letter.head, body: &letter.body });
            count += 1;
        }
        Ok(count)
    }

    fn poll_from(&self, _peer: u32, sink: Sink<'_>) -> Result<usize, TransportError> {
        self.poll(sink)
    }

    fn take_from(&self, peer: u32, take: Take<'_>) -> Result<Front, TransportError> {
        let inbox = self.hub.inbox(self.me);
        if inbox.waiting.load(Ordering::Acquire) == 0 {
            return Ok(Front::Empty);
        }
        let mut queue = inbox.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // One inbox for all senders: only its very first message is looked at.
        let Some(letter) = queue.front().filter(|letter| letter.from == peer) else {
            return Ok(Front::Other);
        };
        if !take(&letter.head, &letter.body) {
            return Ok(Front::Other);
        }
        queue.pop_front();
        inbox.waiting.store(queue.len(), Ordering::Release);
        Ok(Front::Taken)
    }

    fn can_read(&self, _peer: u32) -> bool {
        true
    }

    unsafe fn read(&self, _peer: u32, remote: Piece, local: &[Piece]) -> Result<(), String> {
        let mut from = remote.addr as *const u8;
        let mut left = remote.len;
        for piece in local {
            let len = piece.len.min(left);
            // SAFETY: same address space; the caller vouches for both sides, and a rank may
            // legally send from where it receives only if the ranges are the same or apart.
            unsafe {
                std::ptr::copy(from, piece.addr as *mut u8, len);
                from = from.add(len);
            }
            left -= len;
        }
        Ok(())
    }

    fn wait_for_place(&self, _peers: &[u32], _fences: Fences) {
        // There is always place.
    }

    fn ring(&self, peer: u32) {
        // A rank that has not attached yet finds its letters when it first polls.
        if let Some((bell, fences)) = self.hub.inbox(peer).bell.get() {
            bell.ring(*fences);
        }
    }
}
