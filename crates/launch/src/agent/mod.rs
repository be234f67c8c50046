//! The agent: starts the ranks, moves their output, serves PMI, ends the job.
//!
//! Made by the front with fork; one thread, one event loop. Stages of a job:
//!
//! ```text
//! Running ──all ranks have ended──> Lingering ──nobody is left──> done
//!    │                                  │ one second
//!    └──a rank failed, a signal, ...──> Ending: SIGTERM, after the grace SIGKILL ──> done
//! ```
//! `Lingering` waits for processes that ranks left behind, such as a `tee` that still writes.
//! Done means: no descendant lives, all output is written.

mod input;
mod lines;
mod output;
mod ranks;
mod sink;
mod spawn;
mod token;
mod verdict;
mod world;

use crate::cli::usage::Refusal;
use crate::front::Order;
use crate::os::poll::{Poll, READABLE};
use crate::os::process::{self, FileLimit, Waited};
use crate::os::signals::{self, Signals};
use crate::os::spawn::Spawner;
use crate::os::{files, Pid};
use crate::plan::Job;
use crate::segment::Places;
use input::Input;
use output::{Output, Trouble};
use ranks::Ranks;
use spawn::Deferred;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use token::Token;
use verdict::Verdict;

/// How long processes that ranks left behind may go on by themselves.
const LINGER: Duration = Duration::from_secs(1);
/// SIGKILL is repeated, for processes that were made meanwhile.
const KILL_AGAIN: Duration = Duration::from_millis(20);
/// A process that survives SIGKILL for so long is left to the kernel.
const GIVE_UP: Duration = Duration::from_secs(10);
/// How long a slow reader of the output may take once the job was ended early.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// Exit code of a job that ran into its timeout, as of timeout(1).
const TIMEOUT_CODE: i32 = 124;
/// Descriptors of the agent besides those of the ranks.
const OWN_DESCRIPTORS: u64 = 64;

enum Stage {
    Running,
    Lingering { until: Instant },
    Ending { next_kill: Instant, give_up: Instant, by_front: u32 },
}

/// A process that was started without a launcher and has started one for itself.
pub struct Adopted {
    /// Its number.
    pub pid: Pid,
    /// The segment that it has made.
    pub segment: OwnedFd,
    /// The connection to it.
    pub connection: OwnedFd,
}

/// The agent of a job.
pub struct Agent<'a> {
    job: &'a Job,
    poll: Poll,
    signals: Signals,
    front: UnixStream,
    ranks: Ranks<'a>,
    output: Output,
    input: Input,
    stage: Stage,
    verdict: Verdict,
    deadline: Option<Instant>,
    /// No child is left, and so, for a subreaper, no descendant.
    childless: bool,
    front_is_gone: bool,
    /// Requests to start processes that wait for others to end.
    deferred: Vec<Deferred>,
}

impl<'a> Agent<'a> {
    /// Prepares everything up to the first rank.
    ///
    /// # Errors
    /// When files of output cannot be made, or memory or descriptors are short.
    pub fn new(job: &'a Job, front: UnixStream, signals: Signals) -> Result<Agent<'a>, Refusal> {
        Agent::prepare(job, front, signals, None)
    }

    /// The agent of a process that lives already.
    ///
    /// # Errors
    /// When it does not live any more, or memory or descriptors are short.
    pub fn adopt(
        job: &'a Job,
        front: UnixStream,
        signals: Signals,
        adopted: Adopted,
    ) -> Result<Agent<'a>, Refusal> {
        let Adopted { pid, segment, connection } = adopted;
        let mut agent = Agent::prepare(job, front, signals, Some(segment))?;
        let failure = |error| Refusal::failure(format!("cannot serve process {pid}: {error}"));
        agent.take_in(pid, connection).map_err(failure)?;
        Ok(agent)
    }

