//! Accumulate, get-accumulate, fetch-and-op, compare-and-swap (MPI 5.0, sections 12.3.4 and
//! 12.3.5). Which way makes them atomic is explained in `mod.rs`.

use super::bulk::BULK_BYTES;
use super::element::Element;
use super::reach::{bytes_of, Blocks, Way};
use super::transfer::fits;
use super::{atomic, Win};
use crate::buffer::{Data, Scratch};
use crate::error::Result;
use crate::rank::Rank;
use starling_op::Op;
use starling_sys::cross_memory::Direction;

/// Blocks of the target's buffer that are looked at at once.
const BLOCKS_MAX: usize = 1024;

/// One accumulate, decoded.
pub struct Accumulate<'a> {
    /// The elements and the operation.
    pub element: &'a Element,
    /// The operands; not used with `MPI_NO_OP`.
    pub origin: Option<&'a Data>,
    /// Where the old values go, if they are wanted.
    pub result: Option<&'a Data>,
    /// The target's buffer, which `Win::target` has checked.
    pub there: &'a Data,
}

/// The elements of a buffer, one after the other: the buffer itself, or a copy of it.
struct Dense {
    addr: *mut u8,
    copy: Option<Scratch>,
}

impl Dense {
    /// For `count` elements; `load` says whether what the buffer holds is needed.
    ///
    /// # Safety
    /// The buffer is readable if `load` is set.
    unsafe fn new(element: &Element, data: &Data, count: i64, load: bool) -> Dense {
        if element.is_dense() && data.ty.is_contiguous() {
            let addr = data.addr.wrapping_offset(data.ty.true_lb() as isize);
            return Dense { addr, copy: None };
        }
        let scratch = Scratch::new(count, &element.ty);
        if load {
            // SAFETY: the caller's contract; the copy is our own memory.
            unsafe { copy(data, &scratch.data) };
        }
        Dense { addr: scratch.data.addr, copy: Some(scratch) }
    }

    /// Puts the elements where they belong.
    ///
    /// # Safety
    /// The buffer is writable.
    unsafe fn store(&self, data: &Data) {
        if let Some(scratch) = &self.copy {
            // SAFETY: the caller's contract.
            unsafe { copy(&scratch.data, data) };
        }
    }
}

/// # Safety
/// The buffers are readable and writable, and do not overlap.
unsafe fn copy(from: &Data, into: &Data) {
    let (src, dst) = (from.addr, into.addr);
    // SAFETY: the caller's contract.
    unsafe { starling_datatype::copy(src, from.count, &from.ty, dst, into.count, &into.ty) };
}

/// The operands and results of an accumulate in one piece each, in the elements' own layout.
pub(super) struct Operands<'a> {
    pub element: &'a Element,
    pub count: u64,
    /// Null with `MPI_NO_OP`.
    pub input: *const u8,
    /// Null if nobody wants the old values.
    pub old: *mut u8,
}

impl Operands<'_> {
    /// Whether atomic operations of the processor are the way to change elements of `there`.
    fn is_short_and_aligned(&self, there: &Data) -> bool {
        let unit = self.element.unit;
        let bytes = self.count * unit as u64;
        if there.ty.is_contiguous() {
            let first = (there.addr as usize).wrapping_add(there.ty.true_lb() as usize);
            return bytes < BULK_BYTES && first.is_multiple_of(unit);
        }
        let pieces = || Blocks::new(there).peek(bytes, usize::MAX);
        bytes < BULK_BYTES && pieces().iter().all(|piece| piece.addr.is_multiple_of(unit))
    }

    /// `value = input op value` after saving the old value, for elements `skip .. skip + count`.
    ///
    /// # Safety
    /// `value` holds `count` elements that nobody else uses; the others are as long as they say.
    pub unsafe fn apply(&self, value: *mut u8, skip: u64, count: u64) {
        let at = (skip as i64 * self.element.ty.extent()) as isize;
        let bytes = (count as i64 * self.element.ty.extent()) as usize;
        // SAFETY: the caller's contract; the operands are in our own or the user's memory.
        unsafe {
            if !self.old.is_null() && bytes > 0 {
                self.old.wrapping_offset(at).copy_from_nonoverlapping(value, bytes);
            }
            (self.element.kernel)(self.input.wrapping_offset(at), value, count as usize);
        }
    }
}

