//! The ranks: starting them, answering them, and judging how they ended.
//!
//! Part of the agent. A rank's end is judged after everything it sent before is read: its output,
//! and over PMI whether it had finished with MPI.

use super::verdict::{self, abort_code, exit_code};
use super::world::World;
use super::Agent;
use crate::environment::{PMI_FD, SEGMENT_FD};
use crate::os::poll::READABLE;
use crate::os::process::Ended;
use crate::os::spawn::{SpawnError, Spawner, Start};
use crate::os::{files, signals, Pid};
use crate::plan::Job;
use crate::segment::Places;
use starling_pmi::server::{self, Action, ClientState, Server};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Ranks that are started before the agent looks at events again.
const BATCH: usize = 32;

/// One process; those of world 0 come first.
#[derive(Default)]
struct Rank {
    world: usize,
    /// Its rank there.
    rank: usize,
    pid: Pid,
    ended: Option<Ended>,
    pmi: Option<UnixStream>,
}

/// All ranks of a job.
pub struct Ranks<'a> {
    job: &'a Job,
    worlds: Vec<World>,
    ranks: Vec<Rank>,
    by_pid: HashMap<Pid, usize>,
    /// Ranks of the job of the command line that have been started.
    started: usize,
    ended: usize,
    server: Server,
    spawner: Spawner,
    places: Places,
    /// A single rank writes to our standard output itself, terminal or not.
    direct: bool,
    /// What tells the end of a process that lived before us.
    watch: Option<OwnedFd>,
}

impl<'a> Ranks<'a> {
    /// Makes everything that can be made before the first rank.
    pub fn new(job: &'a Job, places: Places, spawner: Spawner) -> Ranks<'a> {
        let server = Server::new(server::Job {
            appnums: job.app_of.clone(),
            universe_size: job.universe_size,
            kvsname: job.name.clone(),
        });
        let world = World::new(job.apps.clone(), job.app_of.clone(), job.name.clone());
        Ranks {
            job,
            worlds: vec![world],
            ranks: (0..job.size()).map(|rank| Rank { rank, ..Rank::default() }).collect(),
            by_pid: HashMap::with_capacity(job.size()),
            started: 0,
            ended: 0,
            server,
            spawner,
            places,
            direct: job.size() == 1 && !job.prepend_rank && job.patterns == [None, None],
            watch: None,
        }
    }

    /// Whether every rank of the command line has been started.
    pub fn all_started(&self) -> bool {
        self.started == self.job.size()
    }

    /// Whether every rank of all worlds has been started and has ended.
    pub fn all_ended(&self) -> bool {
        self.ended == self.ranks.len()
    }

    /// The number of ranks of all worlds.
    pub fn count(&self) -> usize {
        self.ranks.len()
    }

    /// How many of them have ended.
    pub fn ended_count(&self) -> usize {
        self.ended
    }

    /// Whether processes live that the running job has started.
    pub fn spawned_live(&self) -> bool {
        self.ranks[self.job.size()..].iter().any(|rank| rank.ended.is_none())
    }

    /// The processes of the ranks that live.
    pub fn living(&self) -> impl Iterator<Item = Pid> + '_ {
        let alive = self.ranks.iter().filter(|rank| rank.pid != 0 && rank.ended.is_none());
        alive.map(|rank| rank.pid)
    }

    /// The exit codes of each world.
    pub fn exit_codes(&self) -> Vec<String> {
        let shown = self.worlds.iter().map(|world| {
            let ranks = &self.ranks[world.first..world.first + world.size()];
            let list = verdict::list(ranks.iter().map(|rank| rank.ended));
            match world.number {
                0 => list,
                number => format!("started world {number}, {list}"),
            }
        });
        shown.collect()
    }

    /// The number of the next world.
    pub fn next_world(&self) -> usize {
        self.worlds.len()
    }

