//! The ways to a target's memory, and the checks of what lies there. Asked by every operation.
//!
//! States of the kernel's copies, per target: untried -> allowed | denied; decided by the first
//! operation, which reads one word of the target; a later refusal turns allowed into denied.

use super::{Flavor, Win};
use crate::buffer::Data;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use starling_sys::cross_memory::{self, Direction, Piece};
use std::io;

/// Whether the kernel copies between this process and another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Untried,
    Allowed,
    Denied,
}

/// What is known before the first operation.
pub(super) fn first_access() -> Access {
    match starling_settings::tunables().cma {
        true => Access::Untried,
        false => Access::Denied,
    }
}

/// The way to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Its memory is ours too.
    Direct,
    /// The kernel copies, from and to this process.
    Kernel(u32),
    /// It has to do it itself.
    Message,
}

/// Blocks that are handed to the kernel at once.
const BLOCKS_MAX: usize = 1024;

impl Win {
    /// Whether `target` lives in this process: then it is reached like the process itself.
    pub(super) fn is_here(&self, rank: &Rank, target: u32) -> bool {
        // Messages to oneself stay in the process; so do others that go the same way.
        let ways = [target, self.me()].map(|r| rank.route(self.world(r)));
        target == self.me() || std::ptr::addr_eq(ways[0], ways[1])
    }

    /// The best way to `target`.
    pub(super) fn way(&self, rank: &Rank, target: u32) -> Way {
        if self.is_mapped() || self.is_here(rank, target) {
            return Way::Direct;
        }
        let process = self.places[target as usize].process;
        let mut access = self.access.borrow()[target as usize];
        if access == Access::Untried {
            access = self.probe(target);
            self.access.borrow_mut()[target as usize] = access;
        }
        match access {
            Access::Allowed => Way::Kernel(process),
            _ => Way::Message,
        }
    }

    /// Reads a word of the target: proves that the kernel allows it and that the process id means
    /// the same process here (it does not across PID namespaces).
    fn probe(&self, target: u32) -> Access {
        let place = &self.places[target as usize];
        let mut word = 0u64;
        let local = [Piece { addr: &raw mut word as usize, len: 8 }];
        let remote = Piece { addr: place.probe, len: 8 };
        // SAFETY: `word` is ours and eight bytes long.
        let read = unsafe { cross_memory::read(place.process, remote, &local) };
        // SAFETY: a plain read of our own variable, which the kernel may have written.
        let word = unsafe { (&raw const word).read_volatile() };
        match read.is_ok() && word == super::create::probe_word(self.comm.context, target) {
            true => Access::Allowed,
            false => Access::Denied,
        }
    }

    /// The kernel refuses from now on.
    pub(super) fn deny(&self, target: u32) {
        self.access.borrow_mut()[target as usize] = Access::Denied;
    }

    /// The target's buffer of an operation, with an address that its owner understands. Refuses
    /// what does not lie in the window.
    pub fn target(&self, rank: u32, disp: i64, data: Data) -> Result<Data> {
        let place = &self.places[rank as usize];
        if self.flavor == Flavor::Dynamic {
            let addr = disp as usize as *mut u8;
            let data = Data { addr, ..data };
            return self.check_attached(rank, &data).map(|()| data);
        }
        if disp < 0 {
            let text = format!("the displacement is {disp}; it must not be negative");
            return Err(Error::new(Class::DISP, text));
        }
        let offset = disp.checked_mul(place.disp_unit);
        let (first, end) = span(&data);
        let begin = offset.and_then(|o| o.checked_add(first));
        let last = offset.and_then(|o| o.checked_add(end));
        match (begin, last) {
            _ if data.bytes() == 0 => {}
            (Some(begin), Some(last)) if begin >= 0 && last <= place.size => {}
            _ => return Err(self.out_of_range(rank, disp, first, end)),
        }
        let addr = place.base.wrapping_add(offset.unwrap_or(0) as usize) as *mut u8;
        Ok(Data { addr, ..data })
    }

    #[cold]
    fn out_of_range(&self, rank: u32, disp: i64, first: i64, end: i64) -> Error {
        let (size, unit) = (self.size(rank), self.disp_unit(rank));
        let text = format!(
            "the operation needs the bytes {first} to {end} from displacement {disp} (of {unit} \
             bytes each) on, but rank {rank} shows {size} bytes in {}",
            self.title()
        );
        Error::new(Class::RMA_RANGE, text)
    }

