//! The output of all ranks: from their pipes, cut into lines, to the sinks.
//!
//! Owned by the agent. A stream is one of the two outputs of a rank, number `2 * rank` or
//! `2 * rank + 1`. When a sink's reader is slow, the streams that go there are not read until it
//! has caught up: the ranks wait as they would in a pipe of their own.

use super::lines::Lines;
use super::sink::{Failure, Sink};
use super::token::Token;
use crate::cli::usage::Refusal;
use crate::os::files;
use crate::os::poll::{Poll, READABLE, WRITABLE};
use crate::plan::{expand, Job};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// Streams are not read while more than this waits in their sink.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// On a terminal, an unfinished line (a question, a progress bar) is shown after this time.
const PARTIAL_LINE_DELAY: Duration = Duration::from_millis(100);
/// Bytes read from a pipe at once, and reads per event: nobody keeps the others waiting.
const READ_BYTES: usize = 64 << 10;
const READS_PER_EVENT: usize = 4;
/// The number that stands for the launcher where a stream is meant.
const LAUNCHER: usize = usize::MAX;

struct Stream {
    pipe: Option<File>,
    lines: Lines,
    sink: usize,
    partial_since: Option<Instant>,
}

/// Something that ends the job.
pub enum Trouble {
    /// Nobody reads our standard output any more.
    ReaderGone,
    /// A sink cannot be written.
    CannotWrite(String),
}

/// All streams and sinks of a job.
pub struct Output {
    sinks: Vec<Sink>,
    /// Sinks that are waited for with epoll.
    blocked: Vec<bool>,
    streams: Vec<Stream>,
    /// The sink of our own messages.
    errors: usize,
    /// The sinks of files, by name.
    opened: HashMap<OsString, usize>,
    buffer: Vec<u8>,
    lines: Vec<u8>,
    trouble: Option<Trouble>,
}

