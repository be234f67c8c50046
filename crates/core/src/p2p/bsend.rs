//! Buffered sends (MPI 5.0, section 3.6): the message is copied and goes on by itself. The
//! copies are memory of our own; what the user attached is only counted, as the standard lets
//! the user size it. Called by `abi`.
//!
//! A pool belongs to the rank (`MPI_Buffer_attach`), to a communicator or to a session.

use super::{Destination, Mode, TransferId};
use crate::buffer::Buffer;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use std::rc::Rc;

/// Bytes that a message needs besides its data (`MPI_BSEND_OVERHEAD`).
pub const OVERHEAD: u64 = 512;

/// A buffer that the user attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attached {
    /// Memory of the user: address and size in bytes.
    User(usize, u64),
    /// `MPI_BUFFER_AUTOMATIC`: as much as needed.
    Automatic,
}

/// A pool of buffered messages.
#[derive(Default)]
pub struct Buffers {
    attached: Option<Attached>,
    in_flight: Vec<(TransferId, u64)>,
}

impl Buffers {
    /// Attaches a buffer; an error if one is attached.
    pub fn attach(&mut self, buffer: Attached) -> Result<()> {
        if self.attached.is_some() {
            let text = "a buffer is attached already; detach it first (MPI_Buffer_detach)";
            return Err(Error::new(Class::BUFFER, text));
        }
        self.attached = Some(buffer);
        Ok(())
    }

    /// Whether one is attached.
    pub fn is_attached(&self) -> bool {
        self.attached.is_some()
    }

    /// Takes the buffer back; call `drained` until it is true before.
    pub fn detach(&mut self) -> Option<Attached> {
        self.attached.take()
    }

    /// Whether all messages have left.
    pub fn drained(&mut self, rank: &Rank) -> bool {
        self.in_flight.retain(|(transfer, _)| {
            let left = rank.p2p.is_complete(*transfer);
            if left {
                rank.p2p.take(*transfer);
            }
            !left
        });
        self.in_flight.is_empty()
    }

    fn reserve(&mut self, rank: &Rank, bytes: u64) -> Result<()> {
        self.drained(rank);
        let used: u64 = self.in_flight.iter().map(|(_, n)| n + OVERHEAD).sum();
        match self.attached {
            Some(Attached::Automatic) => Ok(()),
            Some(Attached::User(_, size)) if used + bytes <= size => Ok(()),
            Some(Attached::User(_, size)) => Err(Error::new(
                Class::BUFFER,
                format!(
                    "the attached buffer of {size} bytes has no room for a message of {bytes} \
                     bytes ({used} bytes are in use, each message needs {OVERHEAD} bytes more \
                     than its data); attach a larger one, or MPI_BUFFER_AUTOMATIC"
                ),
            )),
            None => Err(Error::new(
                Class::BUFFER,
                "no buffer is attached for buffered sends; call MPI_Buffer_attach first",
            )),
        }
    }
}

impl Rank {
    /// Sends a copy of `buffer`, accounted in `pool`. Returns the transfer if it is still going
    /// on; the pool looks after it.
    ///
    /// # Safety
    /// `buffer` is readable during the call.
    pub unsafe fn send_buffered(
        &'static self,
        pool: &std::cell::RefCell<Buffers>,
        to: Destination,
        buffer: &Buffer,
    ) -> Result<()> {
        let bytes = buffer.bytes();
        pool.borrow_mut().reserve(self, bytes)?;
        let mut copy = vec![0u8; bytes as usize].into_boxed_slice();
        // SAFETY: the caller's contract.
        unsafe { buffer.pack(0, &mut copy) };
        let copied = Buffer::contiguous(copy.as_mut_ptr(), bytes);
        // SAFETY: `copy` is kept by the transfer until it is complete.
        if let Some(transfer) = unsafe { self.send(to, &copied, Mode::Standard) }? {
            self.p2p.keep(transfer, Rc::new(copy));
            pool.borrow_mut().in_flight.push((transfer, bytes));
        }
        Ok(())
    }
}
