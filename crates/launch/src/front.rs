//! The process the user started: takes signals, watches the agent, and sees to it that nothing is
//! left when the agent dies.
//!
//! Called by `main`. What it tells the agent goes over a socket, two bytes a message (`Order`);
//! the agent takes the end of the socket as the front's death. What the agent tells the front are
//! the process numbers of all ranks, four bytes each, once: for debuggers.

use crate::agent::{Adopted, Agent};
use crate::os::mpir;
use crate::os::poll::{Poll, READABLE};
use crate::os::process::{self, Ended, Forked, Waited};
use crate::os::signals::{self, Signals};
use crate::os::{files, Pid};
use crate::plan::Job;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// After a signal that ends the job, the agent has the ranks' grace and this long before the front
/// ends everything itself: time for the last output to be read.
const AGENT_GRACE: Duration = Duration::from_secs(4);
/// How long processes may take to die after SIGKILL.
const DEATH_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of a process number on the socket.
const PID_BYTES: usize = size_of::<Pid>();

/// What the front tells the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The signal that arrived.
    pub signal: i32,
    /// Whether the terminal has sent it to the ranks already.
    pub from_terminal: bool,
}

impl Order {
    /// Bytes of an order on the socket.
    pub const BYTES: usize = 2;

    fn to_bytes(self) -> [u8; Order::BYTES] {
        [self.signal as u8, u8::from(self.from_terminal)]
    }

    /// Reads an order.
    pub fn from_bytes(bytes: [u8; Order::BYTES]) -> Order {
        Order { signal: i32::from(bytes[0]), from_terminal: bytes[1] != 0 }
    }
}

/// Runs a job; returns its exit code.
///
/// # Errors
/// When the agent cannot be made.
pub fn run(job: &Job) -> io::Result<i32> {
    let taken = [&signals::ENDING[..], &signals::PASSED_ON, &signals::JOB_CONTROL].concat();
    let signals = Signals::take(&taken)?;
    process::become_subreaper()?;
    let (ours, theirs) = UnixStream::pair()?;
    match process::fork()? {
        Forked::Child => {
            drop(ours);
            let code = match Agent::new(job, theirs, signals) {
                Ok(agent) => agent.run(),
                Err(refusal) => {
                    eprintln!("starling: {refusal}");
                    refusal.exit_code
                }
            };
            process::exit_now(code)
        }
        Forked::Parent(agent) => {
            drop(theirs);
            // The rank that reads standard input is to be its only reader.
            files::replace(std::fs::File::open("/dev/null")?.as_fd(), 0)?;
            ours.set_nonblocking(true)?;
            let front = Front {
                job,
                agent,
                socket: ours,
                signals,
                told: Vec::new(),
                deadline: None,
                ended_by: None,
            };
            front.watch()
        }
    }
}

/// Serves a process that was started without a launcher, in the background: returns at once, and
/// the agent goes on by itself until the process and all that it started have ended.
///
/// # Errors
/// When the agent cannot be made.
pub fn adopt(job: &Job, adopted: Adopted) -> io::Result<i32> {
    let signals = Signals::take(&signals::ENDING)?;
    let (front, theirs) = UnixStream::pair()?;
    if let Forked::Parent(_) = process::fork()? {
        return Ok(0);
    }
    let code = match Agent::adopt(job, theirs, signals, adopted) {
        Ok(agent) => agent.run(),
        Err(refusal) => {
            eprintln!("starling: {refusal}");
            refusal.exit_code
        }
    };
    // Until here, so that the agent does not miss its front.
    drop(front);
    process::exit_now(code)
}

struct Front<'a> {
    job: &'a Job,
    agent: Pid,
    socket: UnixStream,
    signals: Signals,
    /// What the agent has told so far.
    told: Vec<u8>,
    /// When the agent has to be gone.
    deadline: Option<Instant>,
    /// The signal that set the deadline.
    ended_by: Option<i32>,
}

impl Front<'_> {
    fn watch(mut self) -> io::Result<i32> {
        let poll = Poll::new()?;
        poll.add(self.signals.as_fd(), READABLE, 0)?;
        poll.add(self.socket.as_fd(), READABLE, 0)?;
        let mut ready = Vec::new();
        loop {
            let left = self.deadline.map(|at| at.saturating_duration_since(Instant::now()));
            poll.wait(left, &mut ready);
            while let Some(arrived) = self.signals.next() {
                if arrived.signal != libc::SIGCHLD {
                    self.pass_on(arrived.signal, arrived.from_terminal);
                }
            }
            if self.listen() {
                poll.remove(self.socket.as_fd());
            }
            if let Some(ended) = self.agent_ended() {
                return Ok(self.finish(ended));
            }
            if self.deadline.is_some_and(|at| Instant::now() >= at) {
                process::kill_descendants(DEATH_LIMIT);
                return Ok(128 + self.ended_by.unwrap_or(libc::SIGTERM));
            }
        }
    }

    /// Hears the agent; true when there is nothing more to hear.
    fn listen(&mut self) -> bool {
        let wanted = PID_BYTES * self.job.size();
        let mut bytes = [0; 4096];
        loop {
            match (&self.socket).read(&mut bytes) {
                Ok(count) if count > 0 && self.told.len() < wanted => {
                    self.told.extend_from_slice(&bytes[..count]);
                    if self.told.len() >= wanted {
                        self.publish();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return true,
            }
        }
    }

    /// Shows the ranks to a debugger.
    fn publish(&self) {
        let pids = self.told.chunks_exact(PID_BYTES);
        let pids = pids.map(|bytes| Pid::from_ne_bytes(bytes.try_into().unwrap_or_default()));
        let programs = (0..self.job.size()).map(|rank| self.job.app(rank).file.clone());
        mpir::publish(&self.job.host, programs.zip(pids));
    }

    fn pass_on(&mut self, signal: i32, from_terminal: bool) {
        let order = Order { signal, from_terminal };
        // A failure means that the agent is gone, which SIGCHLD tells as well.
        let _ = (&self.socket).write_all(&order.to_bytes());
        if signals::ENDING.contains(&signal) {
            self.ended_by.get_or_insert(signal);
            self.deadline.get_or_insert(Instant::now() + self.job.grace + AGENT_GRACE);
        }
        if signal == libc::SIGTSTP {
            // Stop like any program that was asked to; the next signal read is SIGCONT.
            signals::send(std::process::id() as Pid, libc::SIGSTOP);
        }
    }

    fn agent_ended(&self) -> Option<Ended> {
        let mut found = None;
        loop {
            match process::wait_any() {
                Waited::Ended(pid, ended) if pid == self.agent => found = Some(ended),
                Waited::Ended(..) => {}
                Waited::Running | Waited::Childless => return found,
            }
        }
    }

    /// The agent is gone: whatever it left behind goes too.
    fn finish(&self, ended: Ended) -> i32 {
        let left = process::kill_descendants(DEATH_LIMIT);
        if !left.is_empty() {
            eprintln!("starling: these processes do not die: {left:?}");
        }
        match ended {
            Ended::Exited(code) => code,
            Ended::Signaled(signal) => {
                eprintln!(
                    "starling: the launcher's agent (pid {}) died by signal {signal} ({}); \
                     the job was ended",
                    self.agent,
                    signals::describe(signal)
                );
                128 + signal
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_the_way() {
        for (signal, from_terminal) in [(2, true), (15, false), (64, true)] {
            let order = Order { signal, from_terminal };
            assert_eq!(Order::from_bytes(order.to_bytes()), order);
        }
    }
}
