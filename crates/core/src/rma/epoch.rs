//! Which operations a process may do now (MPI 5.0, section 12.5). Changed by `sync.rs`, asked by
//! every operation.
//!
//! ```text
//! access:    none -> fence -> (fence without a successor) none        fence -> fence
//!            none, unused fence -> started -> (complete) none
//!            none, unused fence -> locks -> (last unlock) none
//!            none, unused fence -> lock-all -> (unlock-all) none
//! exposure:  none -> posted -> (wait, successful test) none
//! ```
//! A fence opens an epoch that counts only once an operation uses it; until then other kinds of
//! synchronisation may follow. Locks of `MPI_Win_lock_all` are taken at the first access to each
//! target, so that the call costs nothing and cannot deadlock; others at once, because the caller
//! may access its own or shared memory without a call.

use super::{Flavor, Win};
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::rank::Rank;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Operations between two looks at what has arrived.
const OPERATIONS_PER_POLL: u32 = 32;

/// The two kinds of locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// `MPI_LOCK_SHARED`
    Shared,
    /// `MPI_LOCK_EXCLUSIVE`
    Exclusive,
}

/// What this process may access.
#[derive(Clone)]
pub(super) enum AccessEpoch {
    None,
    /// Whether an operation has used it.
    Fence(bool),
    /// The targets of `MPI_Win_start`.
    Started(Rc<Group>),
    /// How many targets are locked.
    Locks(u32),
    LockAll,
}

/// What this process has locked at one target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    Nothing,
    /// Of `MPI_Win_lock_all`, not taken yet.
    Later,
    /// `MPI_MODE_NOCHECK`: the user knows that nobody else wants it.
    Unchecked,
    Shared(u32),
    Exclusive(u32),
}

/// The epochs of a process in a window.
pub(super) struct Epochs {
    pub access: RefCell<AccessEpoch>,
    pub holds: RefCell<Vec<Hold>>,
    /// The origins of `MPI_Win_post`.
    pub posted: RefCell<Option<Rc<Group>>>,
    /// How many operations there were.
    operations: Cell<u32>,
}

impl Epochs {
    pub fn new(ranks: usize) -> Epochs {
        Epochs {
            access: RefCell::new(AccessEpoch::None),
            holds: RefCell::new(vec![Hold::Nothing; ranks]),
            posted: RefCell::default(),
            operations: Cell::new(0),
        }
    }
}

#[cold]
pub(super) fn wrong_sync(text: impl Into<String>) -> Error {
    Error::new(Class::RMA_SYNC, text)
}

impl AccessEpoch {
    /// What is going on, for messages.
    fn noun(&self) -> &'static str {
        match self {
            AccessEpoch::None => "no access epoch is open",
            AccessEpoch::Fence(_) => "a fence has opened an epoch that operations have used",
            AccessEpoch::Started(_) => "an epoch of MPI_Win_start is open",
            AccessEpoch::Locks(_) => "an epoch of MPI_Win_lock is open",
            AccessEpoch::LockAll => "an epoch of MPI_Win_lock_all is open",
        }
    }
}

impl Win {
    /// An error if an access epoch is open, where `what` would open another.
    pub(super) fn require_no_access(&self, what: &str) -> Result<()> {
        match &*self.epochs.access.borrow() {
            AccessEpoch::None | AccessEpoch::Fence(false) => Ok(()),
            open => Err(wrong_sync(format!("{what}: {}; end it first", open.noun()))),
        }
    }

    /// An error about what is open, where `what` needs something else.
    #[cold]
    pub(super) fn not_open(&self, what: &str, needs: &str) -> Error {
        let open = self.epochs.access.borrow().noun();
        wrong_sync(format!("{what} needs an epoch of {needs}, but {open}"))
    }

    /// Allows an operation on `target`, taking its lock if that is still to be done. `passive` says
    /// that only passive target epochs will do (requests, section 12.3.5).
    #[inline]
    pub fn enter(&self, rank: &'static Rank, target: u32, passive: bool) -> Result<()> {
        // A loop around an operation may wait for what another process can only do once this one
        // has answered it.
        let turn = self.epochs.operations.get().wrapping_add(1);
        self.epochs.operations.set(turn);
        if turn.is_multiple_of(OPERATIONS_PER_POLL) {
            rank.poll()?;
        }
        match &mut *self.epochs.access.borrow_mut() {
            AccessEpoch::Fence(used) if !passive => *used = true,
            AccessEpoch::Started(group) if !passive => {
                return match group.rank_of(self.world(target)) {
                    Some(_) => Ok(()),
                    None => Err(wrong_sync(format!(
                        "rank {target} is not in the group that was given to MPI_Win_start"
                    ))),
                }
            }
            AccessEpoch::Locks(_) => {
                if self.epochs.holds.borrow()[target as usize] == Hold::Nothing {
                    return Err(wrong_sync(format!(
                        "rank {target} is not locked; call MPI_Win_lock for it first"
                    )));
                }
            }
            AccessEpoch::LockAll => {}
            AccessEpoch::None => {
                return Err(wrong_sync(
                    "no access epoch is open; call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or \
                     MPI_Win_lock_all first",
                ))
            }
            AccessEpoch::Fence(_) | AccessEpoch::Started(_) => {
                return Err(wrong_sync(
                    "operations with a request need MPI_Win_lock or MPI_Win_lock_all (12.3.5)",
                ))
            }
        }
        match self.epochs.holds.borrow()[target as usize] {
            Hold::Later => {}
            _ => return Ok(()),
        }
        self.acquire(rank, target, LockKind::Shared)
    }

    /// An error unless an epoch of locks is open, with `target` locked if one is given.
    pub fn require_passive(&self, what: &str, target: Option<u32>) -> Result<()> {
        match (&*self.epochs.access.borrow(), target) {
            (AccessEpoch::LockAll, _) | (AccessEpoch::Locks(_), None) => Ok(()),
            (AccessEpoch::Locks(_), Some(target)) => {
                match self.epochs.holds.borrow()[target as usize] {
                    Hold::Nothing => {
                        Err(wrong_sync(format!("{what}: rank {target} is not locked")))
                    }
                    _ => Ok(()),
                }
            }
            _ => Err(self.not_open(what, "MPI_Win_lock or MPI_Win_lock_all")),
        }
    }

    /// Whether the memory of other processes may be accessed without a call.
    pub(super) fn is_shared(&self) -> bool {
        self.flavor == Flavor::Shared
    }
}