    fn prepare(
        job: &'a Job,
        front: UnixStream,
        signals: Signals,
        segment: Option<OwnedFd>,
    ) -> Result<Agent<'a>, Refusal> {
        let failure = |error: std::io::Error| {
            Refusal::failure(format!("cannot start {} ranks: {error}", job.size()))
        };
        process::set_name(c"starling-agent");
        process::become_subreaper().map_err(failure)?;
        let limit = FileLimit::raise().map_err(failure)?;
        let needed = 3 * job.size() as u64 + OWN_DESCRIPTORS;
        if limit.hard() < needed {
            let (ranks, hard) = (job.size(), limit.hard());
            let message = format!(
                "{ranks} ranks need {needed} file descriptors, the hard limit is {hard} (see \
                 ulimit)"
            );
            return Err(Refusal::failure(message));
        }
        let reserved = [crate::environment::SEGMENT_FD, crate::environment::PMI_FD];
        files::reserve(&reserved).map_err(failure)?;
        front.set_nonblocking(true).map_err(failure)?;
        let poll = Poll::new().map_err(failure)?;
        poll.add(signals.as_fd(), READABLE, Token::Signals.pack()).map_err(failure)?;
        poll.add(front.as_fd(), READABLE, Token::Front.pack()).map_err(failure)?;
        let spawner = Spawner::new(signals.mask_before(), limit);
        let places = match segment {
            Some(segment) => Places::adopt(segment),
            None => Places::create(job.size()).map_err(failure)?,
        };
        Ok(Agent {
            job,
            poll,
            signals,
            front,
            ranks: Ranks::new(job, places, spawner),
            output: Output::new(job)?,
            input: Input::new(job).map_err(failure)?,
            stage: Stage::Running,
            verdict: Verdict::default(),
            deadline: job.timeout.map(|limit| Instant::now() + limit),
            childless: false,
            front_is_gone: false,
            deferred: Vec::new(),
        })
    }

    /// Runs the job; returns its exit code.
    pub fn run(mut self) -> i32 {
        let mut ready = Vec::new();
        loop {
            self.start_some();
            let timeout = self.timeout();
            self.poll.wait(timeout, &mut ready);
            // Signals first: a rank that a Ctrl-C ended must not look like one that failed.
            self.take_signals();
            for token in ready.iter().filter_map(|&number| Token::unpack(number)) {
                self.handle(token);
            }
            if self.front_is_gone {
                process::kill_descendants(GIVE_UP);
                return 128 + libc::SIGKILL;
            }
            self.collect_children();
            self.retry_spawns();
            if let Some(trouble) = self.output.take_trouble() {
                match trouble {
                    Trouble::ReaderGone => self.end(128 + libc::SIGPIPE, None),
                    Trouble::CannotWrite(message) => self.end(1, Some(message)),
                }
            }
            if self.advance() {
                return self.conclude();
            }
        }
    }

    /// How long to wait for an event.
    fn timeout(&mut self) -> Option<Duration> {
        if matches!(self.stage, Stage::Running) && !self.ranks.all_started() {
            return Some(Duration::ZERO);
        }
        let partial = self.output.show_partial_lines(&self.poll);
        let stage = match self.stage {
            Stage::Running => self.deadline,
            // Then it is the reader of our output that takes its time.
            Stage::Lingering { .. } if self.nobody_is_left() => None,
            Stage::Lingering { until } => Some(until),
            Stage::Ending { next_kill, give_up, .. } => {
                Some(if self.nobody_is_left() { give_up } else { next_kill })
            }
        };
        let next = [partial, stage, self.spawns_give_up()].into_iter().flatten().min();
        next.map(|at| at.saturating_duration_since(Instant::now()))
    }

    fn take_signals(&mut self) {
        while let Some(arrived) = self.signals.next() {
            if signals::ENDING.contains(&arrived.signal) {
                let (signal, from_terminal) = (arrived.signal, arrived.from_terminal);
                self.end_by_signal(Order { signal, from_terminal }, false);
            }
        }
    }

    fn handle(&mut self, token: Token) {
        match token {
            Token::Signals => {}
            Token::Front => self.take_orders(),
            Token::Stream(stream) => self.output.readable(&self.poll, stream),
            Token::Sink(sink) => self.output.write(&self.poll, sink),
            Token::Input => self.input.ready(&self.poll),
            Token::Feed(rank) => self.input.writable(&self.poll, rank),
            Token::Pmi(rank) => self.serve(rank),
            Token::Adopted => self.adopted_ended(),
        }
    }

    fn take_orders(&mut self) {
        loop {
            let mut bytes = [0; Order::BYTES];
            match self.front.read(&mut bytes) {
                Ok(Order::BYTES) => self.obey(Order::from_bytes(bytes)),
                Ok(_) => {
                    self.front_is_gone = true;
                    return;
                }
                Err(_) => return,
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order.signal {
            signal if signals::ENDING.contains(&signal) => self.end_by_signal(order, true),
            libc::SIGTSTP if order.from_terminal => {}
            signal @ (libc::SIGTSTP | libc::SIGCONT) => {
                self.descendants().into_iter().for_each(|pid| signals::send(pid, signal));
            }
            signal => self.ranks.living().for_each(|pid| signals::send(pid, signal)),
        }
    }

    /// A signal that ends the job came to the front or to us. The first one asks the ranks to
    /// end, the front's second one kills them.
    fn end_by_signal(&mut self, order: Order, by_front: bool) {
        if let Stage::Ending { by_front: count, next_kill, .. } = &mut self.stage {
            if by_front && *count > 0 {
                *next_kill = Instant::now();
            }
            *count += u32::from(by_front);
            return;
        }
        let name = signals::describe(order.signal);
        let name = name.split(',').next().unwrap_or_default();
        let again = if order.from_terminal { " (once more kills them at once)" } else { "" };
        let message = format!("{name}: ending {} ranks{again}", self.ranks.count());
        let asked = if order.from_terminal { None } else { Some(order.signal) };
        self.begin_to_end(128 + order.signal, Some(message), asked);
        if let Stage::Ending { by_front: count, .. } = &mut self.stage {
            *count = u32::from(by_front);
        }
    }

    /// Ends the job early with this code, unless it is ending already.
    fn end(&mut self, code: i32, message: Option<String>) {
        if !matches!(self.stage, Stage::Ending { .. }) {
            self.begin_to_end(code, message, Some(libc::SIGTERM));
        }
    }

    fn begin_to_end(&mut self, code: i32, message: Option<String>, asked: Option<i32>) {
        self.verdict.end(code);
        if let Some(message) = message {
            self.output.say(&self.poll, &message);
        }
        let descendants = self.descendants();
        if let Some(signal) = asked {
            descendants.iter().for_each(|&pid| signals::send(pid, signal));
        }
        // Stopped processes would not see it.
        descendants.iter().for_each(|&pid| signals::send(pid, libc::SIGCONT));
        let next_kill = Instant::now() + self.job.grace;
        self.stage = Stage::Ending { next_kill, give_up: next_kill + GIVE_UP, by_front: 0 };
    }

    /// All processes of the job; without /proc, at least the ranks.
    fn descendants(&self) -> Vec<Pid> {
        let mut all = match process::descendants() {
            none if none.is_empty() => return self.ranks.living().collect(),
            all => all,
        };
        all.extend(self.ranks.adopted());
        all
    }

    fn nobody_is_left(&self) -> bool {
        self.childless && self.ranks.adopted().is_none()
    }

    fn collect_children(&mut self) {
        loop {
            match process::wait_any() {
                Waited::Ended(pid, ended) => self.child_ended(pid, ended),
                Waited::Running => {
                    self.childless = false;
                    return;
                }
                Waited::Childless => {
                    self.childless = true;
                    return;
                }
            }
        }
    }

    /// Moves to the next stage when its time has come; true when the job is done.
    fn advance(&mut self) -> bool {
        let now = Instant::now();
        match self.stage {
            Stage::Running if self.deadline.is_some_and(|at| now >= at) => {
                let limit = self.job.timeout.unwrap_or_default().as_secs_f64();
                let message = format!("the job ran longer than {limit} s and was ended (timeout)");
                self.end(TIMEOUT_CODE, Some(message));
            }
            Stage::Running if self.ranks.all_ended() => {
                self.stage = Stage::Lingering { until: now + LINGER };
                return self.advance();
            }
            Stage::Running => {}
            Stage::Lingering { .. } if self.nobody_is_left() => return self.output_is_done(),
            Stage::Lingering { until } if now >= until => {
                self.begin_to_end(self.verdict.code(), None, Some(libc::SIGTERM));
            }
            Stage::Lingering { .. } => {}
            Stage::Ending { give_up, by_front, .. } if self.nobody_is_left() => {
                if self.output_is_done() || now >= give_up {
                    return true;
                }
                let give_up = give_up.min(now + LAST_OUTPUT);
                self.stage = Stage::Ending { next_kill: give_up, give_up, by_front };
            }
            Stage::Ending { next_kill, give_up, by_front } if now >= next_kill => {
                let left = self.descendants();
                if now >= give_up {
                    let message = format!("these processes do not die: {left:?}");
                    self.output.say(&self.poll, &message);
                    return true;
                }
                left.iter().for_each(|&pid| signals::send(pid, libc::SIGKILL));
                self.stage = Stage::Ending { next_kill: now + KILL_AGAIN, give_up, by_front };
            }
            Stage::Ending { .. } => {}
        }
        false
    }

    fn output_is_done(&mut self) -> bool {
        self.output.close(&self.poll);
        self.output.is_done()
    }

    fn conclude(mut self) -> i32 {
        if self.job.print_exit_codes {
            for codes in self.ranks.exit_codes() {
                self.output.say(&self.poll, &codes);
            }
            self.output.close(&self.poll);
        }
        self.verdict.code()
    }
}
