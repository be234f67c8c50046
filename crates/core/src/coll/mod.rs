//! Collectives. One file per operation; each algorithm is an `async fn` over [`Coll`], that is,
//! a state machine: the blocking call runs it to its end, the non-blocking call leaves it to
//! `progress`, the persistent call makes it anew at every start.
//!
//! Messages of a collective travel in the communicator's collective context, with the number of
//! the collective as tag: all processes count alike, so collectives never mix.

//!
//! | file | holds |
//! |---|---|
//! | `table.rs` | the choice among an operation's algorithms |
//! | `operation.rs` | a collective that nobody waits for yet |
//! | `blocks.rs`, `dense.rs` | buffers with a block per process; buffers as packed bytes |
//! | `reduction.rs`, `fold.rs`, `halves.rs` | what reducing algorithms share |
//! | the others | one operation each |

pub mod allgather;
pub mod allgatherv;
pub mod allreduce;
pub mod alltoall;
pub mod alltoallv;
pub mod barrier;
pub mod bcast;
mod blocks;
mod dense;
mod fold;
pub mod gather;
pub mod gatherv;
mod halves;
pub mod neighbor;
mod operation;
pub mod reduce;
pub mod reduce_scatter;
pub mod reduction;
pub mod scan;
pub mod scatter;
pub mod scatterv;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use blocks::Blocks;
pub use operation::Operation;

use crate::buffer::{Buffer, Data, Scratch};
use crate::comm::{Comm, Use};
use crate::error::{Class, Error, Result};
use crate::p2p::{Destination, Done, Mode, TransferId};
use crate::rank::Rank;
use crate::status::Status;
use starling_datatype::{Basic, Datatype};
use std::rc::Rc;

/// One collective operation on one communicator, seen by this process.
#[derive(Clone)]
pub struct Coll {
    /// This process.
    pub rank: &'static Rank,
    /// The communicator.
    pub comm: Rc<Comm>,
    /// Name of the row to take in every table that has it.
    pub forced: Option<&'static str>,
    tag: i32,
}

/// A send or receive of a collective that has been started; await it before it goes out of scope.
#[must_use]
pub enum Started {
    /// Complete already.
    Ready,
    /// On its way; the bytes that are expected, if it is a receive.
    Going(Done, Option<u64>),
}

impl Coll {
    /// The next collective on `comm`.
    ///
    /// # Safety
    /// The buffers that are given to its methods stay in place, and unused by others, until the
    /// collective is complete (the user's duty by section 6.12).
    pub unsafe fn new(rank: &'static Rank, comm: &Rc<Comm>) -> Coll {
        Coll { rank, comm: comm.clone(), forced: None, tag: comm.next_collective(true) }
    }

    /// The next non-blocking (or persistent) collective on `comm`; counted by themselves.
    ///
    /// # Safety
    /// As for [`Coll::new`].
    pub unsafe fn non_blocking(rank: &'static Rank, comm: &Rc<Comm>) -> Coll {
        Coll { rank, comm: comm.clone(), forced: None, tag: comm.next_collective(false) }
    }

    /// This process's rank.
    pub fn me(&self) -> u32 {
        self.comm.rank
    }

    /// Number of processes of the (local) group.
    pub fn size(&self) -> u32 {
        self.comm.size()
    }

    /// The same collective on the local group of an intercommunicator. Both use one number, taken
    /// from the intercommunicator, in contexts of their own.
    pub fn local(&self) -> Coll {
        let comm = self.comm.local.clone().expect("an intercommunicator has a local part");
        Coll { comm, ..*self }
    }

    /// Starts sending `data` to rank `to` (of the remote group on an intercommunicator).
    pub fn send_start(&self, to: u32, data: &Data) -> Result<Started> {
        self.send_buffer(to, &data.buffer())
    }

    fn send_buffer(&self, to: u32, buffer: &Buffer) -> Result<Started> {
        let destination = Destination {
            context: self.comm.context + Use::Collective as u64,
            peer: self.comm.peers().world(to),
            source: self.comm.rank as i32,
            tag: self.tag,
        };
        // SAFETY: the contract of `Coll::new`.
        let started = unsafe { self.rank.send(destination, buffer, Mode::Standard) }?;
        Ok(started.map_or(Started::Ready, |id| Started::Going(self.rank.done(id), None)))
    }

    /// Starts receiving into `data` from rank `from` (of the remote group on an
    /// intercommunicator). The message must fill it exactly.
    pub fn recv_start(&self, from: u32, data: &Data) -> Result<Started> {
        let id = self.post(from, &data.buffer())?;
        Ok(Started::Going(self.rank.done(id), Some(data.bytes())))
    }

