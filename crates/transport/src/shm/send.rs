//! The sending half: claim a place in the ring to a peer, write, publish, and tell the peer if it
//! does not look there by itself. Called by the transport's `try_send`.

use super::segment::Segment;
use crate::{Fill, Head, Sent, TransportError};
use starling_settings::Counters;
use starling_sys::bell::Bell;
use starling_sys::copy;
use starling_sys::fence::Fences;
use starling_sys::queue::spsc_ring::{Producer, INLINE_MAX};
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// What is needed to send to one peer; made with the first message to it.
struct Link {
    peer: u32,
    /// Of the peer's place, when the link was made.
    generation: u32,
    producer: Producer,
    ring: *mut u8,
    payload_reserved: Cell<bool>,
    bell: *const Bell,
    pending: *const AtomicU64,
    bit: u64,
}

pub(super) struct Sender {
    segment: Arc<Segment>,
    me: u32,
    fences: Fences,
    counters: &'static Counters,
    /// Only [`Sender::forget`] takes one out, and no reference to one outlives a call.
    links: Vec<UnsafeCell<Option<Link>>>,
}

impl Sender {
    pub(super) fn new(
        segment: Arc<Segment>,
        me: u32,
        fences: Fences,
        counters: &'static Counters,
    ) -> Sender {
        let links = (0..segment.places()).map(|_| UnsafeCell::new(None)).collect();
        Sender { segment, me, fences, counters, links }
    }

    #[inline(always)]
    fn find(&self, peer: u32) -> Option<&Link> {
        // SAFETY: the transport is used by one thread at a time, and nothing that runs while a
        // reference from here lives changes the cell: `make_link` fills it before it gives one
        // out, `forget` is called by `Shm::meet` and `Shm::poll`, between messages.
        unsafe { (*self.links[peer as usize].get()).as_ref() }
    }

    #[inline(always)]
    fn link(&self, peer: u32) -> Result<&Link, TransportError> {
        match self.find(peer) {
            Some(link) => Ok(link),
            None => self.make_link(peer),
        }
    }

    #[cold]
    fn make_link(&self, peer: u32) -> Result<&Link, TransportError> {
        let ring = self.segment.make_ring(peer, self.me)?;
        self.counters.rings_made.add(1);
        let link = Link {
            peer,
            generation: self.segment.generation(peer),
            // SAFETY: fresh zeroed memory of the segment, which lives as long as `self.segment`;
            // a sender makes one ring per peer, so this is its only producer.
            producer: unsafe { Producer::new(ring, self.segment.geometry()) },
            ring,
            payload_reserved: Cell::new(false),
            bell: self.segment.bell(peer),
            pending: self.segment.pending(peer, self.me as usize / 64),
            bit: 1 << (self.me % 64),
        };
        // SAFETY: as in `find`; there was none, so nobody has a reference to it.
        Ok(unsafe { (*self.links[peer as usize].get()).insert(link) })
    }

    /// Drops all links that lead to processes that have ended and whose places others have.
    pub(super) fn forget_all(&self) {
        (0..self.segment.places()).for_each(|peer| self.forget(peer));
    }

    /// Drops the link to `peer` if it leads to a process that had the place before.
    pub(super) fn forget(&self, peer: u32) {
        let generation = self.segment.generation(peer);
        if self.find(peer).is_none_or(|link| link.generation == generation) {
            return;
        }
        // SAFETY: as in `find`; this function keeps no reference.
        let old = unsafe { (*self.links[peer as usize].get()).take() };
        if let Some(link) = old {
            self.segment.return_ring(link.ring);
        }
    }

    #[inline(always)]
    pub(super) fn send(&self, peer: u32, head: &Head, body: &[u8]) -> Result<Sent, TransportError> {
        let link = self.link(peer)?;
        if body.len() > INLINE_MAX && !link.payload_reserved.get() {
            self.reserve_payload(link)?;
        }
        let Some(claim) = link.producer.claim(body.len()) else {
            return Ok(Sent::Full);
        };
        // SAFETY: the claim gives `body.len()` writable bytes that are ours until published.
        unsafe {
            match body.len() {
                0..=INLINE_MAX => copy::short(body.as_ptr(), claim.body, body.len()),
                len => std::ptr::copy_nonoverlapping(body.as_ptr(), claim.body, len),
            }
        }
        link.producer.publish(claim, head, body.len());
        self.notify(link);
        Ok(Sent::Yes)
    }

    pub(super) fn send_with(
        &self,
        peer: u32,
        head: &Head,
        len: usize,
        fill: Fill<'_>,
    ) -> Result<Sent, TransportError> {
        let link = self.link(peer)?;
        if len > INLINE_MAX && !link.payload_reserved.get() {
            self.reserve_payload(link)?;
        }
        let Some(claim) = link.producer.claim(len) else {
            return Ok(Sent::Full);
        };
        // SAFETY: as in `send`; the memory is initialised (it was zeroed, then held messages).
        fill(unsafe { std::slice::from_raw_parts_mut(claim.body, len) });
        link.producer.publish(claim, head, len);
        self.notify(link);
        Ok(Sent::Yes)
    }

    #[cold]
    fn reserve_payload(&self, link: &Link) -> Result<(), TransportError> {
        self.segment.reserve_payload(link.ring)?;
        link.payload_reserved.set(true);
        Ok(())
    }

    /// Tells the receiver, who either polls this ring (its pending bit is set, nothing to do), or
    /// has retired it (set the bit), or sleeps (ring). The light fence in `ring` pairs with the
    /// heavy one in `Inbox::retire`, and orders both loads behind the publication.
    #[inline(always)]
    fn notify(&self, link: &Link) {
        self.fences.light();
        // SAFETY: both point into the segment, which `self` keeps mapped.
        let (pending, bell) = unsafe { (&*link.pending, &*link.bell) };
        if pending.load(Ordering::Relaxed) & link.bit == 0 {
            self.segment.set_pending(link.peer, self.me);
        }
        if bell.ring(self.fences) {
            self.counters.wakes.add(1);
        }
    }

    /// Marks the rings to `peers` so that their consumers ring us when they free slots.
    pub(super) fn wait_for_place(&self, peers: &[u32], fences: Fences) {
        for &peer in peers {
            if let Some(link) = self.find(peer) {
                link.producer.set_waiting(true);
            }
        }
        fences.heavy(); // pairs with the light fence in `Inbox::give_back`
    }
}
