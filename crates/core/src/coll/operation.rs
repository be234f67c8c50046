//! Non-blocking collectives: what `progress` polls and a request waits for. Made by `abi`.

use crate::error::Result;
use crate::progress::{poll_once, Step};
use crate::rank::Rank;
use crate::status::Status;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

type Algorithm = dyn Future<Output = Result<()>>;

/// A collective on its way.
pub struct Operation {
    future: RefCell<Option<Pin<Box<Algorithm>>>>,
    result: RefCell<Option<Result<()>>>,
    bytes: Rc<Cell<u64>>,
}

impl Operation {
    /// Starts `future`: runs it as far as it goes now and leaves the rest to progress.
    pub fn start(
        rank: &'static Rank,
        future: impl Future<Output = Result<()>> + 'static,
    ) -> Rc<Operation> {
        Self::start_with(rank, Rc::default(), future)
    }

    /// As [`Operation::start`], of something whose status says how many bytes were moved.
    pub fn start_counting(
        rank: &'static Rank,
        future: impl Future<Output = Result<u64>> + 'static,
    ) -> Rc<Operation> {
        let bytes = Rc::<Cell<u64>>::default();
        Self::start_with(rank, bytes.clone(), async move {
            bytes.set(future.await?);
            Ok(())
        })
    }

    fn start_with(
        rank: &'static Rank,
        bytes: Rc<Cell<u64>>,
        future: impl Future<Output = Result<()>> + 'static,
    ) -> Rc<Operation> {
        let operation = Rc::new(Operation {
            future: RefCell::new(Some(Box::pin(future))),
            result: RefCell::new(None),
            bytes,
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

    /// The status of a request for it, once done.
    pub fn status(&self) -> Status {
        let error = self.result().err();
        Status { bytes: self.bytes.get(), error, ..Status::EMPTY }
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
