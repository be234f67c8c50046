//! Partitioned communication (MPI 5.0, chapter 4). Called by `abi::part`.
//!
//! The two sides find each other when they are initialised: the sender makes up a context of its
//! own and says so in a message that is matched in the communicator's context for this purpose,
//! by source and tag, in the order of initialisation. From then on each partition of the sender
//! is a message in that context, with the partition's number as its tag. The receiver may have
//! cut its buffer otherwise: a partition of it has arrived when all messages that reach into it
//! have.
//!
//! States of either side: inactive -> active (`start`) -> done -> inactive (the request's wait).

use crate::buffer::{Buffer, Data};
use crate::coll::Operation;
use crate::comm::{Comm, Use};
use crate::error::{Class, Error, Result};
use crate::p2p::{matching::Queue, Destination, Mode, TransferId};
use crate::progress::Step;
use crate::rank::{self, Rank};
use crate::request::Activity;
use crate::status::Status;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// A buffer cut into partitions of equal size.
pub struct Partitions {
    /// All elements.
    pub data: Data,
    /// Elements of one partition.
    pub count: i64,
    /// Number of partitions.
    pub number: u32,
}

impl Partitions {
    fn bytes_of_one(&self) -> u64 {
        (self.count * self.data.ty.size()) as u64
    }

    fn check(&self, partition: i32) -> Result<u32> {
        match u32::try_from(partition) {
            Ok(p) if p < self.number => Ok(p),
            _ => {
                let number = self.number;
                let text = format!("the partition is {partition}, but there are {number}, from 0");
                Err(Error::new(Class::ARG, text))
            }
        }
    }
}

/// What the sender tells first: context, number of its partitions, bytes of one.
type Hello = [u64; 3];

/// The sending side.
pub struct Sender {
    /// `None` is `MPI_PROC_NULL`.
    to: Option<Destination>,
    partitions: Partitions,
    ready: RefCell<Vec<bool>>,
    left: Cell<u32>,
    transfers: RefCell<Vec<TransferId>>,
    error: RefCell<Option<Error>>,
    operation: RefCell<Option<Rc<Operation>>>,
}

impl Sender {
    /// The sending side of a communication with rank `dest` of `comm`.
    pub fn new(
        rank: &'static Rank,
        comm: &Comm,
        dest: Option<u32>,
        tag: i32,
        partitions: Partitions,
    ) -> Result<Rc<Sender>> {
        let mut to = dest.map(|dest| comm.destination(dest, tag));
        if let Some(to) = &mut to {
            to.context = comm.context + Use::Partitioned as u64;
            let context = rank.new_context();
            let hello: Rc<Hello> =
                Rc::new([context, u64::from(partitions.number), partitions.bytes_of_one()]);
            let words = Buffer::contiguous(hello.as_ptr().cast_mut().cast(), 24);
            // SAFETY: the transfer keeps the words, which nobody changes.
            if let Some(sent) = unsafe { rank.send(*to, &words, Mode::Standard) }? {
                rank.p2p.keep(sent, hello);
                rank.p2p.detach(sent);
            }
            to.context = context;
        }
        Ok(Rc::new(Sender {
            to,
            partitions,
            ready: RefCell::default(),
            left: Cell::new(0),
            transfers: RefCell::default(),
            error: RefCell::default(),
            operation: RefCell::default(),
        }))
    }

    /// Begins a round: no partition is ready.
    pub fn start(self: &Rc<Self>, rank: &'static Rank) -> Activity {
        let number = if self.to.is_some() { self.partitions.number } else { 0 };
        *self.ready.borrow_mut() = vec![false; self.partitions.number as usize];
        self.left.set(number);
        let this = self.clone();
        let operation = Operation::start(rank, poll_fn(move |_| this.look(rank)));
        *self.operation.borrow_mut() = Some(operation.clone());
        Activity::Collective(operation)
    }

