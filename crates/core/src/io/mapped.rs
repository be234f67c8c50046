//! Writing many small pieces with small gaps: through a mapping of the file, where a piece costs a
//! copy and not a system call. Unlike sieving it changes no byte between the pieces, so whoever
//! writes those at the same time loses nothing. Called by `job.rs`, which writes piece by piece
//! where this cannot be done.
//!
//! Touching a mapped page without a block behind it would end the process (SIGBUS), so the space is
//! reserved and the pages are made present first; if that fails, nothing has been written yet. Only
//! file systems that keep this promise are used. What remains is another program that shortens the
//! file meanwhile.

use super::job::{Descriptor, Piece};
use std::os::fd::{AsRawFd, OwnedFd};

/// Pieces that are worth a mapping.
const PIECES_MIN: usize = 16;
/// Longer pieces on average are not.
const PIECE_MAX: u64 = 2048;
/// Bytes of the file that are mapped at once.
const WINDOW_MAX: u64 = 4 << 20;
/// Most bytes between two pieces: about a page is touched for each.
const GAP_MAX: u64 = 4096;

/// Whether a file of this file system can be written so.
pub(super) fn is_possible(fd: &OwnedFd) -> bool {
    // SAFETY: all zeros are a valid statfs.
    let mut facts: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, the structure is a local.
    if unsafe { libc::fstatfs(fd.as_raw_fd(), &mut facts) } != 0 {
        return false;
    }
    [libc::EXT4_SUPER_MAGIC, libc::XFS_SUPER_MAGIC, libc::TMPFS_MAGIC].contains(&facts.f_type)
}

/// How many of the first pieces are to be written so; 0 if it is not worth it.
pub(super) fn count(pieces: &[Piece]) -> usize {
    let from = pieces[0].offset;
    let (mut end, mut bytes) = (from, 0);
    let near = |piece: &&Piece| {
        let len = piece.len as u64;
        let fits = piece.offset >= end
            && piece.offset <= end + GAP_MAX
            && piece.offset + len <= from + WINDOW_MAX;
        if fits {
            end = piece.offset + len;
            bytes += len;
        }
        fits
    };
    let count = pieces.iter().take_while(near).count();
    let worth = count >= PIECES_MIN && bytes / count as u64 <= PIECE_MAX;
    if worth {
        count
    } else {
        0
    }
}

/// A mapping of a part of a file, unmapped when dropped.
struct Part {
    base: *mut libc::c_void,
    bytes: usize,
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: exactly what mmap returned.
        unsafe { libc::munmap(self.base, self.bytes) };
    }
}

/// Writes pieces that [`count`] chose; `None`, with nothing written, if it cannot be done so.
pub(super) fn write(file: &Descriptor, pieces: &[Piece]) -> Option<u64> {
    let fd = file.fd.as_raw_fd();
    let (first, last) = (pieces.first()?, pieces.last()?);
    let (from, to) = (first.offset, last.offset + last.len as u64);
    // SAFETY: plain system calls; the descriptor is open.
    let page = unsafe {
        if libc::fallocate(fd, 0, from as i64, (to - from) as i64) != 0 {
            return None;
        }
        libc::sysconf(libc::_SC_PAGESIZE) as u64
    };
    let start = from / page * page;
    let bytes = (to - start) as usize;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let none = std::ptr::null_mut();
    // SAFETY: a fresh mapping at an address that the system chooses.
    let base = unsafe { libc::mmap(none, bytes, access, libc::MAP_SHARED, fd, start as i64) };
    if base == libc::MAP_FAILED {
        return None;
    }
    let part = Part { base, bytes };
    // SAFETY: the range is the mapping.
    if unsafe { libc::madvise(part.base, bytes, libc::MADV_POPULATE_WRITE) } != 0 {
        return None;
    }
    let mut moved = 0;
    for piece in pieces {
        // SAFETY: the piece lies between `start` and `to`; its memory is what the maker of the
        // job promised, and is not the mapping, which nobody else knows.
        unsafe {
            let place = part.base.cast::<u8>().add((piece.offset - start) as usize);
            std::ptr::copy_nonoverlapping(piece.addr as *const u8, place, piece.len);
        }
        moved += piece.len as u64;
    }
    Some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_many_small_pieces_near_each_other_are_chosen() {
        let every = |stride: u64, len: usize, n: u64| -> Vec<Piece> {
            (0..n).map(|i| Piece { offset: 100 + i * stride, addr: 0, len }).collect()
        };
        assert_eq!(count(&every(16, 8, 100)), 100);
        assert_eq!(count(&every(16, 8, 10)), 0);
        assert_eq!(count(&every(100_000, 8, 100)), 0);
        assert_eq!(count(&every(6000, 5000, 100)), 0);
        assert_eq!(count(&every(4096, 8, 4096)), 1024);
        let mut back = every(16, 8, 100);
        back[50].offset = 0;
        assert_eq!(count(&back), 50);
    }
}
