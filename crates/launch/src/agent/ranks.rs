//! The ranks: starting them, answering them, and judging how they ended.
//!
//! Part of the agent. A rank's end is judged after everything it sent before is read: its output,
//! and over PMI whether it had finished with MPI.

use super::verdict::{abort_code, exit_code};
use super::{who, Agent};
use crate::environment::{self, PMI_FD, SEGMENT_FD};
use crate::os::poll::READABLE;
use crate::os::process::Ended;
use crate::os::spawn::{SpawnError, Spawner, Start, Strings};
use crate::os::{files, signals, Pid};
use crate::plan::Job;
use crate::segment;
use starling_pmi::server::{self, Action, ClientState, Server};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Ranks that are started before the agent looks at events again.
const BATCH: usize = 32;

#[derive(Default)]
struct Rank {
    pid: Pid,
    ended: Option<Ended>,
    pmi: Option<UnixStream>,
}

/// What is the same for all ranks of a program, ready for exec.
struct Prepared {
    arguments: Strings,
    shell_arguments: Strings,
}

/// All ranks of a job.
pub struct Ranks<'a> {
    job: &'a Job,
    ranks: Vec<Rank>,
    by_pid: HashMap<Pid, usize>,
    started: usize,
    ended: usize,
    server: Server,
    spawner: Spawner,
    prepared: Vec<Prepared>,
    segment: OwnedFd,
    /// A single rank writes to our standard output itself, terminal or not.
    direct: bool,
}

impl<'a> Ranks<'a> {
    /// Makes the shared segment and everything that can be made before the first rank.
    pub fn new(job: &'a Job, spawner: Spawner) -> io::Result<Ranks<'a>> {
        let prepared = job.apps.iter().map(|app| {
            let shell = [c"/bin/sh".to_owned(), app.file.clone()];
            let rest = app.arguments[1..].iter().cloned();
            Prepared {
                arguments: Strings::new(app.arguments.clone()),
                shell_arguments: Strings::new(shell.into_iter().chain(rest).collect()),
            }
        });
        let server = Server::new(server::Job {
            appnums: job.app_of.clone(),
            universe_size: job.universe_size,
            kvsname: job.name.clone(),
        });
        Ok(Ranks {
            job,
            ranks: (0..job.size()).map(|_| Rank::default()).collect(),
            by_pid: HashMap::with_capacity(job.size()),
            started: 0,
            ended: 0,
            server,
            spawner,
            prepared: prepared.collect(),
            segment: segment::create(job.size())?,
            direct: job.size() == 1 && !job.prepend_rank && job.patterns == [None, None],
        })
    }

    /// Whether every rank has been started.
    pub fn all_started(&self) -> bool {
        self.started == self.ranks.len()
    }

    /// Whether every rank has been started and has ended.
    pub fn all_ended(&self) -> bool {
        self.ended == self.ranks.len()
    }

    /// The processes of the ranks that live.
    pub fn living(&self) -> impl Iterator<Item = Pid> + '_ {
        let started = self.ranks[..self.started].iter();
        started.filter(|rank| rank.ended.is_none()).map(|rank| rank.pid)
    }

    /// How each rank ended.
    pub fn endings(&self) -> impl Iterator<Item = Option<Ended>> + '_ {
        self.ranks.iter().map(|rank| rank.ended)
    }

    fn environment(&self, rank: usize) -> Strings {
        let own = environment::Rank {
            rank,
            size: self.job.size(),
            appnum: self.job.app_of[rank],
            universe_size: self.job.universe_size,
            job: &self.job.name,
            bound: self.job.places[rank].is_some(),
        };
        Strings::new(environment::of_rank(&self.job.app(rank).variables, own))
    }

    /// Starts the process of a rank.
    fn spawn(
        &mut self,
        rank: usize,
        standard: [BorrowedFd<'_>; 3],
        pmi: BorrowedFd<'_>,
    ) -> Result<Pid, SpawnError> {
        let app = self.job.app(rank);
        let prepared = &self.prepared[self.job.app_of[rank] as usize];
        self.spawner.spawn(&Start {
            program: &app.file,
            arguments: &prepared.arguments,
            shell_arguments: &prepared.shell_arguments,
            environment: &self.environment(rank),
            folder: app.folder.as_deref(),
            standard,
            passed: &[(self.segment.as_fd(), SEGMENT_FD), (pmi, PMI_FD)],
            cpus: self.job.places[rank].as_ref().map(|set| set.words()),
        })
    }

    /// The first rank that has ended while others wait for it in PMI: they would wait for ever.
    fn missed(&self) -> Option<usize> {
        if self.server.in_barrier() == 0 {
            return None;
        }
        let gone = |rank: &usize| self.ranks[*rank].ended.is_some() && !self.server.waits(*rank);
        (0..self.ranks.len()).find(gone)
    }
}

