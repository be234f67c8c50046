//! The user's requests: what an `MPI_Request` names. Made by `abi`, waited for by `abi::request`.
//!
//! A request refers to what really goes on: a transfer, a collective. States (MPI 5.0, section
//! 3.7.3): a one-shot request is active until it is completed and freed by a wait or test; a
//! persistent one is inactive until started, and inactive again after a wait or test.

use crate::coll::Operation;
use crate::comm::Comm;
use crate::error::Result;
use crate::p2p::TransferId;
use crate::rank::Rank;
use crate::status::Status;
use std::any::Any;
use std::rc::Rc;

/// What a request stands for while it is active.
#[derive(Clone)]
pub enum Activity {
    /// Complete already.
    Complete(Status),
    /// A send or a receive.
    Transfer(TransferId),
    /// A collective.
    Collective(Rc<Operation>),
    /// A partitioned receive, and the status that it will have.
    Partitioned(Rc<Operation>, Status),
    /// A send and a receive at once (`MPI_Isendrecv`); the status is the receive's.
    Pair(TransferId, Option<TransferId>),
    /// The same where there is nobody to receive from.
    SendOnly(TransferId),
    /// A generalised request (section 13.2); `abi` keeps its callbacks.
    Generalized(Rc<Generalized>),
}

/// A generalised request: whether `MPI_Grequest_complete` was called, and what `abi` needs.
pub struct Generalized {
    /// Set by `MPI_Grequest_complete`.
    pub complete: std::cell::Cell<bool>,
    /// Set by `MPI_Request_free`.
    pub freed: std::cell::Cell<bool>,
    /// The callbacks.
    pub callbacks: Box<dyn Any>,
}

/// Starts a persistent operation anew.
pub type Start = Rc<dyn Fn(&'static Rank) -> Result<Activity>>;

/// A request.
#[derive(Clone)]
pub struct Request {
    /// What goes on; `None` if it is persistent and inactive.
    pub activity: Option<Activity>,
    /// How to start it, if it is persistent.
    pub start: Option<Start>,
    /// The communicator, whose error handler is used.
    pub comm: Option<Rc<Comm>>,
    /// For messages: which call made it.
    pub made_by: &'static str,
    /// Memory and objects that must live as long as the request.
    pub keep: Option<Rc<dyn Any>>,
    /// Whether it stands for a send (its status says nothing of source and tag).
    pub is_send: bool,
}

impl Activity {
    /// Whether it is done; makes no progress.
    #[inline]
    pub fn is_done(&self, rank: &Rank) -> bool {
        match self {
            Activity::Complete(_) => true,
            Activity::Transfer(id) | Activity::SendOnly(id) => rank.p2p.is_complete(*id),
            Activity::Collective(operation) | Activity::Partitioned(operation, _) => {
                operation.is_done()
            }
            Activity::Pair(receive, send) => {
                rank.p2p.is_complete(*receive) && send.is_none_or(|s| rank.p2p.is_complete(s))
            }
            Activity::Generalized(g) => g.complete.get(),
        }
    }

    /// The status of what is done, which is gone after this.
    pub fn take_status(self, rank: &Rank) -> Status {
        match self {
            Activity::Complete(status) => status,
            Activity::Transfer(id) => rank.p2p.take(id),
            Activity::SendOnly(id) => {
                Status { error: rank.p2p.take(id).error, ..Status::NO_PROCESS }
            }
            Activity::Collective(operation) => operation.status(),
            Activity::Partitioned(operation, status) => {
                Status { error: operation.result().err(), ..status }
            }
            Activity::Pair(receive, send) => {
                let sent = send.map(|s| rank.p2p.take(s));
                let mut status = rank.p2p.take(receive);
                status.error = status.error.or(sent.and_then(|s| s.error));
                status
            }
            Activity::Generalized(_) => Status::EMPTY,
        }
    }

    /// The status of what is done, which stays.
    pub fn peek_status(&self, rank: &Rank) -> Status {
        match self {
            Activity::Transfer(id) | Activity::Pair(id, _) => rank.p2p.peek_status(*id),
            Activity::SendOnly(_) => Status::NO_PROCESS,
            Activity::Complete(status) => status.clone(),
            Activity::Collective(operation) => operation.status(),
            Activity::Partitioned(operation, status) => {
                Status { error: operation.result().err(), ..status.clone() }
            }
            Activity::Generalized(_) => Status::EMPTY,
        }
    }

    /// Lets it go on without a request (`MPI_Request_free`); `keep` lives as long as it does.
    pub fn detach_with(self, rank: &Rank, keep: Option<Rc<dyn Any>>) {
        let detach = |id| {
            if let Some(keep) = &keep {
                rank.p2p.keep(id, keep.clone());
            }
            rank.p2p.detach(id);
        };
        match self {
            Activity::Transfer(id) | Activity::SendOnly(id) => detach(id),
            Activity::Pair(receive, send) => {
                detach(receive);
                if let Some(send) = send {
                    detach(send);
                }
            }
            // A collective is kept by `progress` until it is done, and so is a partitioned receive.
            Activity::Collective(_) | Activity::Partitioned(..) => {}
            Activity::Complete(_) | Activity::Generalized(_) => {}
        }
    }
}