    fn check_attached(&self, rank: u32, data: &Data) -> Result<()> {
        if data.bytes() == 0 {
            return Ok(());
        }
        let (first, end) = span(data);
        let begin = (data.addr as usize).wrapping_add(first as usize) as u64;
        let last = (data.addr as usize).wrapping_add(end as usize) as u64;
        match begin < last && self.control.attached(rank, begin, last) {
            // A span that is not attached as a whole may be all holes between attached parts.
            false if data.ty.is_contiguous() || !self.blocks_attached(rank, data) => {
                let text = format!(
                    "rank {rank} has not attached the memory from {begin:#x} to {last:#x}; call \
                     MPI_Win_attach there first, and use addresses of MPI_Get_address"
                );
                Err(Error::new(Class::RMA_RANGE, text))
            }
            _ => Ok(()),
        }
    }

    fn blocks_attached(&self, rank: u32, data: &Data) -> bool {
        let mut blocks = Blocks::new(data);
        while blocks.skip < data.bytes() {
            let list = blocks.peek(u64::MAX, BLOCKS_MAX);
            let inside = |piece: &Piece| {
                let start = piece.addr as u64;
                self.control.attached(rank, start, start.wrapping_add(piece.len as u64))
            };
            if !list.iter().all(inside) {
                return false;
            }
            blocks.skip += bytes_of(&list);
        }
        true
    }

    /// Copies between a buffer of this process and one of `target`, whose process is `process`,
    /// as many bytes as both hold. `Ok(false)` if the kernel does not allow that any more.
    ///
    /// # Safety
    /// The user's buffers may be used so (the contract of the operation).
    pub(super) unsafe fn kernel_copy(
        &self,
        direction: Direction,
        (process, target): (u32, u32),
        local: &Data,
        remote: &Data,
    ) -> Result<bool> {
        let (mut ours, mut theirs) = (Blocks::new(local), Blocks::new(remote));
        let mut left = local.bytes().min(remote.bytes());
        while left > 0 {
            let (mut here, mut there) =
                (ours.peek(left, BLOCKS_MAX), theirs.peek(left, BLOCKS_MAX));
            let bytes = bytes_of(&here).min(bytes_of(&there));
            cut(&mut here, bytes);
            cut(&mut there, bytes);
            // SAFETY: the caller vouches for the local buffer; the kernel checks the other.
            match unsafe { cross_memory::copy(direction, process, &there, &here) } {
                Ok(()) => {}
                Err(error) if error.raw_os_error() == Some(libc::EFAULT) => {
                    return Err(not_accessible(target, remote));
                }
                Err(error) if is_refusal(&error) => {
                    self.deny(target);
                    return Ok(false);
                }
                Err(error) => {
                    let text = format!("cannot copy from or to rank {target}: {error}");
                    return Err(Error::new(Class::OTHER, text));
                }
            }
            (ours.skip, theirs.skip) = (ours.skip + bytes, theirs.skip + bytes);
            left -= bytes;
        }
        Ok(true)
    }
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS | libc::ESRCH | libc::EACCES))
}

#[cold]
fn not_accessible(target: u32, data: &Data) -> Error {
    let text = format!(
        "a part of the memory at {:p} of rank {target} (or of the origin's buffer) is not mapped",
        data.addr
    );
    Error::new(Class::RMA_RANGE, text)
}

/// First byte of the elements and the one behind the last, from the address on.
pub(super) fn span(data: &Data) -> (i64, i64) {
    let last = (data.count - 1).max(0).saturating_mul(data.ty.extent());
    let (low, high) = (last.min(0), last.max(0));
    let first = data.ty.true_lb();
    let end = first.saturating_add(data.ty.true_extent());
    (low.saturating_add(first), high.saturating_add(end))
}

/// The blocks of memory of a buffer, a number of them at a time.
pub(super) struct Blocks<'a> {
    data: &'a Data,
    /// Packed bytes that are done.
    pub skip: u64,
}

impl<'a> Blocks<'a> {
    pub fn new(data: &'a Data) -> Blocks<'a> {
        Blocks { data, skip: 0 }
    }

    /// Those that come next: no more than `most`, of no more than `bytes` in all. The caller adds
    /// what it has used of them to `skip`.
    pub fn peek(&self, bytes: u64, most: usize) -> Vec<Piece> {
        let mut list = Vec::new();
        let (data, base) = (self.data, self.data.addr as usize);
        starling_datatype::blocks(base, data.count, &data.ty, self.skip, bytes, most, &mut list);
        list.iter().map(|block| Piece { addr: block.addr, len: block.len }).collect()
    }
}

/// Bytes of all pieces.
pub(super) fn bytes_of(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.len as u64).sum()
}

/// Keeps the first `bytes` bytes.
pub(super) fn cut(pieces: &mut Vec<Piece>, bytes: u64) {
    let mut left = bytes as usize;
    for piece in pieces.iter_mut() {
        piece.len = piece.len.min(left);
        left -= piece.len;
    }
    pieces.retain(|piece| piece.len > 0);
}