impl Agent<'_> {
    /// Starts the next ranks while the job runs.
    pub(super) fn start_some(&mut self) {
        let running = matches!(self.stage, super::Stage::Running);
        if !running || self.ranks.all_started() {
            return;
        }
        let last = (self.ranks.started + BATCH).min(self.job.size());
        while self.ranks.started < last {
            if let Err(error) = self.start(self.ranks.started) {
                return self.could_not_start(self.ranks.started, &error);
            }
            self.ranks.started += 1;
        }
        if self.ranks.all_started() {
            self.input.all_started(&self.poll);
            self.tell_processes();
        }
    }

    /// Tells the front who the ranks are, for debuggers. A few kilobytes into an empty socket.
    fn tell_processes(&mut self) {
        let pids = self.ranks.ranks.iter().flat_map(|rank| rank.pid.to_ne_bytes());
        // When the front is gone, its end of the socket tells that.
        let _ = self.front.write_all(&pids.collect::<Vec<u8>>());
    }

    fn start(&mut self, rank: usize) -> Result<(), SpawnError> {
        let failed = |error: io::Error| SpawnError { step: "cannot make its pipes", error };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        let input = self.input.of_rank(rank).map_err(failed)?;
        let pid = if self.ranks.direct {
            let (out, err) = (io::stdout(), io::stderr());
            let standard = [input.as_fd(), out.as_fd(), err.as_fd()];
            self.ranks.spawn(rank, standard, theirs.as_fd())?
        } else {
            let [out, err] = [files::pipe().map_err(failed)?, files::pipe().map_err(failed)?];
            let standard = [input.as_fd(), out.1.as_fd(), err.1.as_fd()];
            let pid = self.ranks.spawn(rank, standard, theirs.as_fd())?;
            for (stream, pipe) in [(2 * rank, out.0), (2 * rank + 1, err.0)] {
                self.output.attach(&self.poll, stream, pipe).map_err(failed)?;
            }
            pid
        };
        let token = super::Token::Pmi(rank).pack();
        self.poll.add(ours.as_fd(), READABLE, token).map_err(failed)?;
        self.childless = false;
        self.ranks.by_pid.insert(pid, rank);
        self.ranks.ranks[rank] = Rank { pid, ended: None, pmi: Some(ours) };
        Ok(())
    }

    fn could_not_start(&mut self, rank: usize, failure: &SpawnError) {
        let SpawnError { step, error } = failure;
        let (name, size) = (&self.job.app(rank).name, self.job.size());
        let code = match error.kind() {
            io::ErrorKind::NotFound => 127,
            io::ErrorKind::PermissionDenied => 126,
            _ => 1,
        };
        let hint = match error.raw_os_error() {
            Some(libc::ENOENT) => " (the interpreter or loader that it names is missing)",
            Some(libc::EAGAIN) => " (the limit of processes, see ulimit -u)",
            Some(libc::EMFILE | libc::ENFILE) => " (the limit of open files, see ulimit -n)",
            _ => "",
        };
        let message = format!("cannot start rank {rank} of {size}, {name}: {step}: {error}{hint}");
        self.end(code, Some(message));
    }

    /// Something came over the PMI connection of a rank.
    pub(super) fn serve(&mut self, rank: usize) {
        let mut bytes = [0; 4096];
        loop {
            let Some(pmi) = &mut self.ranks.ranks[rank].pmi else { return };
            let count = match pmi.read(&mut bytes) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => 0,
            };
            if count == 0 {
                self.poll.remove(pmi.as_fd());
                self.ranks.ranks[rank].pmi = None;
                return;
            }
            match self.ranks.server.feed(rank, &bytes[..count]) {
                Ok(actions) => actions.into_iter().for_each(|action| self.act(action)),
                Err(error) => {
                    let who = who(self.job, rank, self.ranks.ranks[rank].pid);
                    self.end(1, Some(format!("{who} sent {error}")));
                    self.ranks.ranks[rank].pmi = None;
                    return;
                }
            }
            self.end_if_missed();
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Reply { rank, bytes } => {
                let Some(pmi) = &mut self.ranks.ranks[rank].pmi else { return };
                // A rank waits for each answer, so the socket is empty and takes a whole one.
                let written = pmi.write(&bytes);
                if written.as_ref().is_ok_and(|&count| count < bytes.len())
                    || written.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
                {
                    let who = who(self.job, rank, self.ranks.ranks[rank].pid);
                    self.end(1, Some(format!("{who} asks over PMI and reads no answers")));
                }
            }
            Action::Abort { rank, code, message } => {
                let who = who(self.job, rank, self.ranks.ranks[rank].pid);
                let reason = match message.as_deref() {
                    None | Some("abort") => String::new(),
                    Some(text) => format!(": {text}"),
                };
                let message = format!("{who} ended the job with MPI_Abort, code {code}{reason}");
                self.end(abort_code(code), Some(message));
            }
        }
    }

    /// A child of this process ended; ranks are judged, orphans just go.
    pub(super) fn child_ended(&mut self, pid: Pid, ended: Ended) {
        let Some(&rank) = self.ranks.by_pid.get(&pid) else { return };
        // The number may be given to another process from now on.
        self.ranks.by_pid.remove(&pid);
        self.serve(rank);
        self.output.drain(&self.poll, rank);
        self.ranks.ranks[rank].ended = Some(ended);
        self.ranks.ended += 1;
        self.judge(rank, pid, ended);
        self.end_if_missed();
    }

    fn judge(&mut self, rank: usize, pid: Pid, ended: Ended) {
        let who = who(self.job, rank, pid);
        let inside_mpi = self.ranks.server.state(rank) == ClientState::Running;
        match ended {
            Ended::Signaled(libc::SIGPIPE)
                if self.ranks.direct && files::reader_is_gone(io::stdout().as_fd()) =>
            {
                self.end(128 + libc::SIGPIPE, None);
            }
            Ended::Signaled(signal) => {
                let signal_name = signals::describe(signal);
                let message = format!("{who} died by signal {signal} ({signal_name})");
                self.end(exit_code(ended), Some(message));
            }
            Ended::Exited(code) if inside_mpi => {
                let inner = match code {
                    129..=192 => format!(" ({})", signals::describe(code - 128)),
                    _ => String::new(),
                };
                let message =
                    format!("{who} exited with code {code}{inner} without calling MPI_Finalize");
                self.end(if code == 0 { 1 } else { code }, Some(message));
            }
            Ended::Exited(_) => {}
        }
        self.verdict.add(ended);
    }

    fn end_if_missed(&mut self) {
        let Some(rank) = self.ranks.missed() else { return };
        let Rank { pid, ended: Some(ended), .. } = self.ranks.ranks[rank] else { return };
        let who = who(self.job, rank, pid);
        let when = match self.ranks.server.state(rank) {
            ClientState::Silent => "before MPI_Init",
            _ => "after MPI_Finalize",
        };
        let (code, waiting) = (exit_code(ended), self.ranks.server.in_barrier());
        let message =
            format!("{who} exited with code {code} {when}; {waiting} ranks wait for it in vain");
        self.end(if code == 0 { 1 } else { code }, Some(message));
    }
}
