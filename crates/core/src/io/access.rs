//! Data access (MPI 5.0, section 14.4): what a call asks for, and how one process does it alone.
//! Collective access is in `collective.rs`. Called by `abi`.
//!
//! Each access is a future, like a collective: blocking calls run it to its end, non-blocking
//! ones leave it to progress. What touches the disk is a job; a blocking call runs it itself, a
//! non-blocking one has it run by a worker thread.

use super::amode;
use super::failure::Failure;
use super::job::{Direction, Finished, Job, Moved, Piece};
use super::stream::Stream;
use super::view::View;
use super::{pool, File};
use crate::buffer::Data;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// Where an access begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this offset, in etypes.
    At(i64),
    /// At the individual file pointer, which moves on.
    Individual,
    /// At the shared file pointer, which moves on.
    Shared,
    /// At the shared file pointer, the processes one after the other by rank.
    Ordered,
}

/// Who touches the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The calling thread, which waits anyway.
    Now,
    /// A worker thread.
    Later,
}

/// Pieces of one job: bounds the memory of lists, not the access.
const PIECES_NOW: usize = 1 << 16;
const PIECES_LATER: usize = 1 << 20;

/// Counts the accesses of a file that are on their way.
struct Pending(Rc<Cell<u32>>);

impl Pending {
    fn new(count: &Rc<Cell<u32>>) -> Pending {
        count.set(count.get() + 1);
        Pending(count.clone())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// One access, checked.
pub struct Access {
    pub(super) file: Rc<File>,
    pub(super) direction: Direction,
    pub(super) view: Rc<View>,
    pub(super) data: Data,
    pub(super) place: Place,
    /// First etype.
    pub(super) start: i64,
    /// Etypes that are asked for.
    pub(super) etypes: i64,
    _pending: Pending,
}

impl File {
    /// Checks an access and moves the file pointer on by what it asks for.
    pub fn access(
        self: &Rc<File>,
        direction: Direction,
        place: Place,
        data: Data,
    ) -> Result<Access> {
        self.allow(direction)?;
        let is_shared = matches!(place, Place::Shared | Place::Ordered);
        if !is_shared {
            self.refuse_sequential()?;
        }
        let view = self.view.borrow().clone();
        let bytes = view.representation.file_bytes(&data.ty, data.count)?;
        let etypes = whole_etypes(&view, bytes)?;
        let start = match place {
            Place::At(offset) if offset < 0 => {
                let text = format!("the offset is {offset}; it must not be negative");
                return Err(Error::new(Class::ARG, text));
            }
            Place::At(offset) => offset,
            Place::Individual => self.pointer.get(),
            Place::Shared | Place::Ordered => self.shared.pointer(),
        };
        check_end(&view, start, etypes)?;
        let start = match place {
            Place::Individual => self.pointer.replace(start + etypes),
            Place::Shared => self.shared.advance(etypes),
            Place::At(_) | Place::Ordered => start,
        };
        if direction == Direction::Write && bytes > 0 {
            self.shared.note_writing();
        }
        let (file, _pending) = (self.clone(), Pending::new(&self.pending));
        Ok(Access { file, direction, view, data, place, start, etypes, _pending })
    }

    fn allow(&self, direction: Direction) -> Result<()> {
        let (mode, class, what) = match direction {
            Direction::Read => (amode::WRONLY, Class::ACCESS, "write only (MPI_MODE_WRONLY)"),
            Direction::Write => (amode::RDONLY, Class::READ_ONLY, "read only (MPI_MODE_RDONLY)"),
        };
        match self.amode & mode == 0 {
            true => Ok(()),
            false => Err(Error::new(class, format!("\"{}\" was opened to {what}", self.name))),
        }
    }

    /// An error if the file was opened for sequential access.
    pub fn refuse_sequential(&self) -> Result<()> {
        match self.amode & amode::SEQUENTIAL == 0 {
            true => Ok(()),
            false => {
                let text = format!(
                    "\"{}\" was opened with MPI_MODE_SEQUENTIAL, where only the shared file \
                     pointer can be used",
                    self.name
                );
                Err(Error::new(Class::UNSUPPORTED_OPERATION, text))
            }
        }
    }
}

fn whole_etypes(view: &View, bytes: u64) -> Result<i64> {
    if bytes == 0 {
        return Ok(0);
    }
    if view.is_empty() {
        let text = "the filetype of the view has no data, so none can be accessed";
        return Err(Error::new(Class::TYPE, text));
    }
    if !bytes.is_multiple_of(view.unit) {
        let text = format!(
            "the access is {bytes} bytes long, which is no whole number of etypes of {} bytes",
            view.unit
        );
        return Err(Error::new(Class::TYPE, text));
    }
    Ok((bytes / view.unit) as i64)
}

fn check_end(view: &View, start: i64, etypes: i64) -> Result<()> {
    let end = start.checked_add(etypes).and_then(|end| end.checked_mul(view.unit as i64));
    match end {
        Some(end) => view.check_end(end as u64),
        None => {
            let text = format!("the access at offset {start} goes beyond 2^63 - 1 bytes");
            Err(Error::new(Class::ARG, text))
        }
    }
}

impl Access {
    /// The memory side.
    pub(super) fn stream(&self, rank: &'static Rank) -> Result<Stream> {
        Stream::new(rank, self.direction, &self.view.representation, self.data.clone())
    }

    /// The first byte, in the view's stream.
    pub(super) fn position(&self) -> u64 {
        self.start as u64 * self.view.unit
    }

    /// Moves all, without regard to other processes.
    pub(super) async fn move_all(&self, rank: &'static Rank, stream: &Stream, how: How) -> Moved {
        let atomic = self.file.atomic.get();
        let most = match how {
            _ if atomic => usize::MAX,
            How::Now => PIECES_NOW,
            How::Later => PIECES_LATER,
        };
        let mut total = Moved::default();
        while total.bytes < stream.bytes() {
            let (pieces, bytes) = stream.pieces(&self.view, self.position(), total.bytes, most);
            let mut job = Job::new(&self.file.descriptor, self.direction, pieces);
            job.lock = atomic.then(|| span(&job.pieces));
            let moved = run(rank, job, how).await;
            total.bytes += moved.bytes;
            total.failure = moved.failure;
            if moved.failure.is_some() || moved.bytes < bytes {
                break;
            }
        }
        total
    }

    /// The result: bytes for the status. Where the call waits, the individual file pointer ends
    /// behind what was moved, so that a reader at the end of the file stays there.
    pub(super) fn finish(
        &self,
        rank: &'static Rank,
        mut stream: Stream,
        moved: Moved,
        how: How,
    ) -> Result<u64> {
        if self.place == Place::Individual && how == How::Now {
            let etypes = moved.bytes.div_ceil(self.view.unit.max(1)) as i64;
            self.file.pointer.set(self.start + etypes);
        }
        if let Some(failure) = moved.failure {
            return Err(failure.error(&self.file.name));
        }
        match self.direction {
            Direction::Read => stream.arrived(rank, &self.view.representation, moved.bytes),
            Direction::Write => stream.sent(&self.view.representation, moved.bytes),
        }
    }
}

fn span(pieces: &[Piece]) -> (u64, u64) {
    let from = pieces.iter().map(|p| p.offset).min().unwrap_or(0);
    let to = pieces.iter().map(|p| p.offset + p.len as u64).max().unwrap_or(0);
    (from, to)
}

/// Runs a job here or by a worker.
pub(super) async fn run(rank: &'static Rank, mut job: Job, how: How) -> Moved {
    if how == How::Now {
        // Other threads of the rank may use MPI meanwhile.
        rank.lock.pause(|| job.run());
        return Finished(Arc::new(job)).await;
    }
    job.signal = Some(rank.signal());
    let job = Arc::new(job);
    pool::submit(job.clone());
    Finished(job).await
}

/// An access by this process alone. Returns the bytes for the status.
///
/// The caller of `File::access` promises that the buffer stays in place, and is used by nobody
/// else, until the future is ready (section 14.4.1).
pub async fn independent(rank: &'static Rank, access: Access, how: How) -> Result<u64> {
    let stream = access.stream(rank)?;
    let moved = access.move_all(rank, &stream, how).await;
    access.finish(rank, stream, moved, how)
}

impl From<Failure> for Moved {
    fn from(failure: Failure) -> Moved {
        Moved { bytes: 0, failure: Some(failure) }
    }
}
