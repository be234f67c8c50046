//! Synchronisation: fences, post-start-complete-wait, locks (MPI 5.0, section 12.5). Called by
//! `abi`, which has checked the arguments.
//!
//! Operations are complete when their call returns, so that ending an epoch only has to order
//! memory and to tell others. Who waits here goes on serving messages and sleeps in the end; who
//! changes what it waits for rings its bell.

use super::epoch::{wrong_sync, AccessEpoch, Hold, LockKind};
use super::Win;
use crate::coll::{barrier, Coll};
use crate::error::Result;
use crate::group::Group;
use crate::rank::Rank;
use std::rc::Rc;
use std::sync::atomic::{fence, Ordering};

impl Win {
    /// `MPI_Win_fence`; `ends` says that no epoch follows (`MPI_MODE_NOSUCCEED`).
    pub fn fence(&self, rank: &'static Rank, ends: bool) -> Result<()> {
        match &*self.epochs.access.borrow() {
            AccessEpoch::None | AccessEpoch::Fence(_) => {}
            _ => return Err(self.not_open("MPI_Win_fence", "a fence or none")),
        }
        if self.epochs.posted.borrow().is_some() {
            return Err(wrong_sync("MPI_Win_fence: an exposure of MPI_Win_post is still open"));
        }
        fence(Ordering::SeqCst);
        // SAFETY: a barrier has no buffers.
        let coll = unsafe { Coll::new(rank, &self.comm) };
        rank.block_on(barrier::barrier(coll))??;
        fence(Ordering::SeqCst);
        let next = if ends { AccessEpoch::None } else { AccessEpoch::Fence(false) };
        *self.epochs.access.borrow_mut() = next;
        Ok(())
    }

    /// The ranks in this window of the processes of `group`.
    fn ranks_of(&self, group: &Group) -> Result<Vec<u32>> {
        let rank = |world| self.comm.group.rank_of(world);
        let outside = || {
            let text = format!("the group has processes that are not in {}", self.title());
            crate::error::Error::new(crate::error::Class::GROUP, text)
        };
        group.worlds().map(|world| rank(world).ok_or_else(outside)).collect()
    }

    /// `MPI_Win_post`
    pub fn post(&self, rank: &'static Rank, group: Rc<Group>) -> Result<()> {
        if self.epochs.posted.borrow().is_some() {
            return Err(wrong_sync("MPI_Win_post: an exposure is open; call MPI_Win_wait first"));
        }
        let origins = self.ranks_of(&group)?;
        *self.epochs.posted.borrow_mut() = Some(group);
        fence(Ordering::SeqCst);
        for origin in origins {
            // Release pairs with the Acquire in `start`.
            self.control.posts(origin, self.me()).fetch_add(1, Ordering::AcqRel);
            self.wake(rank, origin);
        }
        Ok(())
    }

