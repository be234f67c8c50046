//! Pack, unpack, typed copy and the list of memory blocks.
//!
//! Called by `core` for every message that is not contiguous. Each call works on a range of the
//! packed bytes, so that a message can be cut anywhere and resumed.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::strided::{self, Direction, Gather, Scatter};
use crate::walk::{walk, Visit};
use crate::Datatype;

/// Bytes of the buffer through which [`copy`] goes when both layouts have holes; fits in the
/// first-level cache together with what is read and written.
const STAGE_BYTES: usize = 16 << 10;

/// One block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Address of its first byte.
    pub addr: usize,
    /// Bytes.
    pub len: usize,
}

/// Moves what it visits to or from a dense buffer.
struct Mover<D> {
    dense: *mut u8,
    direction: PhantomData<D>,
}

impl<D: Direction> Mover<D> {
    fn new(dense: *mut u8) -> Self {
        Mover { dense, direction: PhantomData }
    }
}

// SAFETY (for all blocks below): `pack` and `unpack` create a Mover only with a dense buffer that
// is as long as the range that is walked, and their callers promise that the described memory is
// valid and does not overlap it. The walk visits each packed byte of the range once, in order.
impl<D: Direction> Visit for Mover<D> {
    #[inline]
    fn block(&mut self, addr: usize, len: usize) -> bool {
        // SAFETY: see above.
        unsafe { strided::any::<D>(self.dense, addr as *mut u8, len) };
        self.dense = self.dense.wrapping_add(len);
        true
    }

    #[inline]
    fn strided(&mut self, addr: usize, len: usize, stride: isize, count: usize) -> bool {
        // SAFETY: see above.
        unsafe { strided::strided::<D>(self.dense, addr as *mut u8, len, stride, count) };
        self.dense = self.dense.wrapping_add(len * count);
        true
    }

    #[inline]
    fn indexed(&mut self, addr: usize, len: usize, displs: &[i64]) -> bool {
        // SAFETY: see above.
        unsafe { strided::indexed::<D>(self.dense, addr as *mut u8, len, displs) };
        self.dense = self.dense.wrapping_add(len * displs.len());
        true
    }

    #[inline]
    fn ragged(&mut self, addr: usize, displs: &[i64], ends: &[u64], start: u64) -> bool {
        // SAFETY: see above.
        unsafe { strided::ragged::<D>(self.dense, addr as *mut u8, displs, ends, start) };
        let end = ends.last().copied().unwrap_or(start);
        self.dense = self.dense.wrapping_add((end - start) as usize);
        true
    }
}

/// Packs `count` elements from `base` (the buffer argument as MPI sees it), starting `skip` packed
/// bytes in, into `dst`. Returns the bytes written: all of `dst`, or what was left of the data.
///
/// # Safety
/// The memory that `count` elements at `base` describe is valid for reads and does not overlap
/// `dst`.
#[inline]
pub unsafe fn pack(base: *const u8, count: i64, ty: &Datatype, skip: u64, dst: &mut [u8]) -> usize {
    // SAFETY: a slice is valid for writes of its length; the rest is the caller's promise.
    unsafe { pack_raw(base, count, ty, skip, dst.as_mut_ptr(), dst.len()) }
}

/// # Safety
/// As for [`pack`], with `len` bytes at `dst` that may be uninitialised.
unsafe fn pack_raw(
    base: *const u8,
    count: i64,
    ty: &Datatype,
    skip: u64,
    dst: *mut u8,
    len: usize,
) -> usize {
    let mut mover = Mover::<Gather>::new(dst);
    walk(ty, base as usize, count, skip, len as u64, &mut mover) as usize
}

/// Unpacks `src` into `count` elements at `base`, starting `skip` packed bytes in. Returns the
/// bytes read: all of `src`, or what still fitted.
///
/// # Safety
/// The memory that `count` elements at `base` describe is valid for writes and does not overlap
/// `src`.
#[inline]
pub unsafe fn unpack(src: &[u8], base: *mut u8, count: i64, ty: &Datatype, skip: u64) -> usize {
    // The Scatter direction only reads through the dense pointer.
    let mut mover = Mover::<Scatter>::new(src.as_ptr().cast_mut());
    walk(ty, base as usize, count, skip, src.len() as u64, &mut mover) as usize
}

/// Collects blocks, merging neighbours.
struct Lister<'a> {
    out: &'a mut Vec<Block>,
    /// Where this call's blocks begin, and how long the vector may become.
    first: usize,
    last: usize,
    covered: u64,
}

impl Visit for Lister<'_> {
    #[inline]
    fn block(&mut self, addr: usize, len: usize) -> bool {
        let before = self.out[self.first..].last_mut();
        if let Some(before) = before.filter(|b| b.addr.wrapping_add(b.len) == addr) {
            before.len += len;
        } else if self.out.len() < self.last {
            self.out.push(Block { addr, len });
        } else {
            return false;
        }
        self.covered += len as u64;
        true
    }

    fn strided(&mut self, addr: usize, len: usize, stride: isize, count: usize) -> bool {
        let mut addr = addr;
        for _ in 0..count {
            if !self.block(addr, len) {
                return false;
            }
            addr = addr.wrapping_add_signed(stride);
        }
        true
    }

    fn indexed(&mut self, addr: usize, len: usize, displs: &[i64]) -> bool {
        displs.iter().all(|displ| self.block(addr.wrapping_add_signed(*displ as isize), len))
    }

    fn ragged(&mut self, addr: usize, displs: &[i64], ends: &[u64], start: u64) -> bool {
        let mut start = start;
        displs.iter().zip(ends).all(|(displ, end)| {
            let len = (end - start) as usize;
            start = *end;
            self.block(addr.wrapping_add_signed(*displ as isize), len)
        })
    }
}

