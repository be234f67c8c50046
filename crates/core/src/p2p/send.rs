//! Starting a send: the peer, the protocol. Called by `abi` and by the collectives.
//!
//! Short messages go at once (`protocol/eager.rs`); long ones are announced and copied by the
//! receiver (`protocol/rendezvous.rs`). Order of messages to one peer: what can not be sent now
//! queues up (`unsent.rs`), and later messages to that peer queue behind it.

use super::{kind, unsent::Outgoing, TransferId, Work};
use crate::buffer::Buffer;
use crate::error::Result;
use crate::rank::Rank;
use starling_transport::{Head, Sent};

/// Send modes (MPI 5.0, section 3.4). Buffered sends are standard sends of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Complete when the buffer may be reused.
    Standard,
    /// Complete when the receive has been matched.
    Synchronous,
}

/// Where a message goes: one context of one communicator, one peer.
#[derive(Clone, Copy, Debug)]
pub struct Destination {
    /// Context of the communicator.
    pub context: u64,
    /// World rank of the receiver.
    pub peer: u32,
    /// The sender's rank as the receiver sees it.
    pub source: i32,
    /// Tag.
    pub tag: i32,
}

impl Rank {
    /// Starts a send; `None` if it is complete already.
    ///
    /// # Safety
    /// `buffer` stays readable and unchanged until the transfer is complete.
    #[inline]
    pub unsafe fn send(
        &'static self,
        to: Destination,
        buffer: &Buffer,
        mode: Mode,
    ) -> Result<Option<TransferId>> {
        let (bytes, limit) = (buffer.bytes(), self.node().eager_max);
        if mode == Mode::Synchronous || bytes > limit {
            // SAFETY: the caller's contract.
            return unsafe { self.send_tracked(to, buffer, bytes <= limit) };
        }
        let head = head(to, kind::EAGER);
        if !self.p2p.has_unsent() || !self.p2p.is_behind(to.peer) {
            // SAFETY: the caller vouches for the buffer.
            if unsafe { self.try_eager(to.peer, &head, buffer) }? == Sent::Yes {
                return Ok(None);
            }
        }
        self.counters.ring_full.add(1);
        let transfer = self.p2p.start(Work::Unsent);
        let buffer = buffer.clone();
        self.p2p.queue_up(to.peer, Outgoing::Eager { head, transfer, buffer });
        Ok(Some(transfer))
    }

    /// A send that the receiver has to answer.
    ///
    /// # Safety
    /// As for `send`.
    unsafe fn send_tracked(
        &'static self,
        to: Destination,
        buffer: &Buffer,
        eager: bool,
    ) -> Result<Option<TransferId>> {
        let work = Work::Announced { peer: to.peer, buffer: buffer.clone(), cancelling: false };
        let transfer = self.p2p.start(work);
        let started = match eager {
            // SAFETY: the caller's contract.
            true => unsafe { self.send_sync(to, buffer, transfer) },
            false => self.announce(to, buffer, transfer),
        };
        if let Err(error) = started {
            self.p2p.take(transfer);
            return Err(error);
        }
        Ok(Some(transfer))
    }

    /// Sends a protocol message, now or behind what waits for the same peer.
    pub(crate) fn send_control(&self, peer: u32, head: Head, body: &[u64]) -> Result<()> {
        if !self.p2p.has_unsent() || !self.p2p.is_behind(peer) {
            let sent = self.route(peer).try_send(peer, &head, bytes_of(body))?;
            if sent == Sent::Yes {
                return Ok(());
            }
        }
        self.p2p.queue_up(peer, Outgoing::Control { head, body: body.into() });
        Ok(())
    }
}

/// The bytes of a few numbers, in the order of this machine (the node's own).
pub(crate) fn bytes_of(words: &[u64]) -> &[u8] {
    // SAFETY: u64 has no padding; the length is that of the slice.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

pub(crate) fn head(to: Destination, kind: u8) -> Head {
    Head { context: to.context, tag: to.tag, source: to.source, kind }
}
