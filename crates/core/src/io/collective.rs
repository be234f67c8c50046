//! Collective data access (MPI 5.0, section 14.4.5): the processes first tell each other what
//! they access. If that is many small pieces that lie between each other, they go through
//! aggregators (`two_phase.rs`), else each process accesses the file alone.
//!
//! In atomic mode each access locks its whole range, so nobody may do a part of another's.

use super::access::{independent, Access, How};
use super::agree;
use super::failure::Failure;
use super::hints::{Buffering, Hints};
use super::job::{Direction, Moved};
use super::stream::Stream;
use super::two_phase::{self, Domains, Extent};
use super::File;
use crate::coll::Coll;
use crate::error::Result;
use std::rc::Rc;

/// What a process tells the others: its first byte in the file, the byte behind its last, bytes,
/// pieces.
pub(super) type Summary = [u64; 4];

/// Pieces at least so large are not worth an exchange.
const PIECE_LARGE: u64 = 64 << 10;

/// A collective access; a process whose arguments are wrong takes part with no data, so that the
/// others do not wait for it. Returns the bytes for the status.
pub async fn collective(
    c: Coll,
    file: Rc<File>,
    direction: Direction,
    access: Result<Access>,
    how: How,
) -> Result<u64> {
    if c.size() == 1 {
        return independent(c.rank, access?, how).await;
    }
    let rank = c.rank;
    let prepared = access.and_then(|access| Ok((access.stream(rank)?, access)));
    let extents = match &prepared {
        Ok((stream, access)) => extents(access, stream),
        Err(_) => Vec::new(),
    };
    let all = agree::everybody(&c, summary(&extents)).await?;
    let Some(domains) = choose(&file, direction, &all) else {
        let (stream, access) = prepared?;
        let moved = access.move_all(rank, &stream, how).await;
        return access.finish(rank, stream, moved, how);
    };
    let nothing = Stream::empty();
    let stream = prepared.as_ref().map_or(&nothing, |(stream, _)| stream);
    let moved = match two_phase::run(&c, (&file, direction), stream, how, &domains, extents).await {
        Ok(moved) => share_failure(&c, moved, direction).await?,
        Err(error) => return Err(error),
    };
    let (stream, access) = prepared?;
    access.finish(rank, stream, moved, how)
}

/// An access at the shared file pointer by all processes in the order of their ranks.
pub async fn ordered(c: Coll, file: Rc<File>, access: Result<Access>, how: How) -> Result<u64> {
    let mine = access.as_ref().map_or(0, |access| access.etypes);
    let all = agree::everybody(&c, [mine as u64]).await?;
    let mut first = [0];
    if c.me() == 0 {
        first[0] = file.shared.advance(all.iter().map(|[n]| *n as i64).sum()) as u64;
    }
    let [first] = agree::from_first(&c, first).await?;
    let before: i64 = all[..c.me() as usize].iter().map(|[n]| *n as i64).sum();
    let mut access = access?;
    access.start = first as i64 + before;
    independent(c.rank, access, how).await
}

/// What this process accesses. Nothing lies behind the end of a file that is read.
fn extents(access: &Access, stream: &Stream) -> Vec<Extent> {
    let mut extents = Vec::new();
    let mut places = Vec::new();
    access.view.places(access.position(), stream.bytes(), usize::MAX, &mut places);
    let mut at = 0;
    for place in places {
        extents.push(Extent { offset: place.addr as u64, len: place.len as u64, stream: at });
        at += place.len as u64;
    }
    if access.direction == Direction::Read {
        if let Some(size) = access.file.regular_size() {
            clip(&mut extents, size);
        }
    }
    extents
}

fn summary(extents: &[Extent]) -> Summary {
    let bytes: u64 = extents.iter().map(|e| e.len).sum();
    let low = extents.first().map_or(0, |e| e.offset);
    let high = extents.iter().map(|e| e.offset + e.len).max().unwrap_or(0);
    [low, high, bytes, extents.len() as u64]
}

/// Cuts at the end of the file: what lies behind the first byte that is not there does not count.
fn clip(extents: &mut Vec<Extent>, size: u64) {
    let beyond = extents.iter().position(|e| e.offset + e.len > size);
    if let Some(cut) = beyond {
        extents[cut].len = size.saturating_sub(extents[cut].offset);
        let keep = cut + (extents[cut].len > 0) as usize;
        extents.truncate(keep);
    }
}

/// Who does what part of the file, if it is worth the exchange. All processes decide alike.
fn choose(file: &File, direction: Direction, all: &[Summary]) -> Option<Domains> {
    let hints: &Hints = &file.hints.borrow();
    let buffering = match direction {
        Direction::Read => hints.cb_read,
        Direction::Write => hints.cb_write,
    };
    let bytes: u64 = all.iter().map(|s| s[2]).sum();
    let pieces: u64 = all.iter().map(|s| s[3]).sum();
    if bytes == 0 || file.atomic.get() || !file.is_regular {
        return None;
    }
    let wanted = match buffering {
        Buffering::Enable => true,
        Buffering::Disable => false,
        Buffering::Automatic => bytes / pieces < PIECE_LARGE && are_interleaved(all),
    };
    wanted.then(|| Domains::new(all, hints))
}

fn are_interleaved(all: &[Summary]) -> bool {
    let mut ranges: Vec<(u64, u64)> =
        all.iter().filter(|s| s[2] > 0).map(|s| (s[0], s[1])).collect();
    ranges.sort_unstable();
    ranges.windows(2).any(|w| w[1].0 < w[0].1)
}

/// After an exchange nobody knows whose bytes a failing aggregator had: all fail.
async fn share_failure(c: &Coll, moved: Moved, direction: Direction) -> Result<Moved> {
    let mine = moved.failure.map_or([0, 0], |f| [f.errno as u64, f.offset.unwrap_or(0)]);
    let all = agree::everybody(c, mine).await?;
    let Some([errno, offset]) = all.into_iter().find(|[errno, _]| *errno != 0) else {
        return Ok(moved);
    };
    let call = if direction == Direction::Read { "preadv" } else { "pwritev" };
    let (errno, offset) = (errno as i32, Some(offset));
    Ok(Failure { call, errno, offset }.into())
}