    /// `MPI_Win_start`: waits until all targets have posted.
    pub fn start(&self, rank: &'static Rank, group: Rc<Group>) -> Result<()> {
        self.require_no_access("MPI_Win_start")?;
        let targets = self.ranks_of(&group)?;
        *self.epochs.access.borrow_mut() = AccessEpoch::Started(group);
        for target in targets {
            let posts = self.control.posts(self.me(), target);
            rank.wait_for_memory(|| posts.load(Ordering::Acquire) > 0)?;
            posts.fetch_sub(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// `MPI_Win_complete`
    pub fn complete(&self, rank: &'static Rank) -> Result<()> {
        let started = match &*self.epochs.access.borrow() {
            AccessEpoch::Started(group) => group.clone(),
            _ => return Err(self.not_open("MPI_Win_complete", "MPI_Win_start")),
        };
        fence(Ordering::SeqCst);
        for target in self.ranks_of(&started)? {
            // Release pairs with the Acquire in `is_completed`.
            self.control.completes(target).fetch_add(1, Ordering::AcqRel);
            self.wake(rank, target);
        }
        *self.epochs.access.borrow_mut() = AccessEpoch::None;
        Ok(())
    }

    fn posted_to(&self, what: &str) -> Result<u32> {
        let posted = self.epochs.posted.borrow();
        let posted = posted.as_ref().map(|group| group.size());
        posted.ok_or_else(|| wrong_sync(format!("{what} without MPI_Win_post before it")))
    }

    fn end_exposure(&self, origins: u32) {
        self.control.completes(self.me()).fetch_sub(origins, Ordering::AcqRel);
        *self.epochs.posted.borrow_mut() = None;
        fence(Ordering::SeqCst);
    }

    /// `MPI_Win_wait`
    pub fn wait(&self, rank: &'static Rank) -> Result<()> {
        let origins = self.posted_to("MPI_Win_wait")?;
        let completes = self.control.completes(self.me());
        rank.wait_for_memory(|| completes.load(Ordering::Acquire) >= origins)?;
        self.end_exposure(origins);
        Ok(())
    }

    /// `MPI_Win_test`: whether the exposure is over.
    pub fn test(&self, rank: &'static Rank) -> Result<bool> {
        let origins = self.posted_to("MPI_Win_test")?;
        rank.poll()?;
        let over = self.control.completes(self.me()).load(Ordering::Acquire) >= origins;
        if over {
            self.end_exposure(origins);
        }
        Ok(over)
    }

    /// Takes the lock of `target`.
    pub(super) fn acquire(&self, rank: &'static Rank, target: u32, kind: LockKind) -> Result<()> {
        let exclusive = kind == LockKind::Exclusive;
        let ticket = self.control.take_ticket(target);
        self.epochs.holds.borrow_mut()[target as usize] = match exclusive {
            true => Hold::Exclusive(ticket),
            false => Hold::Shared(ticket),
        };
        if !self.control.may_enter(target, ticket, exclusive) {
            self.control.announce_waiter(target, ticket, self.me());
            rank.wait_for_memory(|| self.control.may_enter(target, ticket, exclusive))?;
        }
        if !exclusive {
            if let Some(next) = self.control.entered(target, ticket) {
                self.wake(rank, next);
            }
        }
        Ok(())
    }

    fn release(&self, rank: &'static Rank, target: u32) {
        let hold = &mut self.epochs.holds.borrow_mut()[target as usize];
        let next = match std::mem::replace(hold, Hold::Nothing) {
            Hold::Nothing | Hold::Later | Hold::Unchecked => None,
            Hold::Shared(ticket) => self.control.release(target, ticket, false),
            Hold::Exclusive(ticket) => self.control.release(target, ticket, true),
        };
        if let Some(next) = next {
            self.wake(rank, next);
        }
    }

    /// `MPI_Win_lock`; with `unchecked` nobody else wants the lock (`MPI_MODE_NOCHECK`).
    pub fn lock(
        &self,
        rank: &'static Rank,
        target: u32,
        kind: LockKind,
        unchecked: bool,
    ) -> Result<()> {
        let held = match &*self.epochs.access.borrow() {
            AccessEpoch::Locks(held) => *held,
            _ => 0,
        };
        if held == 0 {
            self.require_no_access("MPI_Win_lock")?;
        }
        if self.epochs.holds.borrow()[target as usize] != Hold::Nothing {
            let text = format!("MPI_Win_lock: rank {target} is locked already; unlock it first");
            return Err(wrong_sync(text));
        }
        *self.epochs.access.borrow_mut() = AccessEpoch::Locks(held + 1);
        if unchecked {
            self.epochs.holds.borrow_mut()[target as usize] = Hold::Unchecked;
            return Ok(());
        }
        self.acquire(rank, target, kind)
    }

    /// `MPI_Win_unlock`
    pub fn unlock(&self, rank: &'static Rank, target: u32) -> Result<()> {
        let held = match &*self.epochs.access.borrow() {
            AccessEpoch::Locks(held) => *held,
            _ => return Err(self.not_open("MPI_Win_unlock", "MPI_Win_lock")),
        };
        self.require_passive("MPI_Win_unlock", Some(target))?;
        fence(Ordering::SeqCst);
        self.release(rank, target);
        let next = if held > 1 { AccessEpoch::Locks(held - 1) } else { AccessEpoch::None };
        *self.epochs.access.borrow_mut() = next;
        Ok(())
    }

    /// `MPI_Win_lock_all`
    pub fn lock_all(&self, rank: &'static Rank, unchecked: bool) -> Result<()> {
        self.require_no_access("MPI_Win_lock_all")?;
        let hold = if unchecked { Hold::Unchecked } else { Hold::Later };
        self.epochs.holds.borrow_mut().fill(hold);
        *self.epochs.access.borrow_mut() = AccessEpoch::LockAll;
        if unchecked {
            return Ok(());
        }
        // Memory that is accessed without a call: its own, or everybody's.
        for target in 0..self.ranks() {
            if target == self.me() || self.is_shared() {
                self.acquire(rank, target, LockKind::Shared)?;
            }
        }
        Ok(())
    }

    /// `MPI_Win_unlock_all`
    pub fn unlock_all(&self, rank: &'static Rank) -> Result<()> {
        if !matches!(&*self.epochs.access.borrow(), AccessEpoch::LockAll) {
            return Err(self.not_open("MPI_Win_unlock_all", "MPI_Win_lock_all"));
        }
        fence(Ordering::SeqCst);
        for target in 0..self.ranks() {
            self.release(rank, target);
        }
        *self.epochs.access.borrow_mut() = AccessEpoch::None;
        Ok(())
    }

    /// `MPI_Win_flush`, `MPI_Win_sync` and their like: operations are complete already, so this
    /// only orders memory. Loops around it see messages served.
    pub fn flush(&self, rank: &'static Rank) -> Result<()> {
        fence(Ordering::SeqCst);
        if !self.is_mapped() {
            rank.poll()?;
        }
        Ok(())
    }

    /// An error if an epoch is open (`MPI_Win_free`).
    pub fn require_idle(&self) -> Result<()> {
        self.require_no_access("MPI_Win_free")?;
        if self.epochs.posted.borrow().is_some() {
            return Err(wrong_sync("MPI_Win_free: an exposure of MPI_Win_post is still open"));
        }
        Ok(())
    }

    /// Waits until all have come to the end of the window.
    pub fn leave(&self, rank: &'static Rank) -> Result<()> {
        // SAFETY: a barrier has no buffers.
        let coll = unsafe { Coll::new(rank, &self.comm) };
        rank.block_on(barrier::barrier(coll))?
    }
}
