//! Standard input: handed to one rank as it is, or copied to all of them.
//!
//! Owned by the agent. A copy goes piece by piece: the next piece is read when every rank has
//! taken the last one, so the slowest reader sets the pace, as with `tee`.

use super::token::Token;
use crate::os::files;
use crate::os::poll::{Poll, READABLE, WRITABLE};
use crate::plan::{Job, Readers};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

const PIECE_BYTES: usize = 64 << 10;

struct Feed {
    pipe: File,
    /// Bytes of the piece that this rank has.
    taken: usize,
    /// Whether epoll waits until the pipe takes more.
    waits: bool,
}

/// Where the ranks' standard input comes from.
pub struct Input {
    readers: Readers,
    /// Our standard input, until everything of it is read or a rank has it.
    source: Option<File>,
    /// Whether epoll can wait for the source; a regular file is always ready.
    pollable: bool,
    nothing: File,
    feeds: Vec<Option<Feed>>,
    piece: Vec<u8>,
}

impl Input {
    /// Takes our standard input away from this process.
    ///
    /// # Errors
    /// When descriptors are short.
    pub fn new(job: &Job) -> io::Result<Input> {
        let nothing = File::open("/dev/null")?;
        let source = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        files::replace(nothing.as_fd(), 0)?;
        Ok(Input {
            readers: job.readers,
            source: Some(source),
            pollable: false,
            nothing,
            feeds: (0..job.size()).map(|_| None).collect(),
            piece: Vec::new(),
        })
    }

    /// What a rank that is about to start gets. The pipe of a copy is made here.
    pub fn of_rank(&mut self, rank: usize) -> io::Result<Given<'_>> {
        match (self.readers, &self.source) {
            (Readers::Rank(reader), Some(source)) if reader == rank => {
                Ok(Given::Borrowed(source.as_fd()))
            }
            (Readers::All, _) => {
                let (reading, writing) = files::pipe()?;
                files::set_nonblocking(writing.as_fd())?;
                let feed = Feed { pipe: File::from(writing), taken: 0, waits: false };
                self.feeds[rank] = Some(feed);
                Ok(Given::Owned(reading))
            }
            _ => Ok(Given::Borrowed(self.nothing.as_fd())),
        }
    }

    /// What processes get that a running job starts: nothing to read.
    pub fn nothing(&self) -> Given<'_> {
        Given::Borrowed(self.nothing.as_fd())
    }

    /// All ranks have started: forget what one of them has, or begin to copy.
    pub fn all_started(&mut self, poll: &Poll) {
        match (self.readers, &self.source) {
            (Readers::All, Some(source)) => {
                let added = poll.add(source.as_fd(), READABLE, Token::Input.pack());
                self.pollable = added.is_ok();
                if !self.pollable {
                    self.ready(poll);
                }
            }
            _ => self.source = None,
        }
    }

    /// Something can be read from our standard input.
    pub fn ready(&mut self, poll: &Poll) {
        while self.is_taken() && self.read_piece(poll) {
            (0..self.feeds.len()).for_each(|rank| self.feed(poll, rank));
            if self.pollable {
                break;
            }
        }
        self.pause_or_go_on(poll);
    }

    /// A rank takes more.
    pub fn writable(&mut self, poll: &Poll, rank: usize) {
        self.feed(poll, rank);
        if self.is_taken() {
            match self.pollable {
                true => self.pause_or_go_on(poll),
                false => self.ready(poll),
            }
        }
    }

    fn is_taken(&self) -> bool {
        self.feeds.iter().flatten().all(|feed| feed.taken == self.piece.len())
    }

    /// Reads the next piece; false at the end, or when nobody is left to read it.
    fn read_piece(&mut self, poll: &Poll) -> bool {
        let Some(source) = &mut self.source else { return false };
        self.piece.resize(PIECE_BYTES, 0);
        let count = match self.feeds.iter().any(|feed| feed.is_some()) {
            true => source.read(&mut self.piece).unwrap_or(0),
            false => 0,
        };
        self.piece.truncate(count);
        self.feeds.iter_mut().flatten().for_each(|feed| feed.taken = 0);
        if count == 0 {
            poll.remove(source.as_fd());
            self.source = None;
            // Closing the pipes is what the ranks see as the end.
            self.feeds.iter_mut().for_each(|feed| *feed = None);
        }
        count > 0
    }

    fn feed(&mut self, poll: &Poll, rank: usize) {
        let Some(feed) = &mut self.feeds[rank] else { return };
        while feed.taken < self.piece.len() {
            match feed.pipe.write(&self.piece[feed.taken..]) {
                Ok(count) => feed.taken += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !feed.waits {
                        let token = Token::Feed(rank).pack();
                        feed.waits = poll.add(feed.pipe.as_fd(), WRITABLE, token).is_ok();
                    }
                    return;
                }
                // The rank has closed its end.
                Err(_) => {
                    poll.remove(feed.pipe.as_fd());
                    self.feeds[rank] = None;
                    return;
                }
            }
        }
        if feed.waits {
            poll.remove(feed.pipe.as_fd());
            feed.waits = false;
        }
    }

    /// While a rank is behind, our standard input must not wake us.
    fn pause_or_go_on(&self, poll: &Poll) {
        let Some(source) = self.source.as_ref().filter(|_| self.pollable) else { return };
        poll.remove(source.as_fd());
        if self.is_taken() {
            // It was added before, so it can be added again.
            drop(poll.add(source.as_fd(), READABLE, Token::Input.pack()));
        }
    }
}

/// A rank's standard input.
pub enum Given<'a> {
    /// Somebody keeps it.
    Borrowed(BorrowedFd<'a>),
    /// Made for this rank.
    Owned(OwnedFd),
}

impl AsFd for Given<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Given::Borrowed(fd) => *fd,
            Given::Owned(fd) => fd.as_fd(),
        }
    }
}
