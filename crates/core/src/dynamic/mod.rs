//! Processes that come later: started by this job, or met at a port (MPI 5.0, sections 11.8 to
//! 11.10). Called by `abi::dynamic` and by initialisation.
//!
//! | file | holds |
//! |---|---|
//! | `spawn.rs` | starting processes, and their way back to those who started them |
//! | `port.rs` | ports, accepting and connecting, published names |
//! | `join.rs` | two processes that share a socket |
//! | `adopt.rs` | a launcher for a process that was started without one |
//!
//! All processes that one launcher starts share the node's segment: they are one **universe**,
//! and only they can meet. Two leaders always find each other in the same way: both know a fresh
//! context and the other's process number, so they have a [`Bridge`], over which their groups
//! become an intercommunicator as in `MPI_Intercomm_create`.

mod adopt;
mod join;
mod port;
mod spawn;

pub use join::join;
pub use port::{accept, close_port, connect, open_port};
pub use port::{look_name_up, publish_name, unpublish_name};
pub use spawn::{parent, spawn, Program};

use crate::comm::intercomm::Bridge;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::rank::Rank;
use starling_pmi::client::Client;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

/// The connection to the launcher, shared with what ends the job.
pub type Launcher = Rc<RefCell<Option<Client>>>;

/// Who can start processes for this one.
pub enum Source {
    /// Our launcher, which started this process.
    Launcher,
    /// Nobody yet: this process was started without a launcher. Its segment, for the one that it
    /// will start itself.
    Nobody(OwnedFd),
    /// Somebody else's launcher: its processes could not reach this one.
    Foreign,
}

/// What a rank knows of the processes beyond its own job.
pub struct Universe {
    id: u64,
    launcher: Launcher,
    source: Source,
    /// Contexts of the ports that this process has open.
    ports: RefCell<HashSet<u64>>,
}

impl Universe {
    /// The processes with this number, and the launcher.
    pub fn new(id: u64, launcher: Launcher, source: Source) -> Universe {
        Universe { id, launcher, source, ports: RefCell::default() }
    }

    /// For ranks that live in one process.
    pub fn alone() -> Universe {
        Universe::new(0, Launcher::default(), Source::Foreign)
    }

    /// Asks the launcher; starts one where there is none. Errors are of `class`.
    fn ask<R>(
        &self,
        class: Class,
        question: impl FnOnce(&mut Client) -> io::Result<R>,
    ) -> Result<R> {
        let mut launcher = self.launcher.borrow_mut();
        if let (None, Source::Nobody(segment)) = (&*launcher, &self.source) {
            let started = adopt::start(segment);
            let failed = |why: String| Error::new(class, format!("{why}. {}", adopt::REMEDY));
            *launcher = Some(started.map_err(failed)?);
        }
        let Some(client) = launcher.as_mut() else {
            return Err(Error::new(class, "there is no launcher to ask"));
        };
        let lost = |error| Error::new(class, format!("the launcher does not answer: {error}"));
        question(client).map_err(lost)
    }
}

impl Rank {
    /// Makes sure that nothing that this process knows of the numbers in `group` comes from
    /// processes that had them before. Called before the first message to a group that may come
    /// from another job; ranks of the own job never change.
    pub fn meet(&self, group: &Group) {
        let node = self.node();
        for number in group.worlds().filter(|n| n.wrapping_sub(node.first) >= node.size) {
            self.route(number).meet(number);
        }
    }
}

/// The way to a leader that knows `context` as well.
fn bridge(rank: &Rank, context: u64, peer: u32) -> Result<Bridge> {
    let reached = rank.node().routes.get(peer as usize).is_some_and(|way| *way != u8::MAX);
    if !reached {
        let text = format!("there is no process with the number {peer} in this universe");
        return Err(Error::new(Class::PORT, text));
    }
    rank.meet(&Group::range(peer, 1));
    Ok(Bridge::direct(context, rank.node().me, peer, 0))
}

/// What a root has found out, as words for the others: 0 and numbers, or the class of an error
/// and its text.
fn to_words(outcome: Result<Vec<u64>>) -> Vec<u64> {
    match outcome {
        Ok(words) => [vec![0], words].concat(),
        Err(error) => {
            let text = error.text().bytes().map(u64::from);
            std::iter::once(error.code() as u64).chain(text).collect()
        }
    }
}

fn from_words(words: &[u64]) -> Result<&[u64]> {
    match words.split_first() {
        Some((0, numbers)) => Ok(numbers),
        Some((class, text)) => {
            let bytes: Vec<u8> = text.iter().map(|byte| *byte as u8).collect();
            Err(Error::new(Class(*class as i32), String::from_utf8_lossy(&bytes)))
        }
        None => Err(Error::new(Class::INTERN, "the root has sent nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_reach_the_others() {
        assert_eq!(from_words(&to_words(Ok(vec![7, 8]))).unwrap(), [7, 8]);
        let error = Error::new(Class::SPAWN, "no \u{e4}");
        let copy = from_words(&to_words(Err(error))).unwrap_err();
        assert_eq!((copy.class(), copy.text()), (Class::SPAWN, "no \u{e4}"));
    }
}
