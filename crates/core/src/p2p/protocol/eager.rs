//! Eager: the message goes at once, with its header, through the ring. Called by `send.rs` and
//! when a queued message is tried again.

use crate::buffer::Buffer;
use crate::error::Result;
use crate::p2p::send::{head, Destination};
use crate::p2p::unsent::Outgoing;
use crate::p2p::{kind, TransferId};
use crate::rank::Rank;
use starling_transport::{Head, Sent, INLINE_MAX};

impl Rank {
    /// # Safety
    /// `buffer` is readable and nobody writes to it during the call.
    #[inline]
    pub(crate) unsafe fn try_eager(&self, peer: u32, head: &Head, buffer: &Buffer) -> Result<Sent> {
        let (route, len) = (self.route(peer), buffer.bytes() as usize);
        // SAFETY: the caller's contract.
        let sent = match unsafe { buffer.as_slice() } {
            Some(bytes) => route.try_send(peer, head, bytes)?,
            None => {
                // SAFETY: the caller's contract.
                let mut fill = |place: &mut [u8]| _ = unsafe { buffer.pack(0, place) };
                route.try_send_with(peer, head, len, &mut fill)?
            }
        };
        match sent {
            Sent::Full => {}
            Sent::Yes if len <= INLINE_MAX => self.counters.messages_inline.add(1),
            Sent::Yes => self.counters.messages_eager.add(1),
        }
        Ok(sent)
    }

    /// Sends a message whose sender waits for the match; its transfer goes in front of the data.
    ///
    /// # Safety
    /// As for `try_eager`.
    pub(crate) unsafe fn try_sync(
        &self,
        peer: u32,
        head: &Head,
        buffer: &Buffer,
        transfer: TransferId,
    ) -> Result<Sent> {
        let len = 8 + buffer.bytes() as usize;
        let mut fill = |place: &mut [u8]| {
            place[..8].copy_from_slice(&transfer.0.to_ne_bytes());
            // SAFETY: the caller's contract.
            unsafe { buffer.pack(0, &mut place[8..]) };
        };
        Ok(self.route(peer).try_send_with(peer, head, len, &mut fill)?)
    }

    /// Starts a short synchronous send.
    ///
    /// # Safety
    /// `buffer` stays readable and unchanged until the transfer is complete.
    pub(crate) unsafe fn send_sync(
        &self,
        to: Destination,
        buffer: &Buffer,
        transfer: TransferId,
    ) -> Result<()> {
        let head = head(to, kind::EAGER_SYNC);
        if !self.p2p.has_unsent() || !self.p2p.is_behind(to.peer) {
            // SAFETY: the caller's contract.
            if unsafe { self.try_sync(to.peer, &head, buffer, transfer) }? == Sent::Yes {
                return Ok(());
            }
        }
        let buffer = buffer.clone();
        self.p2p.queue_up(to.peer, Outgoing::Sync { head, transfer, buffer });
        Ok(())
    }
}
