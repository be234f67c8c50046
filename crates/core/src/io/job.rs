//! A job: bytes to be moved between places in a file and places in memory. It is made by a rank
//! and run by that rank itself or by a worker thread (`pool.rs`), so it owns all it needs.
//!
//! Pieces that follow each other in the file go in one system call; small pieces with small gaps
//! are read together with what lies between them (data sieving: Thakur, Gropp, Lusk 1999).
//! Sieving is not done for writing: it would put back old bytes over what others wrote meanwhile;
//! `mapped.rs` has another way.

use super::failure::{errno, Failure};
use super::mapped;
use crate::progress::Signal;
use std::future::Future;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};

/// Most pieces of memory in one system call (IOV_MAX).
const VECTOR_MAX: usize = 1024;
/// Pieces with no more than this between them are read at once.
const GAP_MAX: u64 = 4096;
/// Bytes that are read at once so.
const SIEVE_MAX: u64 = 1 << 20;

/// An open file, shared with the jobs that use it.
#[derive(Debug)]
pub(super) struct Descriptor {
    pub fd: OwnedFd,
    /// Whether small pieces may be written through a mapping.
    pub can_map: bool,
    /// Held while a job of this process has a range locked: locks of the system belong to the
    /// descriptor and do not keep two jobs on it apart.
    pub range_lock: Mutex<()>,
}

/// Which way the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read,
    /// To the file.
    Write,
}

/// Bytes in the file and in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub offset: u64,
    pub addr: usize,
    pub len: usize,
}

/// How it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    /// Bytes, in the order of the pieces; fewer than asked for at the end of the file.
    pub bytes: u64,
    pub failure: Option<Failure>,
}

/// See the module's page.
pub(super) struct Job {
    pub file: Arc<Descriptor>,
    pub direction: Direction,
    pub pieces: Vec<Piece>,
    /// Bytes of the file to lock meanwhile: from, to.
    pub lock: Option<(u64, u64)>,
    /// Whom to tell.
    pub signal: Option<Signal>,
    outcome: OnceLock<Moved>,
}

impl Job {
    pub fn new(file: &Arc<Descriptor>, direction: Direction, pieces: Vec<Piece>) -> Job {
        let outcome = OnceLock::new();
        Job { file: file.clone(), direction, pieces, lock: None, signal: None, outcome }
    }

    /// Does it, on the calling thread. Who made the job promises that the memory is there, and
    /// that nobody else uses it, until it is done.
    pub fn run(&self) {
        let moved = match self.lock {
            None => self.move_all(),
            Some(range) => self.move_locked(range),
        };
        // Set once only: a job runs once.
        let _ = self.outcome.set(moved);
        if let Some(signal) = &self.signal {
            signal.raise();
        }
    }

    fn move_locked(&self, range: (u64, u64)) -> Moved {
        let _alone = self.file.range_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = match self.direction {
            Direction::Read => libc::F_RDLCK,
            Direction::Write => libc::F_WRLCK,
        };
        if let Err(failure) = self.set_lock(kind, range) {
            return Moved { bytes: 0, failure: Some(failure) };
        }
        let moved = self.move_all();
        let unlocked = self.set_lock(libc::F_UNLCK, range);
        Moved { failure: moved.failure.or(unlocked.err()), ..moved }
    }

    fn set_lock(&self, kind: i32, (from, to): (u64, u64)) -> Result<(), Failure> {
        // SAFETY: all zeros are a valid flock.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = kind as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        lock.l_start = from as i64;
        lock.l_len = (to - from) as i64;
        loop {
            // SAFETY: the descriptor is open, the structure is a local.
            let rc = unsafe { libc::fcntl(self.file.fd.as_raw_fd(), libc::F_OFD_SETLKW, &lock) };
            if rc == 0 {
                return Ok(());
            }
            if errno() != libc::EINTR {
                return Err(Failure { offset: Some(from), ..Failure::last("fcntl (lock)") });
            }
        }
    }

    fn move_all(&self) -> Moved {
        let mut total = Moved::default();
        let mut sieve = Vec::new();
        let mut maps = self.direction == Direction::Write && self.file.can_map;
        let mut rest = &self.pieces[..];
        while !rest.is_empty() {
            let mapped = if maps { mapped::count(rest) } else { 0 };
            if mapped > 0 {
                let (now, later) = rest.split_at(mapped);
                if let Some(bytes) = mapped::write(&self.file, now) {
                    total.bytes += bytes;
                    rest = later;
                    continue;
                }
                maps = false;
            }
            let row = in_a_row(rest);
            let near = match self.direction {
                Direction::Read if row < rest.len() => near_by(rest),
                _ => 0,
            };
            let count = row.max(near);
            let (now, later) = rest.split_at(count);
            let moved = match near > row {
                true => self.sieve(now, &mut sieve),
                false => self.move_row(now),
            };
            total.bytes += moved.bytes;
            total.failure = moved.failure;
            let wanted: u64 = now.iter().map(|p| p.len as u64).sum();
            if moved.failure.is_some() || moved.bytes < wanted {
                break;
            }
            rest = later;
        }
        total
    }

