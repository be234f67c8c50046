//! Progress and waiting. Called by every blocking call and every test.
//!
//! One pass ([`Rank::poll`]) takes what has arrived, sends what could not be sent, and runs the
//! collectives that got something. Waiting polls for a few microseconds, then sleeps until the
//! bell rings; with more ranks than CPUs it sleeps at once, because the peer needs the core.
//!
//! Threads (`MPI_THREAD_MULTIPLE`): one waiting thread at a time owns the bell; the others sleep
//! on `turn`. Invariant: whoever completes something, or stops being the owner, changes `turn`
//! and wakes its sleepers, who check their own condition and may become the owner.

use crate::error::Result;
use crate::rank::Rank;
use starling_sys::bell::Bell;
use starling_sys::clock::now_ns;
use starling_sys::fence::Fences;
use starling_sys::futex;
use starling_transport::Packet;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::{pin, Pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A collective on its way: polled when something has arrived, until it is done.
pub trait Step {
    /// Goes on as far as possible; true when done.
    fn step(&self, rank: &'static Rank) -> bool;
}

/// What progress needs to know about who waits.
#[derive(Default)]
pub struct Waiters {
    steps: RefCell<Vec<Rc<dyn Step>>>,
    new_steps: RefCell<Vec<Rc<dyn Step>>>,
    stepping: Cell<bool>,
    owned: Cell<bool>,
    others: Cell<u32>,
    turn: AtomicU32,
    owner_sleeps: Cell<bool>,
    /// Raised by other threads: what they did for this rank is complete.
    signals: AtomicU64,
    signals_seen: Cell<u64>,
}

/// How a thread that is none of the rank's (a worker that reads or writes files) says that
/// something is complete.
#[derive(Clone, Copy)]
pub struct Signal {
    signals: &'static AtomicU64,
    bell: &'static Bell,
    fences: Fences,
}

impl Signal {
    /// Call after publishing the result.
    pub fn raise(&self) {
        // Release pairs with the Acquire in `Rank::after_poll`.
        self.signals.fetch_add(1, Ordering::Release);
        self.bell.ring(self.fences);
    }
}

/// Polls of one known source between two looks at everything.
const HINTED_POLLS: u32 = 16;
/// Longest sleep; a safety net for jobs whose peers died without a word, not needed for waking.
const SLEEP_MAX: Duration = Duration::from_secs(1);
/// Longest sleep of a thread whose condition nobody announces while another owns the bell.
const NAP: Duration = Duration::from_millis(1);

impl Rank {
    /// One pass of progress; returns how many messages were taken.
    pub fn poll(&'static self) -> Result<usize> {
        let node = self.node();
        let mut count = 0;
        for transport in &node.transports {
            count += transport.poll(&mut |packet: Packet<'_>| self.deliver(packet))?;
        }
        self.after_poll(count);
        Ok(count)
    }

    /// As [`Rank::poll`], for messages of one peer only.
    #[inline]
    fn poll_from(&'static self, peer: u32) -> Result<usize> {
        let sink = &mut |packet: Packet<'_>| self.deliver(packet);
        let count = self.route(peer).poll_from(peer, sink)?;
        self.after_poll(count);
        Ok(count)
    }

    #[inline(always)]
    fn after_poll(&'static self, count: usize) {
        let mut is_news = count > 0;
        if self.p2p.has_unsent() {
            let completions = self.p2p.completions();
            self.send_unsent();
            is_news |= self.p2p.completions() != completions;
        }
        // Acquire pairs with the Release in `Signal::raise`.
        let signals = self.waiters.signals.load(Ordering::Acquire);
        if self.waiters.signals_seen.replace(signals) != signals {
            self.p2p.count_completion();
            is_news = true;
        }
        if is_news || !self.waiters.new_steps.borrow().is_empty() {
            self.run_steps();
            if self.lock.is_enabled() {
                self.pass_on();
            }
        }
    }

    /// For threads that work for this rank.
    pub fn signal(&'static self) -> Signal {
        let node = self.node();
        Signal { signals: &self.waiters.signals, bell: node.bell, fences: node.fences }
    }

    /// Adds a collective to what progresses; it has run as far as it could already.
    pub fn add_step(&self, step: Rc<dyn Step>) {
        self.waiters.new_steps.borrow_mut().push(step);
    }

    fn run_steps(&'static self) {
        let w = &self.waiters;
        let idle = w.steps.borrow().is_empty() && w.new_steps.borrow().is_empty();
        // A user's reduction may call MPI from inside a step: no step within a step.
        if idle || w.stepping.replace(true) {
            return;
        }
        let mut steps = w.steps.take();
        loop {
            steps.append(&mut w.new_steps.borrow_mut());
            let before = self.p2p.completions();
            steps.retain(|step| !step.step(self));
            // A step may complete what another waits for (messages to itself).
            if self.p2p.completions() == before && w.new_steps.borrow().is_empty() {
                break;
            }
        }
        *w.steps.borrow_mut() = steps;
        w.stepping.set(false);
    }

    /// Tells the other threads of this rank that something may be complete.
    fn pass_on(&self) {
        if self.waiters.others.get() > 0 {
            self.waiters.turn.fetch_add(1, Ordering::Release);
            futex::wake_all(&self.waiters.turn);
        }
        if self.waiters.owner_sleeps.get() {
            self.node().bell.ring(self.node().fences);
        }
    }

    /// Called when something completes other than by `poll` (a generalised request).
    pub fn completed_elsewhere(&self) {
        if self.lock.is_enabled() && self.try_node().is_some() {
            self.pass_on();
        }
    }

    /// Progresses until `done()`. `from` names the world rank that it depends on, if it is one.
    #[inline]
    pub fn wait_until(
        &'static self,
        from: Option<u32>,
        mut done: impl FnMut() -> bool,
    ) -> Result<()> {
        if done() {
            return Ok(());
        }
        if self.lock.is_enabled() {
            return self.wait_among_threads(&mut done, SLEEP_MAX);
        }
        self.wait_as_owner(from, &mut done)
    }

    /// As [`Rank::wait_until`], for a condition on memory that other ranks change before they ring
    /// this rank's bell. That wakes the thread that owns the bell only, so others look again soon.
    pub fn wait_for_memory(&'static self, mut done: impl FnMut() -> bool) -> Result<()> {
        match self.lock.is_enabled() {
            true => self.wait_among_threads(&mut done, NAP),
            false => self.wait_until(None, done),
        }
    }

    fn wait_as_owner(
        &'static self,
        from: Option<u32>,
        done: &mut dyn FnMut() -> bool,
    ) -> Result<()> {
        let spin_ns = self.node().spin_ns.get();
        let mut started = None;
        let (mut polls, mut yields) = (0u32, 0);
        loop {
            polls = polls.wrapping_add(1);
            let count = match from {
                Some(peer) if polls % HINTED_POLLS != 0 => self.poll_from(peer)?,
                _ => self.poll()?,
            };
            if done() {
                return Ok(());
            }
            if count > 0 {
                (started, yields) = (None, 0);
                continue;
            }
            if spin_ns == 0 && yields < starling_settings::tunables().yields {
                yields += 1;
                std::thread::yield_now();
                continue;
            }
            if spin_ns > 0 {
                std::hint::spin_loop();
                if polls % 64 != 0 {
                    continue;
                }
                let now = now_ns();
                if now - *started.get_or_insert(now) < spin_ns {
                    continue;
                }
            }
            self.sleep(done)?;
            (started, yields) = (None, 0);
            if done() {
                return Ok(());
            }
        }
    }

    /// Sleeps until something arrives; returns at once if something has.
    fn sleep(&'static self, done: &mut dyn FnMut() -> bool) -> Result<()> {
        let node = self.node();
        node.spin_ns.set((node.spin_now)());
        node.bell.prepare(node.fences);
        if self.p2p.has_unsent() {
            let peers = self.p2p.unsent_peers();
            for transport in &node.transports {
                let of = |p: &&u32| std::ptr::addr_eq(self.route(**p), &**transport);
                let mine: Vec<u32> = peers.iter().filter(of).copied().collect();
                transport.wait_for_place(&mine, node.fences);
            }
        }
        let completions = self.p2p.completions();
        if self.poll()? > 0 || self.p2p.completions() != completions || done() {
            node.bell.cancel();
            return Ok(());
        }
        self.counters.sleeps.add(1);
        let limit = node.fences.sleep_limit().unwrap_or(SLEEP_MAX);
        self.waiters.owner_sleeps.set(true);
        self.lock.pause(|| node.bell.sleep(Some(limit)));
        self.waiters.owner_sleeps.set(false);
        Ok(())
    }

    fn wait_among_threads(
        &'static self,
        done: &mut dyn FnMut() -> bool,
        limit: Duration,
    ) -> Result<()> {
        let w = &self.waiters;
        while !done() {
            if w.owned.get() {
                let turn = w.turn.load(Ordering::Acquire);
                w.others.set(w.others.get() + 1);
                self.lock.pause(|| futex::wait(&w.turn, turn, Some(limit)));
                w.others.set(w.others.get() - 1);
                continue;
            }
            w.owned.set(true);
            let result = self.own_the_bell(done);
            w.owned.set(false);
            if w.others.get() > 0 {
                w.turn.fetch_add(1, Ordering::Release);
                futex::wake_all(&w.turn);
            }
            result?;
        }
        Ok(())
    }

    /// The owner's loop: as `wait_as_owner`, giving the lock up between polls so that other
    /// threads get their calls in.
    fn own_the_bell(&'static self, done: &mut dyn FnMut() -> bool) -> Result<()> {
        let spin_ns = self.node().spin_ns.get();
        let mut started = now_ns();
        loop {
            let count = self.poll()?;
            if done() {
                return Ok(());
            }
            if count > 0 {
                started = now_ns();
            } else if now_ns() - started >= spin_ns {
                self.sleep(done)?;
                started = now_ns();
                if done() {
                    return Ok(());
                }
            }
            self.lock.pause(std::hint::spin_loop);
        }
    }

    /// Runs a collective to its end.
    pub fn block_on<T>(&'static self, future: impl Future<Output = T>) -> Result<T> {
        let mut future = pin!(future);
        let mut seen = self.p2p.completions();
        let mut output = poll_once(future.as_mut());
        if output.is_none() {
            self.wait_until(None, || {
                // Only when something has completed can the future go on; and polling it may
                // itself complete something (messages to oneself).
                while output.is_none() && self.p2p.completions() != seen {
                    seen = self.p2p.completions();
                    output = poll_once(future.as_mut());
                }
                output.is_some()
            })?;
        }
        Ok(output.expect("wait_until returned, so the future is done"))
    }
}

/// Polls a future of the engine once. Wakers are not used: progress polls what may go on.
pub fn poll_once<T, F: Future<Output = T> + ?Sized>(future: Pin<&mut F>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
