//! Copies from and to another process of the same user ("CMA", `process_vm_readv` and `_writev`):
//! one copy, no help from the other side. Called by `transport::shm` for large messages and by
//! `core::rma` for windows in memory of the user.
//!
//! The kernel may deny it (Yama's ptrace_scope, seccomp in containers, user namespaces); every
//! error is returned so that the caller can fall back to copying through the ring.

use std::io;

/// A piece of memory: address and length in bytes, ours or the other process's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Piece {
    /// Address of the first byte.
    pub addr: usize,
    /// Length in bytes.
    pub len: usize,
}

const _: () = assert!(size_of::<Piece>() == size_of::<libc::iovec>());

/// Most pieces that one system call takes (IOV_MAX of Linux).
const PIECES_MAX: usize = 1024;

/// Reads `remote` of process `pid` into the pieces of `local`, in order, until `local` is full.
///
/// # Safety
/// Every piece of `local` must be writable memory of this process that nobody else uses.
pub unsafe fn read(pid: u32, remote: Piece, local: &[Piece]) -> io::Result<()> {
    let mut from = remote;
    for batch in local.chunks(PIECES_MAX) {
        let mut pieces = batch.to_vec();
        let mut first = 0;
        while first < pieces.len() {
            let want: usize = pieces[first..].iter().map(|p| p.len).sum();
            if want == 0 {
                break;
            }
            let source = Piece { addr: from.addr, len: want.min(from.len) };
            // SAFETY: `pieces` are writable (caller); the kernel checks the remote side.
            let done = unsafe {
                libc::process_vm_readv(
                    pid as libc::pid_t,
                    pieces[first..].as_ptr().cast(),
                    (pieces.len() - first) as libc::c_ulong,
                    (&raw const source).cast(),
                    1,
                    0,
                )
            };
            if done < 0 {
                return Err(io::Error::last_os_error());
            }
            if done == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            from = Piece { addr: from.addr + done as usize, len: from.len - done as usize };
            first = advance(&mut pieces, first, done as usize);
        }
    }
    Ok(())
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Out of the other process.
    Read,
    /// Into the other process.
    Write,
}

/// Copies between the pieces of `remote`, in process `pid`, and those of `local`, in order. Both
/// have the same number of bytes. After an error some of them may have been copied.
///
/// # Safety
/// Every piece of `local` must be readable memory of this process, for [`Direction::Read`] memory
/// that nobody else uses; `remote` must be memory whose owner expects the copy.
pub unsafe fn copy(
    direction: Direction,
    pid: u32,
    remote: &[Piece],
    local: &[Piece],
) -> io::Result<()> {
    let (mut remote, mut local) = (remote.to_vec(), local.to_vec());
    let (mut there, mut here) = (0, 0);
    let mut left: usize = local.iter().map(|p| p.len).sum();
    while left > 0 {
        let theirs = &remote[there..remote.len().min(there + PIECES_MAX)];
        let ours = &local[here..local.len().min(here + PIECES_MAX)];
        let call = match direction {
            Direction::Read => libc::process_vm_readv,
            Direction::Write => libc::process_vm_writev,
        };
        // SAFETY: the caller vouches for `local`; the kernel checks both sides.
        let done = unsafe {
            call(
                pid as libc::pid_t,
                ours.as_ptr().cast(),
                ours.len() as libc::c_ulong,
                theirs.as_ptr().cast(),
                theirs.len() as libc::c_ulong,
                0,
            )
        };
        if done < 0 {
            return Err(io::Error::last_os_error());
        }
        if done == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        left = left.saturating_sub(done as usize);
        there = advance(&mut remote, there, done as usize);
        here = advance(&mut local, here, done as usize);
    }
    Ok(())
}

/// Drops `done` bytes from the front of `pieces[first..]`; returns the new first index.
fn advance(pieces: &mut [Piece], mut first: usize, mut done: usize) -> usize {
    while first < pieces.len() && done >= pieces[first].len {
        done -= pieces[first].len;
        first += 1;
    }
    if done > 0 {
        pieces[first].addr += done;
        pieces[first].len -= done;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_into_scattered_pieces_of_itself() {
        let from: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
        let mut into = vec![0u8; 200_000];
        let base = into.as_mut_ptr() as usize;
        // 3000 pieces of 30 bytes, each 60 bytes apart: more than one system call takes.
        let local: Vec<Piece> = (0..3000).map(|i| Piece { addr: base + 60 * i, len: 30 }).collect();
        let remote = Piece { addr: from.as_ptr() as usize, len: 90_000 };
        // SAFETY: all pieces lie inside `into`, which nobody else touches.
        unsafe { read(crate::process_id(), remote, &local).unwrap() };
        for i in 0..3000 {
            assert_eq!(into[60 * i..60 * i + 30], from[30 * i..30 * i + 30]);
            assert_eq!(into[60 * i + 30], 0);
        }
    }

    #[test]
    fn pieces_are_copied_both_ways_whatever_their_shape() {
        let mut there: Vec<u8> = (0..90_000u32).map(|i| (i * 7) as u8).collect();
        let mut here = vec![0u8; 90_000];
        let piece = |base: usize, i: usize, len: usize| Piece { addr: base + i * len, len };
        let (a, b) = (there.as_mut_ptr() as usize, here.as_mut_ptr() as usize);
        // More pieces than one call takes on both sides, which end at different places.
        let remote: Vec<Piece> = (0..3000).map(|i| piece(a, i, 30)).collect();
        let local: Vec<Piece> = (0..2000).map(|i| piece(b, i, 45)).collect();
        // SAFETY: all pieces lie inside the two vectors, which nobody else touches.
        unsafe { copy(Direction::Read, crate::process_id(), &remote, &local).unwrap() };
        assert_eq!(there, here);
        let back: Vec<Piece> = remote.iter().rev().copied().collect();
        // SAFETY: as above.
        unsafe { copy(Direction::Write, crate::process_id(), &back, &local).unwrap() };
        assert_eq!(there[89_970..], here[..30]);
        assert_eq!(there[..30], here[89_970..]);
    }

    #[test]
    fn a_bad_address_is_an_error() {
        let mut byte = 0u8;
        let local = [Piece { addr: &raw mut byte as usize, len: 1 }];
        // SAFETY: the local piece is our own variable.
        let result = unsafe { read(crate::process_id(), Piece { addr: 8, len: 1 }, &local) };
        assert_eq!(result.unwrap_err().raw_os_error(), Some(libc::EFAULT));
    }
}
