//! Starting a receive, and giving a message to it. Called by `abi`, by the collectives, and by
//! `deliver.rs` when a message arrives.

use super::matching::{Arrival, Posted, Queue, Unexpected};
use super::{kind, Destination, TransferId, Work};
use crate::buffer::Buffer;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use crate::status::{Status, ANY_TAG};
use starling_sys::copy;
use starling_transport::{Front, Head};
use std::rc::Rc;

impl Rank {
    /// Starts a receive from `source` (a rank of the communicator, or any) with `tag` (or any).
    ///
    /// # Safety
    /// `buffer` stays writable and unused until the transfer is complete.
    #[inline]
    pub unsafe fn receive(
        &'static self,
        queue: &Rc<Queue>,
        source: i32,
        tag: i32,
        buffer: &Buffer,
    ) -> Result<TransferId> {
        if let Some(message) = queue.match_unexpected(source, tag) {
            return self.receive_unexpected(message, buffer);
        }
        let work = Work::Posted { queue: queue.clone(), buffer: buffer.clone() };
        let transfer = self.p2p.start(work);
        queue.post(Posted { transfer, source, tag });
        Ok(transfer)
    }

    /// The short way of a blocking receive of a short message: takes it out of the ring straight
    /// into the buffer, with no transfer and no queue in between. `None` if it did not come soon,
    /// or is not of that kind; then the caller goes the long way.
    ///
    /// Invariant: what is taken is what `receive` would match. Nothing is posted that could match
    /// it earlier and nothing unexpected lies before it (`is_idle`, checked again whenever other
    /// messages were taken), and it is the first in its sender's ring.
    ///
    /// # Safety
    /// As for `receive`.
    #[inline]
    pub unsafe fn receive_at_once(
        &'static self,
        queue: &Queue,
        from: Destination,
        buffer: &Buffer,
    ) -> Result<Option<Status>> {
        let Some(address) = buffer.address() else { return Ok(None) };
        if self.lock.is_enabled() {
            return Ok(None);
        }
        let (route, room) = (self.route(from.peer), buffer.bytes() as usize);
        let mut status = None;
        let mut take = |head: &Head, body: &[u8]| {
            let tag_fits = from.tag == head.tag || from.tag == ANY_TAG;
            let fits = head.context == from.context && head.source == from.source && tag_fits;
            if !fits || head.kind != kind::EAGER || body.len() > room {
                return false;
            }
            // SAFETY: the buffer is writable (caller) and as long as the message (above).
            unsafe { copy_body(body, address as *mut u8) };
            let (source, tag) = (head.source, head.tag);
            status = Some(Status { source, tag, bytes: body.len() as u64, ..Status::EMPTY });
            true
        };
        let mut started = None;
        for polls in 1u32.. {
            if !queue.is_idle() {
                return Ok(None);
            }
            match route.take_from(from.peer, &mut take)? {
                Front::Taken => return Ok(status),
                Front::Other => return Ok(None),
                Front::Empty => {}
            }
            std::hint::spin_loop();
            if polls % 16 == 0 {
                self.poll()?;
            }
            if polls % 64 == 0 || self.node().spin_ns.get() == 0 {
                let now = starling_sys::clock::now_ns();
                if now - *started.get_or_insert(now) >= self.node().spin_ns.get() {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Receives a message that has arrived before.
    pub(crate) fn receive_unexpected(
        &'static self,
        message: Unexpected,
        buffer: &Buffer,
    ) -> Result<TransferId> {
        let Unexpected { from, source, tag, arrival } = message;
        let transfer = self.p2p.start(Work::Unsent);
        match arrival {
            Arrival::Whole { data, sync } => {
                self.receive_whole(transfer, buffer, source, tag, &data);
                if let Some(sender) = sync {
                    self.tell_done(from, sender)?;
                }
            }
            Arrival::Announced { transfer: sender, bytes, address } => {
                let status = Status { source, tag, bytes, ..Status::EMPTY };
                self.receive_announced(transfer, from, status, sender, address, buffer.clone())?;
            }
        }
        Ok(transfer)
    }

    /// Puts a whole message into the buffer of a receive and completes it.
    #[inline]
    pub(crate) fn receive_whole(
        &self,
        transfer: TransferId,
        buffer: &Buffer,
        source: i32,
        tag: i32,
        data: &[u8],
    ) {
        let mut status = Status { source, tag, bytes: data.len() as u64, ..Status::EMPTY };
        if data.len() as u64 > buffer.bytes() {
            truncate(&mut status, buffer.bytes());
        } else {
            // SAFETY: the receive is not complete, so its buffer is writable and unused.
            unsafe { buffer.unpack(0, data) };
        }
        self.p2p.complete(transfer, status);
    }

    /// Tells the sender that its transfer is complete.
    pub(crate) fn tell_done(&self, peer: u32, transfer: u64) -> Result<()> {
        let head = Head { context: transfer, kind: kind::DONE, ..Head::default() };
        self.send_control(peer, head, &[])
    }
}

/// # Safety
/// `to` is writable for the body's length.
#[inline(always)]
unsafe fn copy_body(body: &[u8], to: *mut u8) {
    // SAFETY: the caller's contract; a ring and a user's buffer do not overlap.
    unsafe {
        match body.len() {
            0..=64 => copy::short(body.as_ptr(), to, body.len()),
            len => std::ptr::copy_nonoverlapping(body.as_ptr(), to, len),
        }
    }
}

/// Makes `status` that of a truncated receive (MPI 5.0, section 3.2.4).
#[cold]
pub(crate) fn truncate(status: &mut Status, room: u64) {
    let text = format!(
        "message truncated: rank {} sent {} bytes with tag {}, but the receive has room for {} \
         bytes only; give MPI_Recv a larger count, or ask for the size first (MPI_Probe and \
         MPI_Get_count)",
        status.source, status.bytes, status.tag, room
    );
    status.bytes = room;
    status.error = Some(Error::new(Class::TRUNCATE, text));
}
