//! Accumulates by atomic operations of the processor, in memory that all processes map. Called by
//! `accumulate.rs`.
//!
//! Each element changes atomically, whatever the operation: sums of integers by the instruction
//! for that, replacing by a store or an exchange, everything else by comparing and exchanging
//! around the operation's kernel. Runs of small elements change eight bytes at a time, which on
//! the processors we run on is atomic for each of the elements in them, too. The operations are
//! acquire and release, since users build locks of them.

use super::element::Element;
use starling_op::Op;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicU8, Ordering};

macro_rules! widths {
    ($($change:ident $exchange:ident $atomic:ident $int:ident;)*) => { $(
        /// Changes the elements in one word; gives back what was there.
        ///
        /// # Safety
        /// As for [`change`], with a run of one word at an aligned place.
        unsafe fn $change(element: &Element, input: *const u8, place: *mut u8, old: *mut u8) {
            // SAFETY: aligned and valid for as long as the call runs (the caller's contract).
            let word = unsafe { $atomic::from_ptr(place.cast()) };
            // SAFETY: the input has as many bytes unless the operation is MPI_NO_OP.
            let given = || unsafe { input.cast::<$int>().read_unaligned() };
            let before = match element.op {
                Op::NoOp => word.load(Ordering::Acquire),
                Op::Replace if old.is_null() => return word.store(given(), Ordering::Release),
                Op::Replace => word.swap(given(), Ordering::AcqRel),
                _ if element.adds && element.unit == size_of::<$int>() => {
                    word.fetch_add(given(), Ordering::AcqRel)
                }
                _ => {
                    let elements = size_of::<$int>() / element.unit;
                    let mut seen = word.load(Ordering::Relaxed);
                    loop {
                        let mut new = seen;
                        // SAFETY: both hold that many elements.
                        unsafe { (element.kernel)(input, (&raw mut new).cast(), elements) };
                        let (won, lost) = (Ordering::AcqRel, Ordering::Relaxed);
                        match word.compare_exchange_weak(seen, new, won, lost) {
                            Ok(_) => break seen,
                            Err(other) => seen = other,
                        }
                    }
                }
            };
            if !old.is_null() {
                // SAFETY: the caller gives room for as many bytes.
                unsafe { old.cast::<$int>().write_unaligned(before) };
            }
        }

        /// # Safety
        /// As for [`compare_and_swap`], with a place that is aligned.
        unsafe fn $exchange(new: *const u8, compare: *const u8, place: *mut u8, old: *mut u8) {
            // SAFETY: the caller's contract.
            unsafe {
                let word = $atomic::from_ptr(place.cast());
                let (new, compare) = (new.cast::<$int>(), compare.cast::<$int>());
                let (new, compare) = (new.read_unaligned(), compare.read_unaligned());
                let before =
                    word.compare_exchange(compare, new, Ordering::AcqRel, Ordering::Acquire);
                old.cast::<$int>().write_unaligned(before.unwrap_or_else(|other| other));
            }
        }
    )* };
}

widths! {
    change_1 exchange_1 AtomicU8 u8;
    change_2 exchange_2 AtomicU16 u16;
    change_4 exchange_4 AtomicU32 u32;
    change_8 exchange_8 AtomicU64 u64;
}

/// Changes a run of elements of `bytes` bytes at `place`. What was there goes to `old`, unless
/// that is null.
///
/// # Safety
/// `element.unit` is not 0 and divides `place` and `bytes`. `place` is valid for reads and writes
/// of `bytes` bytes, which others access by this module only; `input` is readable (unless the
/// operation is `MPI_NO_OP`) and `old` null or writable for as many.
pub(super) unsafe fn change(
    element: &Element,
    mut input: *const u8,
    mut place: *mut u8,
    bytes: usize,
    mut old: *mut u8,
) {
    let mut left = bytes;
    while left > 0 {
        let aligned = |width: usize| left >= width && (place as usize).is_multiple_of(width);
        let width = [8, 4, 2, 1].into_iter().find(|w| aligned(*w)).unwrap_or(1);
        // Sums of 4-byte integers have an instruction of their own; alone it is the fastest.
        let width = if element.adds && left == element.unit { element.unit } else { width };
        // SAFETY: `width` bytes are left, at an aligned place.
        unsafe {
            match width {
                8 => change_8(element, input, place, old),
                4 => change_4(element, input, place, old),
                2 => change_2(element, input, place, old),
                _ => change_1(element, input, place, old),
            }
        }
        input = input.wrapping_add(width);
        place = place.wrapping_add(width);
        if !old.is_null() {
            old = old.wrapping_add(width);
        }
        left -= width;
    }
}

/// Writes `new` to `place` if `compare` is there; `old` gets what was there.
///
/// # Safety
/// `unit` is 1, 2, 4 or 8 and divides `place`. All are valid for that many bytes.
pub(super) unsafe fn compare_and_swap(
    unit: usize,
    new: *const u8,
    compare: *const u8,
    place: *mut u8,
    old: *mut u8,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match unit {
            8 => exchange_8(new, compare, place, old),
            4 => exchange_4(new, compare, place, old),
            2 => exchange_2(new, compare, place, old),
            _ => exchange_1(new, compare, place, old),
        }
    }
}
