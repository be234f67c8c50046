//! Sessions (MPI 5.0, section 11.3): the process sets that groups are made of, and what hangs on
//! a session. Called by `abi::session`.
//!
//! A rank joins the node once, for the first of its sessions or the world (`bootstrap::join`),
//! and stays joined: later sessions find everything there. A session is open from its making
//! until it is taken out of the rank's table.

use crate::comm::Comm;
use crate::errhandler::Errhandler;
use crate::group::Group;
use crate::info::Info;
use crate::p2p::bsend::Buffers;
use crate::rank::Rank;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// See the module's page.
#[derive(Default)]
pub struct Session {
    /// The C handle that names it.
    pub handle: Cell<u32>,
    /// Error handler; `None` is `MPI_ERRORS_ARE_FATAL`.
    pub errhandler: RefCell<Option<Rc<Errhandler>>>,
    /// Hints in use.
    pub info: Info,
    /// Buffered sends of communicators that come from this session (`MPI_Session_attach_buffer`).
    pub bsend: RefCell<Buffers>,
}

/// The names of the process sets. All ranks are on one node in this version.
pub const SETS: [&str; 3] = ["mpi://WORLD", "mpi://SELF", "mpix://node"];

/// The processes of a set; `None` if there is no set of that name.
pub fn processes(rank: &Rank, set: &str) -> Option<Rc<Group>> {
    let node = rank.node();
    let index = SETS.iter().position(|name| name.eq_ignore_ascii_case(set))?;
    Some(match SETS[index] {
        "mpi://SELF" => Group::range(node.me, 1),
        _ => node.world(),
    })
}

impl Rank {
    /// Whether a session is open.
    pub fn has_session(&self) -> bool {
        !self.sessions.borrow().is_empty()
    }

    /// The session that a communicator comes from; `None` if it comes from the world, or the
    /// session has been finalised.
    pub fn session_of(&self, comm: &Comm) -> Option<Rc<Session>> {
        match comm.group.origin.get() {
            0 => None,
            handle => self.sessions.borrow().get(handle).ok().cloned(),
        }
    }
}
