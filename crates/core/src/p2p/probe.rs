//! Probing, and receiving a message that a probe has taken (MPI 5.0, section 3.8).
//! Called by `abi`.

use super::matching::{Queue, Unexpected};
use super::TransferId;
use crate::buffer::Buffer;
use crate::error::Result;
use crate::rank::Rank;
use crate::status::Status;
use std::rc::Rc;

/// A message that `MPI_Mprobe` or `MPI_Improbe` has taken out of its queue.
pub struct Matched {
    message: Unexpected,
    /// The communicator it came on, for errors of the receive.
    pub comm: Rc<crate::comm::Comm>,
}

fn status_of(message: &Unexpected) -> Status {
    let bytes = message.arrival.bytes();
    Status { source: message.source, tag: message.tag, bytes, ..Status::EMPTY }
}

impl Rank {
    /// The status of the message that a receive would get now.
    pub fn probe_now(
        &'static self,
        queue: &Queue,
        source: i32,
        tag: i32,
    ) -> Result<Option<Status>> {
        let found = queue.peek_unexpected(source, tag, status_of);
        if found.is_some() {
            return Ok(found);
        }
        self.poll()?;
        Ok(queue.peek_unexpected(source, tag, status_of))
    }

    /// Waits for a message that a receive would get.
    pub fn probe(&'static self, queue: &Queue, source: i32, tag: i32) -> Result<Status> {
        let mut found = None;
        self.wait_until(None, || {
            found = queue.peek_unexpected(source, tag, status_of);
            found.is_some()
        })?;
        Ok(found.expect("wait_until returned, so a message was found"))
    }

    /// Takes the message that a receive would get now out of the queue.
    pub fn take_now(
        &'static self,
        comm: &Rc<crate::comm::Comm>,
        queue: &Queue,
        source: i32,
        tag: i32,
    ) -> Result<Option<(Matched, Status)>> {
        if self.probe_now(queue, source, tag)?.is_none() {
            return Ok(None);
        }
        Ok(queue.match_unexpected(source, tag).map(|message| {
            let status = status_of(&message);
            (Matched { message, comm: comm.clone() }, status)
        }))
    }

    /// Starts the receive of a message that was taken.
    ///
    /// # Safety
    /// `buffer` stays writable and unused until the transfer is complete.
    pub unsafe fn receive_matched(
        &'static self,
        matched: Matched,
        buffer: &Buffer,
    ) -> Result<TransferId> {
        self.receive_unexpected(matched.message, buffer)
    }
}