    /// A world.
    pub fn world(&self, number: usize) -> &World {
        &self.worlds[number]
    }

    /// The number of a world's first process, its place, and how many processes there are.
    pub fn extent(&self, world: usize) -> (usize, u32, usize) {
        let world = &self.worlds[world];
        (world.first, world.place, world.size())
    }

    /// Adds a world that is about to be started, with these values in its key-value space.
    ///
    /// # Errors
    /// A sentence, when the node has no place for it.
    pub fn add(&mut self, mut world: World, values: &[(String, Vec<u8>)]) -> Result<usize, String> {
        world.place = self.places.take(world.size())?;
        world.number = self.worlds.len();
        let job = server::Job {
            appnums: world.app_of.clone(),
            universe_size: self.job.universe_size,
            kvsname: world.name.clone(),
        };
        world.first = self.server.add(job, values);
        let new = |rank| Rank { world: world.number, rank, ..Rank::default() };
        self.ranks.extend((0..world.size()).map(new));
        self.worlds.push(world);
        Ok(self.worlds.len() - 1)
    }

    /// Gives a world up of which this many ranks have been started; their processes.
    pub fn abandon(&mut self, world: usize, started: usize) -> Vec<Pid> {
        let world = &mut self.worlds[world];
        world.abandoned = true;
        let (first, end) = (world.first + started, world.first + world.size());
        for number in first..end {
            self.ranks[number].ended = Some(Ended::Exited(0));
            self.ended += 1;
            self.places.ended(world.place + (number - world.first) as u32);
        }
        self.ranks[world.first..first].iter().map(|rank| rank.pid).collect()
    }

    /// Makes a process that lives already rank 0.
    pub fn take_in(&mut self, pid: Pid, pmi: UnixStream, watch: OwnedFd) {
        self.direct = false;
        self.started = 1;
        self.by_pid.insert(pid, 0);
        self.ranks[0] = Rank { pid, pmi: Some(pmi), ..Rank::default() };
        self.watch = Some(watch);
    }

    /// The process that was taken in, while it lives.
    pub fn adopted(&self) -> Option<Pid> {
        self.watch.as_ref().map(|_| self.ranks[0].pid)
    }

    /// It has ended.
    pub fn let_go(&mut self) -> Option<Pid> {
        self.watch.take().map(|_| self.ranks[0].pid)
    }

    /// How a process is called in a message.
    fn who(&self, number: usize) -> String {
        let Rank { world, rank, pid, .. } = &self.ranks[number];
        let world = &self.worlds[*world];
        let (title, name) = (world.title(*rank), &world.app(*rank).0.name);
        format!("{title} (host {}, pid {pid}, {name})", self.job.host)
    }

