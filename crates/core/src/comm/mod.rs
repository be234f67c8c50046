//! Communicators: a group (or two), a context of its own for messages, and what users hang on.
//! `create.rs` makes new ones. Called by `abi`, `coll` and `p2p`.

pub mod create;
pub mod hardware;
pub mod intercomm;
#[cfg(test)]
mod tests;

use crate::attr::Attributes;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Info;
use crate::p2p::matching::Queue;
use crate::p2p::{bsend::Buffers, Destination};
use crate::rank::Rank;
use crate::topo::Topology;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a context of a communicator is used for; added to its context id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Use {
    /// The user's point-to-point messages.
    PointToPoint = 0,
    /// Collectives.
    Collective = 1,
    /// Making communicators of a part of this one (`MPI_Comm_create_group`).
    Creation = 2,
    /// Making communicators out of groups alone (`MPI_Comm_create_from_group`); only that of the
    /// world is used so.
    FromGroups = 3,
    /// What the two sides of a partitioned communication tell each other first.
    Partitioned = 4,
}

/// Contexts that belong to one communicator, used or not.
pub(crate) const CONTEXTS: u64 = 8;

/// See the module's page.
pub struct Comm {
    /// The first of its contexts.
    pub context: u64,
    /// This process's rank in `group`.
    pub rank: u32,
    /// The (local) group.
    pub group: Rc<Group>,
    /// The remote group of an intercommunicator.
    pub remote: Option<Rc<Group>>,
    /// For the local part of an intercommunicator's collectives: its local group.
    pub local: Option<Rc<Comm>>,
    /// Matching of point-to-point messages.
    pub queue: Rc<Queue>,
    /// Matching of the collectives' messages.
    pub collective_queue: Rc<Queue>,
    /// Name (`MPI_Comm_set_name`).
    pub name: RefCell<String>,
    /// Error handler; `None` is `MPI_ERRORS_ARE_FATAL`.
    pub errhandler: RefCell<Option<Rc<Errhandler>>>,
    /// Attributes.
    pub attributes: Attributes,
    /// Hints.
    pub info: RefCell<Info>,
    /// Topology.
    pub topology: RefCell<Option<Topology>>,
    /// Buffered sends of this communicator (`MPI_Comm_attach_buffer`).
    pub bsend: RefCell<Buffers>,
    /// The C handle that names it.
    pub handle: Cell<u32>,
    /// Whether `MPI_Comm_free` was called; operations may still be on their way.
    pub freed: Cell<bool>,
    next_collective: [Cell<i32>; 2],
}

/// What a new communicator is made of.
pub(crate) struct Parts {
    pub context: u64,
    pub rank: u32,
    pub group: Rc<Group>,
    pub remote: Option<Rc<Group>>,
    pub local: Option<Rc<Comm>>,
}

impl Comm {
    pub(crate) fn new(rank: &Rank, parts: Parts) -> Rc<Comm> {
        let queue = |of: Use| rank.p2p.queue(parts.context + of as u64);
        Rc::new(Comm {
            queue: queue(Use::PointToPoint),
            collective_queue: queue(Use::Collective),
            context: parts.context,
            rank: parts.rank,
            group: parts.group,
            remote: parts.remote,
            local: parts.local,
            name: RefCell::default(),
            errhandler: RefCell::default(),
            attributes: Attributes::default(),
            info: RefCell::default(),
            topology: RefCell::default(),
            bsend: RefCell::default(),
            handle: Cell::new(0),
            freed: Cell::new(false),
            next_collective: [Cell::new(0), Cell::new(0)],
        })
    }

    /// `MPI_COMM_WORLD` or `MPI_COMM_SELF`.
    pub(crate) fn predefined(
        of: &Rank,
        group: Rc<Group>,
        rank: u32,
        name: &str,
        context: u64,
    ) -> Rc<Comm> {
        let comm = Comm::new(of, Parts { context, rank, group, remote: None, local: None });
        *comm.name.borrow_mut() = name.to_string();
        comm
    }

    /// Size of the local group.
    #[inline(always)]
    pub fn size(&self) -> u32 {
        self.group.size()
    }

    /// The group that point-to-point ranks refer to.
    #[inline(always)]
    pub fn peers(&self) -> &Group {
        self.remote.as_deref().unwrap_or(&self.group)
    }

    /// Whether it is an intercommunicator.
    pub fn is_inter(&self) -> bool {
        self.remote.is_some()
    }

    /// Where a point-to-point message to `rank` goes; `rank` has been checked.
    #[inline(always)]
    pub fn destination(&self, rank: u32, tag: i32) -> Destination {
        let peer = self.peers().world(rank);
        Destination { context: self.context, peer, source: self.rank as i32, tag }
    }

    /// Where a point-to-point message from `rank` comes from; `rank` has been checked.
    #[inline(always)]
    pub fn origin(&self, rank: u32, tag: i32) -> Destination {
        let peer = self.peers().world(rank);
        Destination { context: self.context, peer, source: rank as i32, tag }
    }

    /// The tag of the next collective. All processes start collectives on a communicator in the
    /// same order (section 6.12), so they count alike. Blocking ones have even tags, others odd
    /// ones: they never match each other, and programs that start a non-blocking one before a
    /// barrier here and after it there, as many do, are none the worse.
    pub fn next_collective(&self, blocking: bool) -> i32 {
        let counter = &self.next_collective[blocking as usize];
        let number = counter.get();
        counter.set(if number == i32::MAX / 2 { 0 } else { number + 1 });
        2 * number + !blocking as i32
    }

    /// How it is called in messages.
    pub fn title(&self) -> String {
        match self.name.borrow().as_str() {
            "" => format!("an unnamed communicator of {} ranks", self.size()),
            name => name.to_string(),
        }
    }

    /// An error if it is an intercommunicator, where `what` needs an intracommunicator.
    pub fn require_intra(&self, what: &str) -> Result<()> {
        match self.is_inter() {
            false => Ok(()),
            true => Err(Error::new(
                Class::COMM,
                format!("{what} needs an intracommunicator; {} is not one", self.title()),
            )),
        }
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        if let Some(rank) = crate::rank::current() {
            for context in self.context..self.context + CONTEXTS {
                rank.p2p.forget(context);
            }
        }
    }
}
