//! Non-blocking collectives: what `progress` polls and a request waits for. Made by `abi`.

use crate::error::Result;
use crate::progress::{poll_once, Step};
use crate::rank::Rank;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

/// A collective on its way.
pub struct Operation {
    future: RefCell<Option<Pin<Box<dyn Future<Output = Result<()>>>>>>,
    result: RefCell<Option<Result<()>>>,
}

impl Operation {
    /// Starts `future`: runs it as far as it goes now and leaves the rest to progress.
    pub fn start(
        rank: &'static Rank,
        future: impl Future<Output = Result<()>> + 'static,
    ) -> Rc<Operation> {
        let operation = Rc::new(Operation {
            future: RefCell::new(Some(Box::pin(future))),
            result: RefCell::new(None),
        });
        if !operation.step(rank) {
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

impl Step for Operation {
    fn step(&self, rank: &'static Rank) -> bool {
        // Taken out while it runs: a user's reduction inside may call MPI.
        let Some(mut future) = self.future.take() else { return self.is_done() };
        match poll_once(future.as_mut()) {
            Some(result) => {
                *self.result.borrow_mut() = Some(result);
                rank.p2p.count_completion();
                true
            }
            None => {
                *self.future.borrow_mut() = Some(future);
                false
            }
        }
    }
}