    /// Starts a process.
    fn spawn(
        &mut self,
        number: usize,
        standard: [BorrowedFd<'_>; 3],
        pmi: BorrowedFd<'_>,
    ) -> Result<Pid, SpawnError> {
        let rank = self.ranks[number].rank;
        let world = &self.worlds[self.ranks[number].world];
        let (app, prepared) = world.app(rank);
        let cpus = match world.is_spawned() {
            true => None,
            false => self.job.places[rank].as_ref().map(|set| set.words()),
        };
        self.spawner.spawn(&Start {
            program: &app.file,
            arguments: &prepared.arguments,
            shell_arguments: &prepared.shell_arguments,
            environment: &world.environment(self.job, rank),
            folder: app.folder.as_deref(),
            standard,
            passed: &[(self.places.as_fd(), SEGMENT_FD), (pmi, PMI_FD)],
            cpus,
        })
    }

    /// The first rank that has ended while others of its world wait for it in PMI: they would wait
    /// for ever.
    fn missed(&self) -> Option<usize> {
        if !self.server.somebody_waits() {
            return None;
        }
        let gone = |number: &usize| {
            let ended = self.ranks[*number].ended.is_some() && !self.server.waits(*number);
            ended && self.server.in_barrier(*number) > 0
        };
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
        let initial = &self.ranks.ranks[..self.job.size()];
        let pids = initial.iter().flat_map(|rank| rank.pid.to_ne_bytes());
        // When the front is gone, its end of the socket tells that.
        let _ = self.front.write_all(&pids.collect::<Vec<u8>>());
    }

    /// Starts a process and connects what belongs to it.
    pub(super) fn start(&mut self, rank: usize) -> Result<(), SpawnError> {
        let failed = |error: io::Error| SpawnError { step: "cannot make its pipes", error };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        let of_command_line = rank < self.job.size();
        let input = match of_command_line {
            true => self.input.of_rank(rank).map_err(failed)?,
            false => self.input.nothing(),
        };
        let pid = if self.ranks.direct && of_command_line {
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
        let new = &mut self.ranks.ranks[rank];
        (new.pid, new.pmi) = (pid, Some(ours));
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
                    let who = self.ranks.who(rank);
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
            Action::Reply { rank, bytes } => self.reply(rank, &bytes),
            Action::Spawn { rank, request } => self.spawn_for(rank, request),
            Action::Abort { rank, code, message } => {
                let who = self.ranks.who(rank);
                let reason = match message.as_deref() {
                    None | Some("abort") => String::new(),
                    Some(text) => format!(": {text}"),
                };
                let message = format!("{who} ended the job with MPI_Abort, code {code}{reason}");
                self.end(abort_code(code), Some(message));
            }
        }
    }

    /// Answers a rank.
    pub(super) fn reply(&mut self, rank: usize, bytes: &[u8]) {
        let Some(pmi) = &mut self.ranks.ranks[rank].pmi else { return };
        // A rank waits for each answer, so the socket is empty and takes a whole one.
        let written = pmi.write(bytes);
        if written.as_ref().is_ok_and(|&count| count < bytes.len())
            || written.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
        {
            let who = self.ranks.who(rank);
            self.end(1, Some(format!("{who} asks over PMI and reads no answers")));
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
        self.ranks.server.ended(rank);
        let (world, own) = (self.ranks.ranks[rank].world, self.ranks.ranks[rank].rank);
        let world = &self.ranks.worlds[world];
        let (place, abandoned) = (world.place + own as u32, world.abandoned);
        self.ranks.places.ended(place);
        if !abandoned {
            self.judge(rank, ended);
        }
        self.end_if_missed();
    }

    fn judge(&mut self, rank: usize, ended: Ended) {
        let who = self.ranks.who(rank);
        let state = self.ranks.server.state(rank);
        let inside_mpi = state == ClientState::Running;
        let awaited = self.ranks.ranks[rank].world > 0 && state == ClientState::Silent;
        match ended {
            Ended::Signaled(libc::SIGPIPE)
                if self.ranks.direct
                    && rank == 0
                    && files::reader_is_gone(io::stdout().as_fd()) =>
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
            Ended::Exited(code) if awaited => {
                let message = format!(
                    "{who} exited with code {code} before MPI_Init; those who started it wait for \
                     it in vain"
                );
                self.end(if code == 0 { 1 } else { code }, Some(message));
            }
            Ended::Exited(_) => {}
        }
        self.verdict.add(ended);
    }

    fn end_if_missed(&mut self) {
        let Some(rank) = self.ranks.missed() else { return };
        let Some(ended) = self.ranks.ranks[rank].ended else { return };
        let who = self.ranks.who(rank);
        let when = match self.ranks.server.state(rank) {
            ClientState::Silent => "before MPI_Init",
            _ => "after MPI_Finalize",
        };
        let (code, waiting) = (exit_code(ended), self.ranks.server.in_barrier(rank));
        let message =
            format!("{who} exited with code {code} {when}; {waiting} ranks wait for it in vain");
        self.end(if code == 0 { 1 } else { code }, Some(message));
    }
}
