//! Point-to-point: transfers, and the way of a message through this folder.
//!
//! `send.rs` chooses a protocol and starts; `recv.rs` posts; `matching.rs` brings the two
//! together; `protocol/` moves the bytes: `eager.rs`, `rendezvous.rs`, `single_copy.rs`.
//! `deliver.rs` is where packets enter from the transports.
//!
//! A **transfer** is one send or receive on its way. Its id travels in protocol messages, so it
//! is checked like anything else a peer wrote. States: active -> complete -> (taken or dropped);
//! a detached transfer is dropped as soon as it is complete. Owner: the rank, under its lock.

pub mod bsend;
pub mod cancel;
mod deliver;
pub mod matching;
pub mod probe;
pub mod protocol;
mod recv;
mod send;
#[cfg(test)]
mod tests;
mod unsent;

use crate::buffer::Buffer;
use crate::status::Status;
use matching::Queue;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::rank::Rank;
pub(crate) use recv::truncate as recv_truncate;
pub use send::{Destination, Mode};

/// Names a transfer of this rank: generation and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransferId(pub(crate) u64);

/// The kinds of packets that ranks exchange (`Head::kind`).
pub(crate) mod kind {
    /// A whole message.
    pub const EAGER: u8 = 1;
    /// A whole message whose sender waits for the match; the body starts with its transfer.
    pub const EAGER_SYNC: u8 = 2;
    /// Announces a message: transfer, bytes, address (0: not in one piece).
    pub const READY_TO_SEND: u8 = 3;
    /// Answer: send fragments to this transfer. `context` is the sender's transfer.
    pub const CLEAR_TO_SEND: u8 = 4;
    /// A fragment for the receive `context`.
    pub const FRAGMENT: u8 = 5;
    /// The send `context` is complete: matched, or copied by the receiver.
    pub const DONE: u8 = 6;
    /// Please forget the message that the sender's transfer `context` announced.
    pub const CANCEL: u8 = 7;
    /// Answer for the send `context`: `tag` is 1 if it was forgotten.
    pub const CANCELLED: u8 = 8;
    /// Asks for an operation on the window `context`; `tag` is the request's number.
    pub const RMA_REQUEST: u8 = 9;
    /// The answer to the request `tag`.
    pub const RMA_ANSWER: u8 = 10;
}

/// What a transfer is doing.
pub(crate) enum Work {
    /// A send whose eager message waits for place in the ring.
    Unsent,
    /// A send that the receiver has been told of.
    Announced { peer: u32, buffer: Buffer, cancelling: bool },
    /// A receive that is posted.
    Posted { queue: Rc<Queue>, buffer: Buffer },
    /// A receive whose message arrives in fragments.
    Arriving { peer: u32, buffer: Buffer, received: u64, total: u64 },
}

pub(crate) struct Transfer {
    pub(crate) work: Option<Work>,
    pub(crate) complete: bool,
    pub(crate) detached: bool,
    pub(crate) status: Status,
    /// Memory that lives as long as the transfer (a buffered send's copy).
    pub(crate) keep: Option<Rc<dyn std::any::Any>>,
}

#[derive(Default)]
struct TransferSlot {
    generation: u32,
    transfer: Option<Transfer>,
}

#[derive(Default)]
struct Transfers {
    slots: Vec<TransferSlot>,
    free: Vec<u32>,
}

/// The point-to-point state of a rank.
#[derive(Default)]
pub struct P2p {
    transfers: RefCell<Transfers>,
    queues: RefCell<HashMap<u64, Rc<Queue>>>,
    last_queue: RefCell<Option<(u64, Rc<Queue>)>>,
    completions: Cell<u64>,
    detached: Cell<u64>,
    unsent: RefCell<unsent::Unsent>,
    has_unsent: Cell<bool>,
}

impl P2p {
    /// How many transfers have completed so far: changes whenever a waiting one may go on.
    #[inline(always)]
    pub fn completions(&self) -> u64 {
        self.completions.get()
    }

    /// Counts the completion of something that is not a transfer (a non-blocking collective).
    pub(crate) fn count_completion(&self) {
        self.completions.set(self.completions.get() + 1);
    }

    /// Transfers that nobody waits for and that are still on their way.
    pub fn detached(&self) -> u64 {
        self.detached.get()
    }

    /// Whether messages wait for place in a ring.
    #[inline(always)]
    pub fn has_unsent(&self) -> bool {
        self.has_unsent.get()
    }

