//! Copies from another process of the same user ("CMA", `process_vm_readv`): one copy, no help
//! from the other side. Called by `transport::shm` for large messages.
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
    fn a_bad_address_is_an_error() {
        let mut byte = 0u8;
        let local = [Piece { addr: &raw mut byte as usize, len: 1 }];
        // SAFETY: the local piece is our own variable.
        let result = unsafe { read(crate::process_id(), Piece { addr: 8, len: 1 }, &local) };
        assert_eq!(result.unwrap_err().raw_os_error(), Some(libc::EFAULT));
    }
}
