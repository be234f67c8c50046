//! Rendezvous: a long message is announced; once it is matched, the receiver copies it out of the
//! sender's memory (`single_copy.rs`), or, where it does not lie in one piece or reading is
//! denied, asks for fragments through the ring.
//!
//! ```text
//! sender                         receiver
//! READY_TO_SEND ---------------> match
//!   (transfer, bytes, address)   single copy, then        <- DONE
//!                                or CLEAR_TO_SEND(receive) <-
//! FRAGMENT … ------------------> … until all bytes are there
//! ```
//! States of the send: announced -> complete (DONE) | announced -> streaming -> complete.
//! States of the receive: posted -> complete | posted -> arriving -> complete.

use crate::buffer::Buffer;
use crate::error::Result;
use crate::p2p::recv_truncate as truncate;
use crate::p2p::send::{head, Destination};
use crate::p2p::unsent::Stream;
use crate::p2p::{kind, TransferId, Work};
use crate::rank::Rank;
use crate::status::Status;
use starling_transport::{Head, Sent};

/// Bytes of one fragment: large enough that headers cost nothing, small enough that several fit
/// in the ring and both sides copy at the same time.
const FRAGMENT_BYTES: u64 = 16384;

impl Rank {
    /// Announces a long message.
    pub(crate) fn announce(
        &self,
        to: Destination,
        buffer: &Buffer,
        transfer: TransferId,
    ) -> Result<()> {
        self.counters.messages_rendezvous.add(1);
        let address = buffer.address().unwrap_or(0) as u64;
        let body = [transfer.0, buffer.bytes(), address];
        self.send_control(to.peer, head(to, kind::READY_TO_SEND), &body)
    }

    /// The receive `transfer` got an announced message. `status` carries its source, tag, bytes.
    pub(crate) fn receive_announced(
        &'static self,
        transfer: TransferId,
        from: u32,
        mut status: Status,
        sender: u64,
        address: u64,
        buffer: Buffer,
    ) -> Result<()> {
        let total = status.bytes;
        if total > buffer.bytes() {
            truncate(&mut status, buffer.bytes());
            self.p2p.complete(transfer, status);
            return self.tell_done(from, sender);
        }
        if address != 0 && self.read_from(from, address as usize, total, &buffer) {
            self.p2p.complete(transfer, status);
            return self.tell_done(from, sender);
        }
        self.p2p.with(transfer, |t| {
            t.work = Some(Work::Arriving { peer: from, buffer, received: 0, total });
            t.status = status;
        });
        let head = Head { context: sender, kind: kind::CLEAR_TO_SEND, ..Head::default() };
        self.send_control(from, head, &[transfer.0])
    }

    /// The receiver wants fragments of our send.
    pub(crate) fn start_stream(&'static self, peer: u32, transfer: TransferId, receive: u64) {
        if !self.is_announced_to(transfer, peer) {
            return;
        }
        // From here on it can not be cancelled any more: no peer answers for `Unsent`.
        let work = self.p2p.with(transfer, |t| t.work.replace(Work::Unsent)).flatten();
        if let Some(Work::Announced { buffer, .. }) = work {
            self.p2p.add_stream(Stream { peer, transfer, receive, buffer, sent: 0 });
        }
    }

    /// Sends fragments while there is place; true when the message is complete.
    pub(crate) fn advance_stream(&'static self, stream: &mut Stream) -> bool {
        let total = stream.buffer.bytes();
        let route = self.route(stream.peer);
        let most = FRAGMENT_BYTES.min(route.body_max() as u64);
        let head = Head { context: stream.receive, kind: kind::FRAGMENT, ..Head::default() };
        while stream.sent < total {
            let len = most.min(total - stream.sent) as usize;
            let mut fill = |place: &mut [u8]| {
                // SAFETY: the send is not complete, so the user keeps the buffer in place.
                unsafe { stream.buffer.pack(stream.sent, place) };
            };
            match route.try_send_with(stream.peer, &head, len, &mut fill) {
                Ok(Sent::Yes) => {
                    self.counters.fragment_bytes.add(len as u64);
                    stream.sent += len as u64;
                }
                Ok(Sent::Full) => return false,
                Err(error) => {
                    let status = Status { error: Some(error.into()), ..Status::EMPTY };
                    self.p2p.complete(stream.transfer, status);
                    return true;
                }
            }
        }
        self.p2p.complete(stream.transfer, Status::EMPTY);
        true
    }

    /// A fragment for the receive `transfer`.
    pub(crate) fn deliver_fragment(&self, from: u32, transfer: TransferId, data: &[u8]) {
        let arrived = self.p2p.with(transfer, |t| match &mut t.work {
            Some(Work::Arriving { peer, buffer, received, total }) if *peer == from => {
                // SAFETY: the receive is not complete, so its buffer is writable and unused;
                // unpack never writes past the buffer's bytes.
                unsafe { buffer.unpack(*received, data) };
                *received += data.len() as u64;
                *received >= *total
            }
            _ => false,
        });
        if arrived == Some(true) {
            let status = self.p2p.peek_status(transfer);
            self.p2p.complete(transfer, status);
        }
    }
}