    /// Done when all partitions are ready and sent.
    fn look(&self, rank: &Rank) -> Poll<Result<()>> {
        self.transfers.borrow_mut().retain(|id| {
            let is_done = rank.p2p.is_complete(*id);
            if is_done {
                let failed = rank.p2p.take(*id).error;
                let mut error = self.error.borrow_mut();
                *error = error.take().or(failed);
            }
            !is_done
        });
        if self.left.get() > 0 || !self.transfers.borrow().is_empty() {
            return Poll::Pending;
        }
        Poll::Ready(self.error.take().map_or(Ok(()), Err))
    }

    /// Whether the number names a partition that is not ready yet.
    pub fn check(&self, partition: i32) -> Result<()> {
        let index = self.partitions.check(partition)?;
        match self.ready.borrow()[index as usize] {
            false => Ok(()),
            true => {
                let text = format!("partition {partition} is ready already in this round");
                Err(Error::new(Class::ARG, text))
            }
        }
    }

    /// Sends a partition (`MPI_Pready`) of a request that is active.
    ///
    /// # Safety
    /// The user leaves the partition alone until the round is done.
    pub unsafe fn ready(&self, rank: &'static Rank, partition: i32) -> Result<()> {
        self.check(partition)?;
        self.ready.borrow_mut()[partition as usize] = true;
        let Some(to) = self.to else { return Ok(()) };
        let count = self.partitions.count;
        let part = self.partitions.data.part(i64::from(partition) * count, count);
        let to = Destination { tag: partition, ..to };
        // SAFETY: the caller's contract.
        let sent = unsafe { rank.send(to, &part.buffer(), Mode::Standard) }?;
        self.transfers.borrow_mut().extend(sent);
        self.left.set(self.left.get() - 1);
        let operation = self.operation.borrow().clone();
        if let (0, Some(operation)) = (self.left.get(), operation) {
            if operation.step(rank) {
                rank.completed_elsewhere();
            }
        }
        Ok(())
    }
}

/// Memory for the sender's first message; the transfer keeps it.
struct Mailbox(UnsafeCell<Hello>);

/// Where a receiver gets its messages from.
struct Origin {
    source: i32,
    tag: i32,
    hello: TransferId,
    mailbox: Rc<Mailbox>,
}

/// What a receiver has learnt of the sender.
#[derive(Clone)]
struct Channel {
    context: u64,
    queue: Rc<Queue>,
    number: u64,
    bytes: u64,
}

/// The receiving side.
pub struct Receiver {
    /// `None` is `MPI_PROC_NULL`.
    origin: Option<Origin>,
    partitions: Partitions,
    channel: RefCell<Option<Channel>>,
    /// Per message of the round whether it is there; empty until the receives are posted.
    arrived: RefCell<Vec<bool>>,
    posted: RefCell<Vec<(u32, TransferId)>>,
    error: RefCell<Option<Error>>,
    /// The messages, where they do not end where elements end.
    scratch: RefCell<Vec<u8>>,
    done: Cell<bool>,
}

impl Receiver {
    /// The receiving side of a communication with rank `source` of `comm`.
    pub fn new(
        rank: &'static Rank,
        comm: &Comm,
        source: Option<u32>,
        tag: i32,
        partitions: Partitions,
    ) -> Result<Rc<Receiver>> {
        let origin = match source {
            None => None,
            Some(source) => {
                let queue = rank.p2p.queue(comm.context + Use::Partitioned as u64);
                let mailbox = Rc::new(Mailbox(UnsafeCell::new([0; 3])));
                let words = Buffer::contiguous(mailbox.0.get().cast(), 24);
                let source = source as i32;
                // SAFETY: the transfer keeps the mailbox; it is read after completion only.
                let hello = unsafe { rank.receive(&queue, source, tag, &words) }?;
                rank.p2p.keep(hello, mailbox.clone());
                Some(Origin { source, tag, hello, mailbox })
            }
        };
        Ok(Rc::new(Receiver {
            origin,
            partitions,
            channel: RefCell::default(),
            arrived: RefCell::default(),
            posted: RefCell::default(),
            error: RefCell::default(),
            scratch: RefCell::default(),
            done: Cell::new(true),
        }))
    }

