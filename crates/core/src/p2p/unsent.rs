//! What waits for place in a ring: a queue per peer, in the order of sending, and the messages
//! that are being sent in fragments. Filled by `send.rs` and `protocol/`, emptied by `progress`.
//!
//! Invariant: while something for a peer waits here, nothing new is sent to it past the queue.
//! Fragments belong to a receive that has been matched, so their order among others is free.

use super::{send::bytes_of, P2p, TransferId};
use crate::buffer::Buffer;
use crate::rank::Rank;
use crate::status::Status;
use starling_transport::{Head, Sent};
use std::collections::{BTreeMap, VecDeque};

/// A message that could not be sent yet.
pub(crate) enum Outgoing {
    /// A protocol message.
    Control { head: Head, body: Box<[u64]> },
    /// A message; the transfer completes when it is sent.
    Eager { head: Head, transfer: TransferId, buffer: Buffer },
    /// As `Eager`, with the transfer in front; completed by the receiver.
    Sync { head: Head, transfer: TransferId, buffer: Buffer },
}

/// A message that goes out in fragments.
pub(crate) struct Stream {
    pub(crate) peer: u32,
    pub(crate) transfer: TransferId,
    pub(crate) receive: u64,
    pub(crate) buffer: Buffer,
    pub(crate) sent: u64,
}

#[derive(Default)]
pub(crate) struct Unsent {
    queues: BTreeMap<u32, VecDeque<Outgoing>>,
    streams: Vec<Stream>,
}

impl P2p {
    /// Whether messages to `peer` wait already.
    pub(crate) fn is_behind(&self, peer: u32) -> bool {
        self.unsent.borrow().queues.contains_key(&peer)
    }

    pub(crate) fn queue_up(&self, peer: u32, outgoing: Outgoing) {
        self.unsent.borrow_mut().queues.entry(peer).or_default().push_back(outgoing);
        self.has_unsent.set(true);
    }

    pub(crate) fn add_stream(&self, stream: Stream) {
        self.unsent.borrow_mut().streams.push(stream);
        self.has_unsent.set(true);
    }

    /// The peers for which something waits.
    pub(crate) fn unsent_peers(&self) -> Vec<u32> {
        let unsent = self.unsent.borrow();
        let streams = unsent.streams.iter().map(|s| s.peer);
        let mut peers: Vec<u32> = unsent.queues.keys().copied().chain(streams).collect();
        peers.sort_unstable();
        peers.dedup();
        peers
    }

    /// Takes an eager message of `transfer` back before it is sent.
    pub(crate) fn take_back(&self, transfer: TransferId) -> bool {
        let mut unsent = self.unsent.borrow_mut();
        let mut found = false;
        for queue in unsent.queues.values_mut() {
            queue.retain(|o| {
                let is_it = matches!(o, Outgoing::Eager { transfer: t, .. } if *t == transfer);
                found |= is_it;
                !is_it
            });
        }
        unsent.queues.retain(|_, queue| !queue.is_empty());
        found
    }
}

impl Rank {
    /// Sends what has place by now.
    #[cold]
    pub(crate) fn send_unsent(&'static self) {
        let mut unsent = self.p2p.unsent.take();
        unsent.queues.retain(|&peer, queue| {
            while let Some(outgoing) = queue.front() {
                if self.try_outgoing(peer, outgoing) == Sent::Full {
                    break;
                }
                queue.pop_front();
            }
            !queue.is_empty()
        });
        unsent.streams.retain_mut(|stream| !self.advance_stream(stream));
        // Completing a transfer never queues anything up, but keep the invariant obvious.
        let mut slot = self.p2p.unsent.borrow_mut();
        for (peer, queue) in std::mem::take(&mut slot.queues) {
            unsent.queues.entry(peer).or_default().extend(queue);
        }
        unsent.streams.append(&mut slot.streams);
        self.p2p.has_unsent.set(!unsent.queues.is_empty() || !unsent.streams.is_empty());
        *slot = unsent;
    }

    fn try_outgoing(&'static self, peer: u32, outgoing: &Outgoing) -> Sent {
        let (result, transfer) = match outgoing {
            Outgoing::Control { head, body } => {
                (self.route(peer).try_send(peer, head, bytes_of(body)).map_err(Into::into), None)
            }
            Outgoing::Eager { head, transfer, buffer } => {
                // SAFETY: the transfer is not complete, so the user keeps the buffer in place.
                (unsafe { self.try_eager(peer, head, buffer) }, Some(*transfer))
            }
            Outgoing::Sync { head, transfer, buffer } => {
                // SAFETY: as above.
                (unsafe { self.try_sync(peer, head, buffer, *transfer) }, None)
            }
        };
        match (result, transfer) {
            (Ok(sent), Some(transfer)) => {
                if sent == Sent::Yes {
                    self.p2p.complete(transfer, Status::EMPTY);
                }
                sent
            }
            (Ok(sent), None) => sent,
            (Err(error), transfer) => {
                if let Some(transfer) = transfer {
                    self.p2p.complete(transfer, Status { error: Some(error), ..Status::EMPTY });
                }
                Sent::Yes
            }
        }
    }
}
