//! Files (MPI 5.0, chapter 14). Called by `abi`; relies on `coll` for agreement and exchange and
//! on `datatype` for layouts. A file has a communicator of its own, so that its collectives never
//! meet the user's.
//!
//! | file | holds |
//! |---|---|
//! | `amode.rs`, `hints.rs` | access modes; hints |
//! | `open.rs`, `whole.rs` | open, close, delete; size, views, consistency: calls on a whole file |
//! | `view.rs`, `representation.rs` | which bytes a process sees; how elements look there |
//! | `shared.rs` | the shared file pointer |
//! | `access.rs`, `stream.rs` | one process's access: the file's side, memory's side |
//! | `collective.rs`, `two_phase.rs`, `window.rs` | access by all, through aggregators |
//! | `job.rs`, `mapped.rs`, `pool.rs` | the bytes that move, here or by worker threads |
//! | `agree.rs`, `failure.rs` | agreement among processes; errors of the system |

mod access;
mod agree;
pub mod amode;
mod collective;
mod failure;
mod hints;
mod job;
mod mapped;
mod open;
mod pool;
mod representation;
mod shared;
mod stream;
#[cfg(test)]
mod tests;
mod two_phase;
mod view;
mod whole;
mod window;

pub use access::{independent, Access, How, Place};
pub use collective::{collective, ordered};
pub use hints::{Buffering, Hints};
pub use job::Direction;
pub use open::{close, delete, open, Opening};
pub use representation::{Conversion, Representation};
pub use view::View;
pub use whole::*;

use crate::coll::{Coll, Operation};
use crate::comm::Comm;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use job::Descriptor;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// A split collective on its way (section 14.4.5).
pub struct Split {
    /// The procedure that began it, without `_begin`.
    pub name: &'static str,
    /// What goes on.
    pub operation: Rc<Operation>,
}

/// An open file.
pub struct File {
    /// The group that opened it. Its handle is the file's: errors of requests are found by it.
    pub comm: Rc<Comm>,
    /// As the user gave it, for messages.
    pub name: String,
    /// The same, wherever the process goes.
    path: PathBuf,
    /// Access mode.
    pub amode: i32,
    descriptor: Arc<Descriptor>,
    is_regular: bool,
    shared: shared::Shared,
    /// The view.
    pub view: RefCell<Rc<View>>,
    /// The individual file pointer, in etypes.
    pub pointer: Cell<i64>,
    /// Whether accesses are atomic.
    pub atomic: Cell<bool>,
    /// Hints.
    pub hints: RefCell<Hints>,
    /// The split collective that has begun and not ended.
    pub split: RefCell<Option<Split>>,
    /// Error handler; `None` is `MPI_ERRORS_ARE_FATAL`.
    pub errhandler: RefCell<Option<Rc<Errhandler>>>,
    pending: Rc<Cell<u32>>,
}

impl File {
    /// The next collective on it. The buffers that are moved stay in place until it is complete,
    /// by the user's duty (section 14.4.1); what the engine itself moves, it keeps.
    pub fn collective(&self, rank: &'static Rank) -> Coll {
        // SAFETY: see above.
        unsafe { Coll::new(rank, &self.comm) }
    }

    /// An error while a split collective is on its way: no other collective may begin.
    pub fn refuse_split(&self) -> Result<()> {
        match &*self.split.borrow() {
            None => Ok(()),
            Some(split) => {
                let name = split.name;
                let text = format!(
                    "{name}_begin was called on \"{}\" and not yet {name}_end; a file has one \
                     split collective at a time and no other collective beside it",
                    self.name
                );
                Err(Error::new(Class::IO, text))
            }
        }
    }
}
