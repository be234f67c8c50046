//! Ranks of one node, through the memory segment that all of them map.
//!
//! `segment.rs` lays out the memory, `send.rs` claims a place and writes, `inbox.rs` finds what
//! has arrived, `single_copy.rs` reads large messages straight from the other process. This file
//! ties them to the [`Transport`] trait.

mod inbox;
pub mod segment;
mod send;
mod single_copy;

use crate::{Attachment, Fill, Front, Head, Sent, Sink, Take, Transport, TransportError};
use segment::Segment;
use starling_settings::Counters;
use starling_sys::cross_memory::Piece;
use starling_sys::fence::Fences;
use std::sync::Arc;

/// The end of one rank.
pub struct Shm {
    segment: Arc<Segment>,
    fences: Fences,
    me: u32,
    sender: send::Sender,
    inbox: inbox::Inbox,
    readers: single_copy::Readers,
}

impl Shm {
    /// Attaches a rank to its node's segment. `counters` are the rank's.
    pub fn attach(
        segment: Arc<Segment>,
        attachment: Attachment,
        counters: &'static Counters,
    ) -> Shm {
        let me = attachment.rank;
        let fences = attachment.fences;
        segment.announce(me, attachment.fences.is_heard());
        Shm {
            fences,
            me,
            sender: send::Sender::new(segment.clone(), me, fences, counters),
            inbox: inbox::Inbox::new(segment.clone(), me, fences),
            readers: single_copy::Readers::new(segment.clone()),
            segment,
        }
    }
}

impl Transport for Shm {
    fn name(&self) -> &'static str {
        "shm"
    }

    fn reaches(&self, peer: u32) -> bool {
        peer != self.me && peer < self.segment.places()
    }

    fn body_max(&self) -> usize {
        self.segment.geometry().body_max()
    }

    #[inline]
    fn try_send(&self, peer: u32, head: &Head, body: &[u8]) -> Result<Sent, TransportError> {
        self.sender.send(peer, head, body)
    }

    fn try_send_with(
        &self,
        peer: u32,
        head: &Head,
        len: usize,
        fill: Fill<'_>,
    ) -> Result<Sent, TransportError> {
        self.sender.send_with(peer, head, len, fill)
    }

    fn poll(&self, sink: Sink<'_>) -> Result<usize, TransportError> {
        let before = self.inbox.renewals_seen();
        let count = self.inbox.poll(sink)?;
        if self.inbox.renewals_seen() != before {
            self.sender.forget_all();
        }
        Ok(count)
    }

    fn poll_from(&self, peer: u32, sink: Sink<'_>) -> Result<usize, TransportError> {
        self.inbox.poll_from(peer, sink)
    }

    #[inline]
    fn take_from(&self, peer: u32, take: Take<'_>) -> Result<Front, TransportError> {
        self.inbox.take_front(peer, take)
    }

    fn can_read(&self, peer: u32) -> bool {
        self.readers.can_read(peer)
    }

    unsafe fn read(&self, peer: u32, remote: Piece, local: &[Piece]) -> Result<(), String> {
        // SAFETY: the caller's contract is the same.
        unsafe { self.readers.read(peer, remote, local) }
    }

    fn wait_for_place(&self, peers: &[u32], fences: Fences) {
        self.sender.wait_for_place(peers, fences);
    }

    fn meet(&self, peer: u32) {
        self.sender.forget(peer);
        self.readers.forget(peer);
    }

    fn ring(&self, peer: u32) {
        self.segment.bell(peer).ring(self.fences);
    }
}
