//! Processes that a running job asks for, and the process that has started the agent for itself.
//!
//! Part of the agent. A request is fulfilled as a whole or not at all: programs, folders and
//! places are looked at first, and when a process cannot be made all the same, those that have
//! been started for the request are killed again. New processes form a world of their own and are
//! then like all others: the job ends when the last process of all worlds has ended, and early
//! when one fails.

use super::world::World;
use super::{Agent, Stage, Token};
use crate::cli::options::{AppOptions, RunOptions};
use crate::os::poll::READABLE;
use crate::os::process::{self, Ended};
use crate::os::spawn::SpawnError;
use crate::os::{signals, Pid};
use crate::plan::App;
use starling_pmi::server;
use starling_pmi::spawn::{Program, Request};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long a request waits for processes to end whose places it needs: those whose work is done
/// are still on their way out when the job asks for the next ones.
const PATIENCE: Duration = Duration::from_secs(2);

/// A request that waits for places.
pub(super) struct Deferred {
    asker: usize,
    request: Request,
    until: Instant,
    /// How many processes had ended when it was tried last.
    ended: usize,
}

/// Why a request is not fulfilled.
struct Refused {
    reason: String,
    /// It may be when other processes have ended.
    may_pass: bool,
}

impl From<String> for Refused {
    fn from(reason: String) -> Refused {
        Refused { reason, may_pass: false }
    }
}

impl Agent<'_> {
    /// Takes the request of a rank that wants processes to be started.
    pub(super) fn spawn_for(&mut self, asker: usize, request: Request) {
        self.try_to_spawn(asker, request, Instant::now() + PATIENCE);
    }

    fn try_to_spawn(&mut self, asker: usize, request: Request, until: Instant) {
        let bytes = match self.start_world(&request) {
            Ok((place, count)) => server::spawned(place, count),
            Err(refused) if refused.may_pass && Instant::now() < until => {
                let ended = self.ranks.ended_count();
                self.deferred.push(Deferred { asker, request, until, ended });
                return;
            }
            Err(refused) => server::not_spawned(&refused.reason),
        };
        self.reply(asker, &bytes);
    }

    /// Tries the requests again that wait, if processes have ended or their time is over.
    pub(super) fn retry_spawns(&mut self) {
        for Deferred { asker, request, until, ended } in std::mem::take(&mut self.deferred) {
            match ended == self.ranks.ended_count() && Instant::now() < until {
                true => self.deferred.push(Deferred { asker, request, until, ended }),
                false => self.try_to_spawn(asker, request, until),
            }
        }
    }

    /// When the next of them gives up.
    pub(super) fn spawns_give_up(&self) -> Option<Instant> {
        self.deferred.iter().map(|deferred| deferred.until).min()
    }

    /// Where rank 0 is in the segment, and how many ranks there are.
    fn start_world(&mut self, request: &Request) -> Result<(u32, usize), Refused> {
        if !matches!(self.stage, Stage::Running) {
            return Err("the job is ending".to_string().into());
        }
        let apps = request.programs.iter().map(|program| self.app(program));
        let apps = apps.collect::<Result<Vec<App>, String>>()?;
        let counts = request.programs.iter().map(|program| program.count as usize);
        let app_of: Vec<u32> = (0..).zip(counts).flat_map(|(app, n)| vec![app; n]).collect();
        if app_of.is_empty() {
            return Err("no process is asked for".to_string().into());
        }
        let name = format!("{}-{}", self.job.name, self.ranks.next_world());
        let may_pass = self.ranks.spawned_live();
        let added = self.ranks.add(World::new(apps, app_of, name), &request.values);
        let world = added.map_err(|reason| Refused { reason, may_pass })?;
        let (first, place, size) = self.ranks.extent(world);
        for rank in 0..size {
            let added = self.output.add(self.job, world, rank);
            let started = added.map_err(|refusal| refusal.message).and_then(|()| {
                self.start(first + rank).map_err(|error| self.why_not(world, rank, &error))
            });
            if let Err(reason) = started {
                self.abandon(world, rank);
                return Err(reason.into());
            }
        }
        Ok((place, size))
    }

    fn app(&self, program: &Program) -> Result<App, String> {
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let mut words = vec![text(&program.command)];
        words.extend(program.arguments.iter().map(|argument| text(argument)));
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let part = RunOptions {
            app: AppOptions {
                hosts: program.hint("host").map(shown).into_iter().collect(),
                wdir: program.hint("wdir").map(text),
                env: variables(program.hint("env").unwrap_or_default()),
                ..AppOptions::default()
            },
            program: words,
            ..RunOptions::default()
        };
        if let Some(arch) = program.hint("arch").filter(|a| *a != std::env::consts::ARCH.as_bytes())
        {
            let ours = std::env::consts::ARCH;
            return Err(format!("arch is {}, this node's is {ours}", shown(arch)));
        }
        let path = program.hint("path").map(OsStr::from_bytes);
        self.job.later_app(&part, path).map_err(|refusal| refusal.message)
    }

    fn why_not(&self, world: usize, rank: usize, failure: &SpawnError) -> String {
        let SpawnError { step, error } = failure;
        let world = self.ranks.world(world);
        let (size, name) = (world.size(), &world.app(rank).0.name);
        format!("cannot start process {rank} of {size}, {name}: {step}: {error}")
    }

    /// Takes back the first `started` ranks of a world.
    fn abandon(&mut self, world: usize, started: usize) {
        for pid in self.ranks.abandon(world, started) {
            signals::send(pid, libc::SIGKILL);
        }
    }

    /// Serves a process that lives already, as rank 0.
    pub(super) fn take_in(&mut self, pid: Pid, connection: OwnedFd) -> io::Result<()> {
        let watch = process::watch(pid)?;
        self.poll.add(watch.as_fd(), READABLE, Token::Adopted.pack())?;
        let pmi = UnixStream::from(connection);
        pmi.set_nonblocking(true)?;
        self.poll.add(pmi.as_fd(), READABLE, Token::Pmi(0).pack())?;
        self.ranks.take_in(pid, pmi, watch);
        Ok(())
    }

    /// The process that we were started by has ended. With which code, only its parent knows.
    pub(super) fn adopted_ended(&mut self) {
        if let Some(pid) = self.ranks.let_go() {
            self.child_ended(pid, Ended::Exited(0));
        }
    }
}

/// `NAME=VALUE` lines as pairs of names and values.
fn variables(lines: &[u8]) -> Vec<OsString> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let pair = |line: &[u8]| {
        let at = line.iter().position(|byte| *byte == b'=').unwrap_or(line.len());
        let value = line.get(at + 1..).unwrap_or_default();
        [line[..at].to_vec(), value.to_vec()].map(OsString::from_vec)
    };
    lines.flat_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_lines() {
        assert_eq!(variables(b"A=1\nB=x = y\n\nC"), ["A", "1", "B", "x = y", "C", ""]);
        assert!(variables(b"").is_empty());
    }
}