impl Output {
    /// Opens the sinks of a job.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn new(job: &Job) -> Result<Output, Refusal> {
        let [out, err] = files::standard_outputs();
        let shared = files::same_file(out.as_fd(), err.as_fd());
        let mut sinks = vec![Sink::new(out, "standard output")];
        if !shared {
            sinks.push(Sink::new(err, "standard error"));
        }
        let errors = sinks.len() - 1;
        let mut output = Output {
            blocked: vec![false; sinks.len()],
            sinks,
            streams: Vec::with_capacity(2 * job.size()),
            errors,
            opened: HashMap::new(),
            buffer: vec![0; READ_BYTES],
            lines: Vec::new(),
            trouble: None,
        };
        for rank in 0..job.size() {
            output.add(job, 0, rank)?;
        }
        Ok(output)
    }

    /// Adds the streams of the next process: a rank of the world with this number.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn add(&mut self, job: &Job, world: usize, rank: usize) -> Result<(), Refusal> {
        for (which, pattern) in job.patterns.iter().enumerate() {
            let sink = match pattern {
                None => [0, self.errors][which],
                Some(pattern) => self.open_once(expand(pattern, world, rank, &job.host))?,
            };
            let prefix = match job.prepend_rank {
                true => prefix(world, rank, self.sinks[sink].is_terminal),
                false => Vec::new(),
            };
            let lines = Lines::new(prefix);
            self.streams.push(Stream { pipe: None, lines, sink, partial_since: None });
        }
        Ok(())
    }

    /// The sink of a file, opened when it is first named.
    fn open_once(&mut self, name: OsString) -> Result<usize, Refusal> {
        if let Some(&sink) = self.opened.get(&name) {
            return Ok(sink);
        }
        let shown = name.to_string_lossy().into_owned();
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&name);
        let failed = |error| Refusal::failure(format!("cannot write {shown}: {error}"));
        self.sinks.push(Sink::new(OwnedFd::from(file.map_err(failed)?), &shown));
        self.blocked.push(false);
        self.opened.insert(name, self.sinks.len() - 1);
        Ok(self.sinks.len() - 1)
    }

    /// Gives a stream the reading end of its pipe.
    pub fn attach(&mut self, poll: &Poll, stream: usize, pipe: OwnedFd) -> std::io::Result<()> {
        files::set_nonblocking(pipe.as_fd())?;
        self.streams[stream].pipe = Some(File::from(pipe));
        self.listen(poll, stream);
        Ok(())
    }

    /// Something can be read from a stream.
    pub fn readable(&mut self, poll: &Poll, stream: usize) {
        for _ in 0..READS_PER_EVENT {
            if self.sinks[self.streams[stream].sink].waiting() > WAITING_BYTES_MAX {
                break;
            }
            if !self.read(poll, stream) {
                break;
            }
        }
        self.write(poll, self.streams[stream].sink);
    }

    /// Reads all that a rank wrote before it ended.
    pub fn drain(&mut self, poll: &Poll, rank: usize) {
        for stream in [2 * rank, 2 * rank + 1] {
            while self.read(poll, stream) {
                // Memory is bounded by the pipe: its writers are gone or are read no further.
                if self.sinks[self.streams[stream].sink].waiting() > WAITING_BYTES_MAX {
                    break;
                }
            }
            self.write(poll, self.streams[stream].sink);
        }
    }

    /// Reads once; false when nothing more comes now.
    fn read(&mut self, poll: &Poll, number: usize) -> bool {
        let stream = &mut self.streams[number];
        let Some(pipe) = &mut stream.pipe else { return false };
        self.lines.clear();
        let count = match pipe.read(&mut self.buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return true,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return false,
            Err(_) => 0,
        };
        if count == 0 {
            poll.remove(pipe.as_fd());
            stream.pipe = None;
            stream.lines.flush(&mut self.lines);
        } else {
            stream.lines.push(&self.buffer[..count], &mut self.lines);
        }
        let sink = &mut self.sinks[stream.sink];
        let waits = sink.is_terminal && stream.lines.has_partial();
        stream.partial_since = waits.then(Instant::now);
        sink.append(number, &self.lines);
        count > 0
    }

    /// A sink takes more.
    pub fn write(&mut self, poll: &Poll, number: usize) {
        let sink = &mut self.sinks[number];
        let all = sink.write();
        let blocked = matches!(all, Ok(false));
        if let Err(failure) = all {
            let trouble = match failure {
                Failure::Closed => Trouble::ReaderGone,
                Failure::Error(error) => {
                    Trouble::CannotWrite(format!("cannot write {}: {error}", sink.name))
                }
            };
            // Without a standard error there is nobody to tell, and the job goes on.
            if number != self.errors || number == 0 {
                self.trouble.get_or_insert(trouble);
            }
        }
        if blocked != self.blocked[number] {
            self.blocked[number] = blocked;
            match blocked {
                // Cannot fail: only pipes, terminals and sockets refuse to take bytes.
                true => drop(poll.add(sink.as_fd(), WRITABLE, Token::Sink(number).pack())),
                false => poll.remove(sink.as_fd()),
            }
            self.listen_or_not(poll, number);
        }
    }

    /// Stops reading the streams of a sink that is behind, or begins again.
    fn listen_or_not(&mut self, poll: &Poll, sink: usize) {
        for stream in 0..self.streams.len() {
            if self.streams[stream].sink != sink {
                continue;
            }
            match (&self.streams[stream].pipe, self.blocked[sink]) {
                (Some(pipe), true) => poll.remove(pipe.as_fd()),
                (Some(_), false) => self.listen(poll, stream),
                (None, _) => {}
            }
        }
    }

    fn listen(&self, poll: &Poll, number: usize) {
        let stream = &self.streams[number];
        if let (Some(pipe), false) = (&stream.pipe, self.blocked[stream.sink]) {
            // Fails only for want of kernel memory; the stream is then read when its rank ends.
            drop(poll.add(pipe.as_fd(), READABLE, Token::Stream(number).pack()));
        }
    }

    /// Says something of our own, on standard error.
    pub fn say(&mut self, poll: &Poll, text: &str) {
        let bytes = format!("starling: {text}\n");
        self.sinks[self.errors].append(LAUNCHER, bytes.as_bytes());
        self.write(poll, self.errors);
    }

    /// Shows unfinished lines that have waited long enough; returns when the next one has.
    pub fn show_partial_lines(&mut self, poll: &Poll) -> Option<Instant> {
        let now = Instant::now();
        let mut next: Option<Instant> = None;
        for number in 0..self.streams.len() {
            let stream = &mut self.streams[number];
            let Some(since) = stream.partial_since else { continue };
            let due = since + PARTIAL_LINE_DELAY;
            if due > now {
                next = Some(next.map_or(due, |next| next.min(due)));
                continue;
            }
            stream.partial_since = None;
            self.lines.clear();
            stream.lines.flush(&mut self.lines);
            let sink = stream.sink;
            self.sinks[sink].append(number, &self.lines);
            self.write(poll, sink);
        }
        next
    }

    /// Takes everything that is in the pipes though their writers may live, and ends lines.
    /// For the end of the job.
    pub fn close(&mut self, poll: &Poll) {
        for rank in 0..self.streams.len() / 2 {
            self.drain(poll, rank);
        }
        for number in 0..self.streams.len() {
            let stream = &mut self.streams[number];
            if let Some(pipe) = stream.pipe.take_if(|_| !self.blocked[stream.sink]) {
                poll.remove(pipe.as_fd());
                self.lines.clear();
                stream.lines.flush(&mut self.lines);
                stream.partial_since = None;
                self.sinks[stream.sink].append(number, &self.lines);
            }
        }
        (0..self.sinks.len()).for_each(|sink| self.write(poll, sink));
    }

    /// Whether all output has been read and written.
    pub fn is_done(&self) -> bool {
        self.streams.iter().all(|stream| stream.pipe.is_none())
            && self.sinks.iter().all(|sink| sink.waiting() == 0)
    }

    /// What went wrong with writing, once.
    pub fn take_trouble(&mut self) -> Option<Trouble> {
        self.trouble.take()
    }
}

/// `[3] `, in one of six colours on a terminal unless NO_COLOR asks for none; `[2:3] ` in the
/// second world that the job has started.
fn prefix(world: usize, rank: usize, is_terminal: bool) -> Vec<u8> {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let name = match world {
        0 => rank.to_string(),
        _ => format!("{world}:{rank}"),
    };
    match is_terminal && !plain {
        true => format!("\x1b[3{}m[{name}]\x1b[0m ", 1 + rank % 6).into_bytes(),
        false => format!("[{name}] ").into_bytes(),
    }
}
