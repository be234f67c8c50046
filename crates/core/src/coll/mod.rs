//! Collectives. One file per operation; each algorithm is an `async fn` over [`Coll`], that is,
//! a state machine: the blocking call runs it to its end, the non-blocking call leaves it to
//! `progress`, the persistent call makes it anew at every start.
//!
//! Messages of a collective travel in the communicator's collective context, with the number of
//! the collective as tag: all processes count alike, so collectives never mix.

pub mod barrier;
pub mod bcast;
pub mod reduction;

use crate::buffer::{Buffer, Data};
use crate::comm::{Comm, Use};
use crate::error::{Class, Error, Result};
use crate::p2p::{Destination, Done, Mode, TransferId};
use crate::rank::Rank;
use crate::status::Status;
use std::future::Future;
use std::rc::Rc;

/// One collective operation on one communicator, seen by this process.
#[derive(Clone)]
pub struct Coll {
    /// This process.
    pub rank: &'static Rank,
    /// The communicator.
    pub comm: Rc<Comm>,
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
        Coll { rank, comm: comm.clone(), tag: comm.next_collective() }
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
        Coll { rank: self.rank, comm, tag: self.tag }
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
        receiving.finish().await?;
        sending.finish().await
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

#[cold]
fn uneven(status: &Status, expected: u64) -> Error {
    let text = format!(
        "the processes do not agree on the amount of data: rank {} sent {} bytes, this rank \
         expects {} bytes; counts and datatypes must match on all processes",
        status.source, status.bytes, expected
    );
    Error::new(Class::TRUNCATE, text)
}

/// A non-blocking collective on its way: what `progress` polls and a request waits for.
pub struct Operation {
    future: std::cell::RefCell<Option<std::pin::Pin<Box<dyn Future<Output = Result<()>>>>>>,
    result: std::cell::RefCell<Option<Result<()>>>,
}

impl Operation {
    /// Starts `future`: runs it as far as it goes now and leaves the rest to progress.
    pub fn start(
        rank: &'static Rank,
        future: impl Future<Output = Result<()>> + 'static,
    ) -> Rc<Operation> {
        let operation = Rc::new(Operation {
            future: std::cell::RefCell::new(Some(Box::pin(future))),
            result: std::cell::RefCell::new(None),
        });
        if !crate::progress::Step::step(&*operation, rank) {
            rank.add_step(operation.clone());
        }
        operation
    }

    /// Whether it is done.
    pub fn is_done(&self) -> bool {
        self.result.borrow().is_some()
    }

    /// How it ended, once done.
    pub fn result(&self) -> Result<()> {
        self.result.borrow().clone().unwrap_or(Ok(()))
    }
}

impl crate::progress::Step for Operation {
    fn step(&self, _rank: &'static Rank) -> bool {
        // Taken out while it runs: a user's reduction inside may call MPI.
        let Some(mut future) = self.future.take() else { return self.is_done() };
        match crate::progress::poll_once(future.as_mut()) {
            Some(result) => {
                *self.result.borrow_mut() = Some(result);
                _rank.p2p.count_completion();
                true
            }
            None => {
                *self.future.borrow_mut() = Some(future);
                false
            }
        }
    }
}