    pub(crate) fn start(&self, work: Work) -> TransferId {
        let mut transfers = self.transfers.borrow_mut();
        let index = transfers.free.pop().unwrap_or_else(|| {
            transfers.slots.push(TransferSlot::default());
            transfers.slots.len() as u32 - 1
        });
        let slot = &mut transfers.slots[index as usize];
        slot.transfer = Some(Transfer {
            work: Some(work),
            complete: false,
            detached: false,
            status: Status::EMPTY,
            keep: None,
        });
        TransferId((slot.generation as u64) << 32 | index as u64)
    }

    /// Runs `f` on a live transfer; `None` if `id` names none.
    #[inline]
    pub(crate) fn with<R>(&self, id: TransferId, f: impl FnOnce(&mut Transfer) -> R) -> Option<R> {
        let mut transfers = self.transfers.borrow_mut();
        let slot = transfers.slots.get_mut(id.0 as u32 as usize)?;
        if slot.generation != (id.0 >> 32) as u32 {
            return None;
        }
        slot.transfer.as_mut().map(f)
    }

    /// Takes the work out of a transfer, to be replaced or completed.
    pub(crate) fn take_work(&self, id: TransferId) -> Option<Work> {
        self.with(id, |t| t.work.take()).flatten()
    }

    fn remove(&self, id: TransferId) -> Option<Transfer> {
        let mut transfers = self.transfers.borrow_mut();
        let index = id.0 as u32;
        let slot = transfers.slots.get_mut(index as usize)?;
        if slot.generation != (id.0 >> 32) as u32 {
            return None;
        }
        let transfer = slot.transfer.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        transfers.free.push(index);
        Some(transfer)
    }

    /// Marks a transfer complete.
    pub(crate) fn complete(&self, id: TransferId, status: Status) {
        let detached = self.with(id, |t| {
            t.work = None;
            t.complete = true;
            t.status = status;
            t.detached
        });
        self.completions.set(self.completions.get() + 1);
        if detached == Some(true) {
            self.detached.set(self.detached.get() - 1);
            drop(self.remove(id));
        }
    }

    /// Whether a transfer is complete.
    #[inline(always)]
    pub fn is_complete(&self, id: TransferId) -> bool {
        self.with(id, |t| t.complete).unwrap_or(true)
    }

    /// The status of a complete transfer, which is gone after this.
    #[inline]
    pub fn take(&self, id: TransferId) -> Status {
        self.remove(id).map_or(Status::EMPTY, |t| t.status)
    }

    /// A copy of the status of a complete transfer.
    pub fn peek_status(&self, id: TransferId) -> Status {
        self.with(id, |t| t.status.clone()).unwrap_or(Status::EMPTY)
    }

    /// Lets a transfer go on by itself; it disappears when complete.
    pub fn detach(&self, id: TransferId) {
        let complete = self.with(id, |t| {
            t.detached = true;
            t.complete
        });
        match complete {
            Some(true) => drop(self.remove(id)),
            Some(false) => self.detached.set(self.detached.get() + 1),
            None => {}
        }
    }

    /// Keeps `memory` alive as long as the transfer.
    pub(crate) fn keep(&self, id: TransferId, memory: Rc<dyn std::any::Any>) {
        self.with(id, |t| t.keep = Some(memory));
    }

    /// The matching queue of a context; messages may come for one that is not known here yet.
    #[inline]
    pub fn queue(&self, context: u64) -> Rc<Queue> {
        if let Some((last, queue)) = &*self.last_queue.borrow() {
            if *last == context {
                return queue.clone();
            }
        }
        let queue = self.queues.borrow_mut().entry(context).or_default().clone();
        *self.last_queue.borrow_mut() = Some((context, queue.clone()));
        queue
    }

    /// Forgets a context whose communicator is gone.
    pub fn forget(&self, context: u64) {
        self.queues.borrow_mut().remove(&context);
        self.last_queue.borrow_mut().take();
    }
}

/// Waits for a transfer inside a collective's state machine.
pub struct Done {
    rank: &'static Rank,
    id: TransferId,
}

impl Rank {
    /// A future that is ready with the transfer's status.
    pub fn done(&'static self, id: TransferId) -> Done {
        Done { rank: self, id }
    }

    /// Waits for a transfer and takes its status.
    #[inline]
    pub fn finish(
        &'static self,
        id: TransferId,
        from: Option<u32>,
    ) -> crate::error::Result<Status> {
        self.wait_until(from, || self.p2p.is_complete(id))?;
        Ok(self.p2p.take(id))
    }
}

impl Future for Done {
    type Output = crate::error::Result<Status>;
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        if !self.rank.p2p.is_complete(self.id) {
            return Poll::Pending;
        }
        let mut status = self.rank.p2p.take(self.id);
        Poll::Ready(match status.error.take() {
            Some(error) => Err(error),
            None => Ok(status),
        })
    }
}