    /// Begins a round: no partition has arrived.
    pub fn start(self: &Rc<Self>, rank: &'static Rank) -> Activity {
        let Some(origin) = &self.origin else { return Activity::Complete(Status::NO_PROCESS) };
        self.arrived.borrow_mut().clear();
        self.done.set(false);
        let bytes = self.partitions.data.bytes();
        let status = Status { source: origin.source, tag: origin.tag, bytes, ..Status::EMPTY };
        let this = self.clone();
        let operation = Operation::start(rank, poll_fn(move |_| this.look(rank)));
        Activity::Partitioned(operation, status)
    }

    fn look(&self, rank: &'static Rank) -> Poll<Result<()>> {
        let Some(channel) = self.channel(rank) else { return Poll::Pending };
        let result = self.advance(rank, &channel);
        self.done.set(!matches!(result, Ok(false)));
        match result {
            Ok(false) => Poll::Pending,
            Ok(true) => Poll::Ready(self.error.take().map_or(Ok(()), Err)),
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    /// The sender, once its first message is there.
    fn channel(&self, rank: &Rank) -> Option<Channel> {
        if let Some(known) = &*self.channel.borrow() {
            return Some(known.clone());
        }
        let origin = self.origin.as_ref()?;
        if !rank.p2p.is_complete(origin.hello) {
            return None;
        }
        rank.p2p.take(origin.hello);
        // SAFETY: the receive into the mailbox is complete.
        let [context, number, bytes] = unsafe { origin.mailbox.0.get().read() };
        let channel = Channel { context, queue: rank.p2p.queue(context), number, bytes };
        *self.channel.borrow_mut() = Some(channel.clone());
        Some(channel)
    }

    /// Posts what is not posted, takes what has arrived; true when all has.
    fn advance(&self, rank: &'static Rank, channel: &Channel) -> Result<bool> {
        let total = self.partitions.data.bytes();
        if channel.number.checked_mul(channel.bytes) != Some(total) {
            let text = format!(
                "the sender's {} partitions of {} bytes do not make up the receiver's {total} \
                 bytes; give both sides the same amount of data",
                channel.number, channel.bytes
            );
            return Err(Error::new(Class::TRUNCATE, text));
        }
        let source = self.origin.as_ref().map_or(0, |origin| origin.source);
        if self.arrived.borrow().is_empty() {
            *self.arrived.borrow_mut() = vec![false; channel.number as usize];
            for i in 0..channel.number {
                let place = self.place(channel, i);
                // SAFETY: the user leaves the buffer alone while the request is active, and the
                // scratch memory lives as long as `self`.
                let id = unsafe { rank.receive(&channel.queue, source, i as i32, &place) }?;
                self.posted.borrow_mut().push((i as u32, id));
            }
        }
        self.posted.borrow_mut().retain(|(i, id)| {
            let is_there = rank.p2p.is_complete(*id);
            if is_there {
                let failed = rank.p2p.take(*id).error;
                let mut error = self.error.borrow_mut();
                *error = error.take().or(failed);
                self.unpack(channel, u64::from(*i));
                self.arrived.borrow_mut()[*i as usize] = true;
            }
            !is_there
        });
        Ok(self.posted.borrow().is_empty())
    }

    fn is_aligned(&self, channel: &Channel) -> bool {
        let size = self.partitions.data.ty.size() as u64;
        channel.bytes == 0 || channel.bytes.is_multiple_of(size)
    }

    /// Where message `i` goes.
    fn place(&self, channel: &Channel, i: u64) -> Buffer {
        let Partitions { data, .. } = &self.partitions;
        if channel.bytes == 0 {
            return Buffer::empty();
        }
        if self.is_aligned(channel) {
            let count = channel.bytes as i64 / data.ty.size();
            return data.part(i as i64 * count, count).buffer();
        }
        let mut scratch = self.scratch.borrow_mut();
        scratch.resize(data.bytes() as usize, 0);
        let first = scratch.as_mut_ptr().wrapping_add((i * channel.bytes) as usize);
        Buffer::contiguous(first, channel.bytes)
    }

    /// Brings message `i` from the scratch memory, if it went there, to the user.
    fn unpack(&self, channel: &Channel, i: u64) {
        if self.is_aligned(channel) {
            return;
        }
        let scratch = self.scratch.borrow();
        let at = i * channel.bytes;
        let message = &scratch[at as usize..(at + channel.bytes) as usize];
        // SAFETY: the user leaves the buffer alone while the request is active.
        unsafe { self.partitions.data.buffer().unpack(at, message) };
    }

    /// Whether a partition of a request that is active has arrived (`MPI_Parrived`).
    pub fn has_arrived(&self, partition: i32) -> Result<bool> {
        let index = u64::from(self.partitions.check(partition)?);
        if self.origin.is_none() || self.done.get() {
            return Ok(true);
        }
        let (channel, arrived) = (self.channel.borrow(), self.arrived.borrow());
        let Some(channel) = &*channel else { return Ok(false) };
        let bytes = self.partitions.bytes_of_one();
        if arrived.is_empty() || bytes == 0 {
            return Ok(false);
        }
        let first = index * bytes / channel.bytes;
        let last = ((index + 1) * bytes - 1) / channel.bytes;
        Ok(arrived[first as usize..=last as usize].iter().all(|there| *there))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // A first message that has not come yet stays expected, so that it does not meet the
        // next receiver.
        if let Some(rank) = rank::current() {
            if let Some(channel) = self.channel(rank) {
                rank.p2p.forget(channel.context);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::on_ranks;

    /// `number` partitions of a buffer of integers.
    fn cut(rank: &Rank, words: &mut [u32], number: u32) -> Partitions {
        let ty = rank.predefined_datatype(0x251).expect("a type of four bytes").clone();
        assert_eq!(ty.size(), 4);
        let count = words.len() as i64;
        let data = Data { addr: words.as_mut_ptr().cast(), count, ty };
        Partitions { data, count: count / i64::from(number), number }
    }

    fn wait(rank: &'static Rank, activity: Activity) -> Status {
        rank.wait_until(None, || activity.is_done(rank)).unwrap();
        activity.take_status(rank)
    }

    #[test]
    fn all_cuts_meet_all_cuts() {
        on_ranks(2, |rank| {
            let world = rank.world().unwrap();
            for (length, sends, receives) in
                [(12, 1, 1), (12, 4, 6), (12, 6, 4), (12, 12, 1), (60_000, 1, 12), (60_000, 5, 3)]
            {
                let mut words = vec![0u32; length];
                if rank.node().me == 0 {
                    let parts = cut(rank, &mut words, sends);
                    let sender = Sender::new(rank, &world, Some(1), 7, parts).unwrap();
                    for round in 0..3 {
                        (0..length).for_each(|i| words[i] = i as u32 * 3 + round);
                        let activity = sender.start(rank);
                        for i in (0..sends as i32).rev() {
                            assert!(!activity.is_done(rank));
                            // SAFETY: `words` stays as it is until the wait below.
                            unsafe { sender.ready(rank, i) }.unwrap();
                            assert!(sender.check(i).is_err());
                        }
                        assert!(wait(rank, activity).error.is_none());
                    }
                } else {
                    let parts = cut(rank, &mut words, receives);
                    let receiver = Receiver::new(rank, &world, Some(0), 7, parts).unwrap();
                    for round in 0..3 {
                        let status = wait(rank, receiver.start(rank));
                        assert!(status.error.is_none());
                        assert_eq!(status.bytes, 4 * length as u64);
                        assert!(receiver.has_arrived(receives as i32 - 1).unwrap());
                        assert!((0..length).all(|i| words[i] == i as u32 * 3 + round));
                    }
                }
            }
        });
    }
}