/// Appends to `out` the memory blocks of the packed bytes `skip .. skip + max_bytes`, in packing
/// order and merged where adjacent, at most `max_blocks` of them. Returns the packed bytes that
/// they cover. Only computes addresses; touches no memory.
pub fn blocks(
    base: usize,
    count: i64,
    ty: &Datatype,
    skip: u64,
    max_bytes: u64,
    max_blocks: usize,
    out: &mut Vec<Block>,
) -> u64 {
    let first = out.len();
    let last = first.saturating_add(max_blocks);
    let mut lister = Lister { out, first, last, covered: 0 };
    walk(ty, base, count, skip, max_bytes, &mut lister);
    lister.covered
}

/// Copies what it visits to the same place in another buffer.
struct Mirror {
    /// Added to an address in the source, gives the one in the target.
    offset: usize,
}

impl Visit for Mirror {
    #[inline]
    fn block(&mut self, addr: usize, len: usize) -> bool {
        let target = addr.wrapping_add(self.offset) as *mut u8;
        // SAFETY: `copy` walks the source's type map, which the target shares; its caller
        // promises that both are valid and do not overlap.
        unsafe { strided::any::<Gather>(target, addr as *mut u8, len) };
        true
    }

    fn strided(&mut self, addr: usize, len: usize, stride: isize, count: usize) -> bool {
        let mut addr = addr;
        for _ in 0..count {
            self.block(addr, len);
            addr = addr.wrapping_add_signed(stride);
        }
        true
    }

    fn indexed(&mut self, addr: usize, len: usize, displs: &[i64]) -> bool {
        displs.iter().all(|displ| self.block(addr.wrapping_add_signed(*displ as isize), len))
    }

    fn ragged(&mut self, addr: usize, displs: &[i64], ends: &[u64], start: u64) -> bool {
        let mut start = start;
        displs.iter().zip(ends).all(|(displ, end)| {
            let len = (end - start) as usize;
            start = *end;
            self.block(addr.wrapping_add_signed(*displ as isize), len)
        })
    }
}

/// Copies the data of `scount` elements at `src` into `dcount` elements at `dst`, in packing order,
/// as far as both reach. Returns the bytes copied.
///
/// # Safety
/// The memory that the source describes is valid for reads, what the target describes for writes,
/// and the two do not overlap.
pub unsafe fn copy(
    src: *const u8,
    scount: i64,
    sty: &Datatype,
    dst: *mut u8,
    dcount: i64,
    dty: &Datatype,
) -> u64 {
    let total = |count: i64, ty: &Datatype| ty.plan.size.saturating_mul(count.max(0) as u64);
    let bytes = total(scount, sty).min(total(dcount, dty));
    if bytes == 0 {
        return 0;
    }
    if dty.contiguous {
        let target = dst.wrapping_offset(dty.origin as isize);
        // SAFETY: a contiguous target is one block of `bytes` at least; the caller promises it.
        unsafe { pack_raw(src, scount, sty, 0, target, bytes as usize) };
    } else if sty.contiguous {
        let source = src.wrapping_offset(sty.origin as isize);
        let mut mover = Mover::<Scatter>::new(source.cast_mut());
        walk(dty, dst as usize, dcount, 0, bytes, &mut mover);
    } else if sty.extent() == dty.extent() && sty.plan.same(&dty.plan) {
        let to = (dst as usize).wrapping_add(dty.origin as usize);
        let from = (src as usize).wrapping_add(sty.origin as usize);
        let mut mirror = Mirror { offset: to.wrapping_sub(from) };
        walk(sty, src as usize, scount, 0, bytes, &mut mirror);
    } else {
        // SAFETY: the caller's promise is passed on.
        unsafe { copy_staged(src, scount, sty, dst, dcount, dty, bytes) };
    }
    bytes
}

/// # Safety
/// As for [`copy`]; both sides hold at least `bytes`.
unsafe fn copy_staged(
    src: *const u8,
    scount: i64,
    sty: &Datatype,
    dst: *mut u8,
    dcount: i64,
    dty: &Datatype,
    bytes: u64,
) {
    let mut stage = MaybeUninit::<[u8; STAGE_BYTES]>::uninit();
    let buffer = stage.as_mut_ptr().cast::<u8>();
    let mut done = 0;
    while done < bytes {
        let piece = (bytes - done).min(STAGE_BYTES as u64);
        // SAFETY: the piece fits in the buffer, which overlaps no user memory.
        unsafe { pack_raw(src, scount, sty, done, buffer, piece as usize) };
        let mut mover = Mover::<Scatter>::new(buffer);
        walk(dty, dst as usize, dcount, done, piece, &mut mover);
        done += piece;
    }
}
