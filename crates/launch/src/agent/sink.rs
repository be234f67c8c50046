//! One place that output goes to: our standard output, our standard error, or a file.
//!
//! Called by `output`. Bytes wait in a queue and are written without ever blocking the agent, as
//! far as the kind of file allows that.

use crate::os::files;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Why nothing more can be written.
#[derive(Debug)]
pub enum Failure {
    /// Nobody reads any more.
    Closed,
    /// The disk is full, or worse.
    Error(io::Error),
}

/// A place to write to.
pub struct Sink {
    file: File,
    /// For messages.
    pub name: String,
    /// Whether people read it as it comes.
    pub is_terminal: bool,
    queue: Vec<u8>,
    /// Bytes of the queue that are written.
    written: usize,
    /// The stream whose unfinished line ends the output so far (terminals only).
    open_line: Option<usize>,
    failed: bool,
}

impl Sink {
    /// Writes to where `fd` leads.
    pub fn new(fd: OwnedFd, name: &str) -> Sink {
        let is_terminal = fd.is_terminal();
        let file = files::reopen_nonblocking(fd.as_fd()).unwrap_or_else(|| File::from(fd));
        Sink {
            file,
            name: name.to_string(),
            is_terminal,
            queue: Vec::new(),
            written: 0,
            open_line: None,
            failed: false,
        }
    }

    /// Bytes that wait.
    pub fn waiting(&self) -> usize {
        self.queue.len() - self.written
    }

    /// Puts bytes of a stream behind what waits. On a terminal, a line that another stream left
    /// unfinished is ended first.
    pub fn append(&mut self, stream: usize, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        if self.failed {
            return;
        }
        if self.is_terminal {
            if self.open_line.is_some_and(|open| open != stream) {
                self.queue.push(b'\n');
            }
            self.open_line = (last != b'\n').then_some(stream);
        }
        self.queue.extend_from_slice(bytes);
    }

    /// Writes what can be written now. True when all of it went.
    ///
    /// # Errors
    /// Once, when nothing can be written any more; from then on output is thrown away.
    pub fn write(&mut self) -> Result<bool, Failure> {
        while self.waiting() > 0 {
            match self.file.write(&self.queue[self.written..]) {
                Ok(0) => return Err(self.fail(io::Error::from(io::ErrorKind::WriteZero))),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(self.fail(error)),
            }
        }
        self.queue.clear();
        self.written = 0;
        Ok(true)
    }

    fn fail(&mut self, error: io::Error) -> Failure {
        self.failed = true;
        self.queue = Vec::new();
        self.written = 0;
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Error(error),
        }
    }
}

impl AsFd for Sink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_full_pipe_does_not_block_and_loses_nothing() {
        let (reader, writer) = files::pipe().unwrap();
        let mut sink = Sink::new(writer, "pipe");
        let bytes: Vec<u8> = (0..1_000_000u32).map(|i| (i % 251) as u8).collect();
        sink.append(0, &bytes);
        assert!(!sink.write().unwrap(), "a pipe is smaller than this");
        assert!(sink.waiting() > 0);
        let reading = std::thread::spawn(move || {
            let mut all = Vec::new();
            File::from(reader).read_to_end(&mut all).unwrap();
            all
        });
        while !sink.write().unwrap() {
            std::thread::yield_now();
        }
        drop(sink);
        assert!(reading.join().unwrap() == bytes);
    }

    #[test]
    fn a_reader_that_left_and_a_full_disk_are_told_once() {
        let (reader, writer) = files::pipe().unwrap();
        let mut sink = Sink::new(writer, "pipe");
        drop(reader);
        sink.append(0, b"x\n");
        assert!(matches!(sink.write(), Err(Failure::Closed)));
        sink.append(0, b"y\n");
        assert!(sink.write().unwrap(), "later output is thrown away");
        let full = OwnedFd::from(File::create("/dev/full").unwrap());
        let mut sink = Sink::new(full, "full");
        sink.append(0, b"x\n");
        assert!(matches!(sink.write(), Err(Failure::Error(_))));
    }

    #[test]
    fn a_terminals_unfinished_line_is_ended_before_another_stream() {
        let (reader, writer) = files::pipe().unwrap();
        let mut sink = Sink { is_terminal: true, ..Sink::new(writer, "pipe") };
        sink.append(0, b"name: ");
        sink.append(0, b"x");
        sink.append(1, b"line\n");
        sink.append(0, b"y\n");
        assert!(sink.write().unwrap());
        drop(sink);
        let mut all = String::new();
        File::from(reader).read_to_string(&mut all).unwrap();
        assert_eq!(all, "name: x\nline\ny\n");
    }
}
