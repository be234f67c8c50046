//! Starting a receive, and giving a message to it. Called by `abi`, by the collectives, and by
//! `deliver.rs` when a message arrives.

use super::matching::{Arrival, Posted, Queue, Unexpected};
use super::{kind, TransferId, Work};
use crate::buffer::Buffer;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use crate::status::Status;
use starling_transport::Head;
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