    fn post(&self, from: u32, buffer: &Buffer) -> Result<TransferId> {
        let queue = &self.comm.collective_queue;
        // SAFETY: the contract of `Coll::new`.
        unsafe { self.rank.receive(queue, from as i32, self.tag, buffer) }
    }

    /// Sends and waits until the buffer may be reused.
    pub async fn send(&self, to: u32, data: &Data) -> Result<()> {
        self.send_start(to, data)?.finish().await
    }

    /// Receives and waits.
    pub async fn recv(&self, from: u32, data: &Data) -> Result<()> {
        self.recv_start(from, data)?.finish().await
    }

    /// Sends to one and receives from another at the same time.
    pub async fn exchange(&self, to: u32, out: &Data, from: u32, into: &Data) -> Result<()> {
        let receiving = self.recv_start(from, into)?;
        let sending = self.send_start(to, out)?;
        // Waits for both in any case: their buffers may be ours and go away.
        let received = receiving.finish().await;
        let sent = sending.finish().await;
        received.and(sent)
    }

    /// Copies within this process.
    pub(crate) fn copy(&self, from: &Data, into: &Data) -> Result<()> {
        if from.bytes() != into.bytes() {
            let status = Status { source: self.me() as i32, bytes: from.bytes(), ..Status::EMPTY };
            return Err(uneven(&status, into.bytes()));
        }
        if !from.is_same_place(into) {
            // SAFETY: the contract of `Coll::new`; buffers that are not the same do not overlap.
            unsafe {
                let (src, dst) = (from.addr, into.addr);
                starling_datatype::copy(src, from.count, &from.ty, dst, into.count, &into.ty);
            }
        }
        Ok(())
    }

    /// The type of packed bytes.
    fn byte_type(&self) -> Rc<Datatype> {
        let byte = self.rank.predefined_datatype(Basic::Byte.abi_value());
        byte.expect("MPI_BYTE is predefined").clone()
    }

    /// The packed bytes of `data`.
    fn packed(&self, data: &Data) -> Scratch {
        let scratch = self.scratch(data.bytes());
        self.copy(data, &scratch.data).expect("the scratch memory has the size of the data");
        scratch
    }

    /// Memory for packed bytes.
    fn scratch(&self, bytes: u64) -> Scratch {
        Scratch::new(bytes as i64, &self.byte_type())
    }

    /// Sends a few bytes of the engine's own.
    pub async fn send_bytes(&self, to: u32, bytes: &[u8]) -> Result<()> {
        let buffer = Buffer::contiguous(bytes.as_ptr().cast_mut(), bytes.len() as u64);
        self.send_buffer(to, &buffer)?.finish().await
    }

    /// Receives a few bytes of the engine's own; fills `bytes` exactly.
    pub async fn recv_bytes(&self, from: u32, bytes: &mut [u8]) -> Result<()> {
        let buffer = Buffer::contiguous(bytes.as_mut_ptr(), bytes.len() as u64);
        let done = self.rank.done(self.post(from, &buffer)?);
        Started::Going(done, Some(bytes.len() as u64)).finish().await
    }
}

impl Started {
    /// Waits for it.
    pub async fn finish(self) -> Result<()> {
        let Started::Going(done, expected) = self else { return Ok(()) };
        let status = done.await?;
        match expected {
            Some(bytes) if status.bytes != bytes => Err(uneven(&status, bytes)),
            _ => Ok(()),
        }
    }

    /// Waits for several, in order; they progress together.
    pub async fn finish_all(list: Vec<Started>) -> Result<()> {
        let mut first_error = Ok(());
        for started in list {
            let result = started.finish().await;
            if first_error.is_ok() {
                first_error = result;
            }
        }
        first_error
    }
}

/// An argument that this process has to give.
fn given<T>(argument: Option<T>, name: &str) -> Result<T> {
    argument.ok_or_else(|| {
        let text = format!("{name} is MPI_IN_PLACE or missing on a process where it is needed");
        Error::new(Class::BUFFER, text)
    })
}

#[cold]
fn uneven(status: &Status, expected: u64) -> Error {
    let text = format!(
        "the processes do not agree on the amount of data: rank {} sent {} bytes, this rank \
         expects {} bytes; counts and datatypes must match on all processes",
        status.source, status.bytes, expected
    );
    Error::new(Class::TRUNCATE, text)
}