impl Win {
    /// `MPI_Accumulate` and `MPI_Get_accumulate`.
    ///
    /// # Safety
    /// The origin's buffer is readable, that of the results writable and unused by others, and the
    /// user has synchronised accesses as section 12.7 asks.
    pub unsafe fn accumulate(
        &self,
        rank: &'static Rank,
        target: u32,
        what: &Accumulate<'_>,
    ) -> Result<()> {
        let (element, there) = (what.element, what.there);
        let mut count = there.bytes() / element.size();
        if let Some(origin) = what.origin {
            fits(origin, there)?;
            count = origin.bytes() / element.size();
        }
        if let Some(result) = what.result {
            let moved = Data { count: count as i64, ty: element.ty.clone(), ..*there };
            fits(&moved, result)?;
        }
        if count == 0 {
            return Ok(());
        }
        // SAFETY: the caller's contract.
        unsafe {
            let dense = |data, load| Dense::new(element, data, count as i64, load);
            let input = what.origin.map(|data| dense(data, true));
            let old = what.result.map(|data| dense(data, false));
            let address = |dense: &Option<Dense>| {
                dense.as_ref().map_or(std::ptr::null_mut(), |dense| dense.addr)
            };
            let (input, old_address) = (address(&input), address(&old));
            let operands = Operands { element, count, input, old: old_address };
            self.combine(rank, target, &operands, there)?;
            if let (Some(old), Some(result)) = (old, what.result) {
                old.store(result);
            }
        }
        Ok(())
    }

