//! One-sided communication (MPI 5.0, chapter 12). The origin does everything: it copies to and
//! from the target's memory itself, so the target need not call MPI, and an operation is complete
//! at both sides when its call returns.
//!
//! | file | holds |
//! |---|---|
//! | `create.rs` | making windows |
//! | `control.rs` | the memory that the processes of a window share: locks, counters |
//! | `epoch.rs`, `sync.rs` | which operations are allowed when; fences, post and start, locks |
//! | `reach.rs` | the ways to the target's memory, checks of ranges |
//! | `transfer.rs` | put and get |
//! | `element.rs`, `atomic.rs`, `bulk.rs`, `accumulate.rs` | accumulates |
//! | `request.rs`, `serve.rs` | the same by messages, where the kernel denies other ways |
//! | `region.rs` | memory attached to dynamic windows |
//!
//! Ways to a target's memory, best first: memory that both map (allocated and shared windows, the
//! process itself), the kernel's copies between processes (`sys::cross_memory`), and messages that
//! the target serves while it progresses.
//!
//! Accumulates to one place are atomic, whoever does them. In memory that all map, elements of 1,
//! 2, 4 or 8 bytes (suitably aligned) change by the processor's atomic operations; all other
//! elements, and all elements of windows in the user's memory, change under the target's mutex.
//! The choice depends on the window, the type and the address only, never on the operation. Long
//! accumulates keep the short ones away instead.

mod accumulate;
mod atomic;
mod bulk;
mod control;
mod create;
mod element;
mod epoch;
mod reach;
mod region;
mod request;
mod serve;
mod sync;
#[cfg(test)]
mod tests;
mod transfer;

pub use accumulate::Accumulate;
pub use create::{create, Memory};
pub use element::Element;
pub use epoch::LockKind;

use crate::attr::Attributes;
use crate::comm::Comm;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::info::Info;
use crate::rank::Rank;
use control::Control;
use epoch::Epochs;
use reach::Access;
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

/// How a window was made (section 12.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// `MPI_Win_create`: memory of the user.
    Create,
    /// `MPI_Win_allocate`.
    Allocate,
    /// `MPI_Win_create_dynamic`.
    Dynamic,
    /// `MPI_Win_allocate_shared`.
    Shared,
}

/// What a process shows in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Where it begins: in this process if all map it, otherwise in its owner.
    base: usize,
    size: i64,
    disp_unit: i64,
    /// The owner's process id, and where the word lies that proves that copies reach it.
    process: u32,
    probe: usize,
}

/// A window, seen by one of its processes.
pub struct Win {
    /// A communicator of its own, with the group of the one it was made of.
    pub comm: Rc<Comm>,
    /// How it was made.
    pub flavor: Flavor,
    /// Name (`MPI_Win_set_name`).
    pub name: RefCell<String>,
    /// Error handler; `None` is `MPI_ERRORS_ARE_FATAL`.
    pub errhandler: RefCell<Option<Rc<Errhandler>>>,
    /// Attributes.
    pub attributes: Attributes,
    /// Hints.
    pub info: RefCell<Info>,
    /// The C handle that names it.
    pub handle: Cell<u32>,
    /// Numbers that `abi` gives out pointers to.
    pub numbers: OnceCell<Box<dyn Any>>,
    control: Control,
    places: Vec<Place>,
    /// What the probe of this process holds.
    _probe: Box<u64>,
    access: RefCell<Vec<Access>>,
    epochs: Epochs,
    /// Whether there are long accumulates (`bulk.rs`).
    has_bulk: bool,
    /// Address and length of what is attached to a dynamic window.
    regions: RefCell<Vec<(u64, u64)>>,
}

/// What a rank has for one-sided communication.
#[derive(Default)]
pub struct Rma {
    /// By the context of their communicator; messages find their window here.
    windows: RefCell<HashMap<u64, Weak<Win>>>,
    /// Answers that have arrived, by number of the request.
    answers: RefCell<HashMap<i32, request::Answer>>,
    next_request: Cell<i32>,
}

impl Win {
    /// This process's rank.
    pub fn me(&self) -> u32 {
        self.comm.rank
    }

    /// Number of processes.
    pub fn ranks(&self) -> u32 {
        self.comm.size()
    }

    /// Bytes that `rank` shows.
    pub fn size(&self, rank: u32) -> i64 {
        self.places[rank as usize].size
    }

    /// Bytes of one unit of displacement at `rank`.
    pub fn disp_unit(&self, rank: u32) -> i64 {
        self.places[rank as usize].disp_unit
    }

    /// Address of this process's part; null for a dynamic window.
    pub fn base(&self) -> usize {
        self.places[self.me() as usize].base
    }

    /// Whether all processes map all of its memory.
    fn is_mapped(&self) -> bool {
        matches!(self.flavor, Flavor::Allocate | Flavor::Shared)
    }

    /// Address of `rank`'s part in this process's memory, if it is there.
    pub fn shared_address(&self, rank: &Rank, of: u32) -> Option<usize> {
        let here = self.is_mapped() || self.is_here(rank, of);
        here.then(|| self.places[of as usize].base)
    }

    /// World rank of one of its processes.
    fn world(&self, rank: u32) -> u32 {
        self.comm.group.world(rank)
    }

    /// Wakes a process of the window that may wait for what has just changed.
    fn wake(&self, rank: &Rank, of: u32) {
        if of != self.me() {
            let peer = self.world(of);
            rank.route(peer).ring(peer);
        }
    }

    /// How it is called in messages.
    pub fn title(&self) -> String {
        match self.name.borrow().as_str() {
            "" => format!("an unnamed window of {} ranks", self.ranks()),
            name => name.to_string(),
        }
    }

    /// An error if it is not dynamic, where `what` needs that.
    pub fn require_dynamic(&self, what: &str) -> Result<()> {
        match self.flavor {
            Flavor::Dynamic => Ok(()),
            _ => Err(Error::new(
                Class::RMA_FLAVOR,
                format!("{what} needs a window made by MPI_Win_create_dynamic"),
            )),
        }
    }
}

impl Drop for Win {
    fn drop(&mut self) {
        if let Some(rank) = crate::rank::current() {
            rank.rma.windows.borrow_mut().remove(&self.comm.context);
        }
    }
}