    /// Moves pieces that follow each other in the file.
    fn move_row(&self, pieces: &[Piece]) -> Moved {
        let mut vector: Vec<libc::iovec> = pieces
            .iter()
            .map(|p| libc::iovec { iov_base: p.addr as *mut libc::c_void, iov_len: p.len })
            .collect();
        let wanted: u64 = pieces.iter().map(|p| p.len as u64).sum();
        let mut moved = Moved::default();
        let mut first = 0;
        while moved.bytes < wanted {
            let offset = pieces[0].offset + moved.bytes;
            let mut count = match self.once(&vector[first..], offset) {
                Ok(0) => break,
                Ok(count) => count,
                Err(failure) if failure.errno == libc::EINTR => continue,
                Err(failure) => {
                    moved.failure = Some(failure);
                    break;
                }
            };
            moved.bytes += count as u64;
            while first < vector.len() && count >= vector[first].iov_len {
                count -= vector[first].iov_len;
                first += 1;
            }
            if count > 0 {
                let cut = &mut vector[first];
                cut.iov_base = cut.iov_base.wrapping_byte_add(count);
                cut.iov_len -= count;
            }
        }
        if self.direction == Direction::Write && moved.bytes < wanted && moved.failure.is_none() {
            // The system wrote nothing and gave no reason.
            let offset = Some(pieces[0].offset + moved.bytes);
            moved.failure = Some(Failure { call: "pwritev", offset, errno: libc::EIO });
        }
        moved
    }

    /// One system call; returns the bytes.
    fn once(&self, vector: &[libc::iovec], offset: u64) -> Result<usize, Failure> {
        let (fd, count) = (self.file.fd.as_raw_fd(), vector.len() as i32);
        // SAFETY: the vector's memory is what the maker of the job promised.
        let (call, rc) = unsafe {
            match self.direction {
                Direction::Read => {
                    ("preadv", libc::preadv(fd, vector.as_ptr(), count, offset as i64))
                }
                Direction::Write => {
                    ("pwritev", libc::pwritev(fd, vector.as_ptr(), count, offset as i64))
                }
            }
        };
        match rc {
            0.. => Ok(rc as usize),
            _ => Err(Failure { offset: Some(offset), ..Failure::last(call) }),
        }
    }

    /// Reads all from the first to the last piece and picks the pieces out.
    fn sieve(&self, pieces: &[Piece], memory: &mut Vec<u8>) -> Moved {
        let from = pieces[0].offset;
        let to = pieces.iter().map(|p| p.offset + p.len as u64).max().unwrap_or(from);
        memory.resize((to - from) as usize, 0);
        let whole = Piece { offset: from, addr: memory.as_mut_ptr() as usize, len: memory.len() };
        let got = self.move_row(&[whole]);
        let mut moved = Moved { bytes: 0, failure: got.failure };
        for piece in pieces {
            let skip = piece.offset - from;
            let len = (piece.len as u64).min(got.bytes.saturating_sub(skip));
            // SAFETY: the bytes lie within what was read, the piece within the maker's memory.
            unsafe {
                let source = memory.as_ptr().add(skip as usize);
                std::ptr::copy_nonoverlapping(source, piece.addr as *mut u8, len as usize);
            }
            moved.bytes += len;
            if len < piece.len as u64 {
                break;
            }
        }
        moved
    }
}

/// How many of the first pieces follow each other in the file.
fn in_a_row(pieces: &[Piece]) -> usize {
    let most = &pieces[..pieces.len().min(VECTOR_MAX)];
    let next = |w: &[Piece]| w[0].offset + w[0].len as u64 == w[1].offset;
    1 + most.windows(2).take_while(|w| next(w)).count()
}

/// How many of the first pieces are small and close to each other.
fn near_by(pieces: &[Piece]) -> usize {
    let from = pieces[0].offset;
    let mut end = from;
    let small = |piece: &&Piece| {
        let near = piece.offset >= from
            && piece.offset <= end + GAP_MAX
            && piece.offset + piece.len as u64 <= from + SIEVE_MAX;
        end = end.max(piece.offset + piece.len as u64);
        near
    };
    pieces.iter().take_while(small).count()
}

/// Ready when the job is done.
pub(super) struct Finished(pub Arc<Job>);

impl Future for Finished {
    type Output = Moved;
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Moved> {
        match self.0.outcome.get() {
            Some(moved) => Poll::Ready(*moved),
            None => Poll::Pending,
        }
    }
}