    /// # Safety
    /// The operands are as long as they say; otherwise as for [`Win::accumulate`].
    unsafe fn combine(
        &self,
        rank: &'static Rank,
        target: u32,
        operands: &Operands<'_>,
        there: &Data,
    ) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe {
            match self.way(rank, target) {
                Way::Direct if self.is_mapped() && operands.element.unit > 0 => {
                    // Misaligned elements need the mutex, as long accumulates do.
                    if self.has_bulk && !operands.is_short_and_aligned(there) {
                        self.run_long(rank, target, || Self::combine_alone(operands, there));
                    } else {
                        let change = || self.combine_atomically(target, operands, there);
                        self.run_short(rank, target, change);
                    }
                    return Ok(());
                }
                Way::Direct => {
                    let _guard = self.control.accumulate_mutex(target);
                    Self::combine_alone(operands, there);
                    return Ok(());
                }
                Way::Kernel(process) => {
                    if self.combine_by_kernel((process, target), operands, there)? {
                        return Ok(());
                    }
                }
                Way::Message => {}
            }
        }
        self.accumulate_by_message(rank, target, operands, there)
    }

    /// # Safety
    /// As for [`Win::combine`], with a target's buffer in memory that all map.
    unsafe fn combine_atomically(&self, target: u32, operands: &Operands<'_>, there: &Data) {
        let element = operands.element;
        let (unit, total) = (element.unit as u64, operands.count * element.unit as u64);
        let mut blocks = Blocks::new(there);
        while blocks.skip < total {
            let pieces = blocks.peek(total - blocks.skip, BLOCKS_MAX);
            let mut done = blocks.skip;
            for piece in &pieces {
                let (place, at) = (piece.addr as *mut u8, done as usize);
                // SAFETY: the caller's contract; blocks hold whole elements.
                unsafe {
                    if piece.addr.is_multiple_of(element.unit) {
                        let input = operands.input.wrapping_add(at);
                        let old = match operands.old.is_null() {
                            true => operands.old,
                            false => operands.old.wrapping_add(at),
                        };
                        atomic::change(element, input, place, piece.len, old);
                    } else {
                        let _guard = self.control.accumulate_mutex(target);
                        operands.apply(place, done / unit, piece.len as u64 / unit);
                    }
                }
                done += piece.len as u64;
            }
            blocks.skip += bytes_of(&pieces);
        }
    }

    /// In memory of this process, while nobody else accumulates there.
    ///
    /// # Safety
    /// As for [`Win::combine`], with a target's buffer in memory of this process.
    unsafe fn combine_alone(operands: &Operands<'_>, there: &Data) {
        let element = operands.element;
        // SAFETY: the caller's contract.
        unsafe {
            if element.is_dense() && there.ty.is_contiguous() {
                let place = there.addr.wrapping_offset(there.ty.true_lb() as isize);
                return operands.apply(place, 0, operands.count);
            }
            let value = Scratch::new(operands.count as i64, &element.ty);
            copy(there, &value.data);
            operands.apply(value.data.addr, 0, operands.count);
            if element.op != Op::NoOp {
                copy(&value.data, there);
            }
        }
    }

    /// In memory of another process, under its mutex; false if the kernel does not allow it.
    ///
    /// # Safety
    /// As for [`Win::combine`].
    unsafe fn combine_by_kernel(
        &self,
        peer: (u32, u32),
        operands: &Operands<'_>,
        there: &Data,
    ) -> Result<bool> {
        let (element, target) = (operands.element, peer.1);
        let value = Scratch::new(operands.count as i64, &element.ty);
        let is_blind = element.op == Op::Replace && operands.old.is_null();
        let _guard = self.control.accumulate_mutex(target);
        // SAFETY: the caller's contract; `value` is ours.
        unsafe {
            if !is_blind && !self.kernel_copy(Direction::Read, peer, &value.data, there)? {
                return Ok(false);
            }
            operands.apply(value.data.addr, 0, operands.count);
            match element.op {
                Op::NoOp => Ok(true),
                _ => self.kernel_copy(Direction::Write, peer, &value.data, there),
            }
        }
    }

    /// `MPI_Compare_and_swap`: writes the element `new` if `compare` is there; `old` gets what was
    /// there. `element` says which type they have.
    ///
    /// # Safety
    /// All three are valid for one element; otherwise as for [`Win::accumulate`].
    pub unsafe fn compare_and_swap(
        &self,
        rank: &'static Rank,
        target: u32,
        element: &Element,
        [new, compare]: [*const u8; 2],
        old: *mut u8,
        there: &Data,
    ) -> Result<()> {
        let place = there.addr;
        // SAFETY: the caller's contract.
        unsafe {
            match self.way(rank, target) {
                Way::Direct => {
                    let unit = element.unit;
                    if self.is_mapped() && unit > 0 && (place as usize).is_multiple_of(unit) {
                        self.run_short(rank, target, || {
                            atomic::compare_and_swap(unit, new, compare, place, old);
                        });
                    } else {
                        self.swap_here(target, element, [new, compare], old, place);
                    }
                    return Ok(());
                }
                Way::Kernel(process) => {
                    let peer = (process, target);
                    let value = Scratch::new(1, &element.ty);
                    let _guard = self.control.accumulate_mutex(target);
                    if self.kernel_copy(Direction::Read, peer, &value.data, there)? {
                        let bytes = element.size() as usize;
                        let [seen, wanted] = [value.data.addr.cast_const(), compare]
                            .map(|at| std::slice::from_raw_parts(at, bytes));
                        let equal = seen == wanted;
                        old.copy_from(value.data.addr, bytes);
                        let swap = Data { addr: new.cast_mut(), ..value.data };
                        let done =
                            !equal || self.kernel_copy(Direction::Write, peer, &swap, there)?;
                        if done {
                            return Ok(());
                        }
                    }
                }
                Way::Message => {}
            }
        }
        self.swap_by_message(rank, target, element, [new, compare], old, there)
    }

    /// In memory of this process, under the target's mutex.
    ///
    /// # Safety
    /// As for [`Win::compare_and_swap`], with a `place` in this process.
    pub(super) unsafe fn swap_here(
        &self,
        target: u32,
        element: &Element,
        [new, compare]: [*const u8; 2],
        old: *mut u8,
        place: *mut u8,
    ) {
        let bytes = element.size() as usize;
        let mut seen = [0u8; 32];
        let seen = &mut seen[..bytes];
        let _guard = self.control.accumulate_mutex(target);
        // SAFETY: the caller's contract; all who accumulate here hold the mutex.
        unsafe {
            seen.as_mut_ptr().copy_from(place, bytes);
            if *seen == *std::slice::from_raw_parts(compare, bytes) {
                place.copy_from(new, bytes);
            }
            old.copy_from(seen.as_ptr(), bytes);
        }
    }
}
