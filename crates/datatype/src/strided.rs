//! Copies many small blocks between a dense buffer and evenly or unevenly spaced places.
//!
//! The innermost loops of pack and unpack. Common block lengths have loops of their own, in which
//! the compiler turns each block into one or two moves; nothing here assumes any alignment.

use std::ptr;

/// A direction of copying: which side of a block copy is dense.
pub(crate) trait Direction {
    /// Copies `len` bytes between `dense` and `spread`.
    ///
    /// # Safety
    /// Both ranges are valid (the target for writes) and do not overlap.
    unsafe fn block(dense: *mut u8, spread: *mut u8, len: usize);

    /// Copies like [`strided`] if the places are so close together that loading whole vectors
    /// and picking the blocks out of them is faster, and returns whether it did.
    ///
    /// # Safety
    /// As for [`strided`].
    #[inline(always)]
    unsafe fn dense_steps(
        _dense: *mut u8,
        _spread: *mut u8,
        _len: usize,
        _stride: isize,
        _count: usize,
    ) -> bool {
        false
    }

    /// The same as `block` with a length known to the compiler.
    ///
    /// # Safety
    /// As for `block`, with `N` bytes.
    #[inline(always)]
    unsafe fn fixed<const N: usize>(dense: *mut u8, spread: *mut u8) {
        // SAFETY: the caller's promise is passed on.
        unsafe { Self::block(dense, spread, N) }
    }
}

/// From spread to dense memory.
pub(crate) struct Gather;

/// From dense to spread memory.
pub(crate) struct Scatter;

impl Direction for Gather {
    #[inline(always)]
    unsafe fn dense_steps(
        dense: *mut u8,
        spread: *mut u8,
        len: usize,
        stride: isize,
        count: usize,
    ) -> bool {
        // SAFETY: the caller's promise is passed on.
        count >= DENSE_COUNT_MIN && unsafe { gather_steps(dense, spread, len, stride, count) }
    }

    #[inline(always)]
    unsafe fn block(dense: *mut u8, spread: *mut u8, len: usize) {
        // SAFETY: the caller promises valid ranges that do not overlap.
        unsafe { ptr::copy_nonoverlapping(spread, dense, len) }
    }
}

impl Direction for Scatter {
    #[inline(always)]
    unsafe fn block(dense: *mut u8, spread: *mut u8, len: usize) {
        // SAFETY: the caller promises valid ranges that do not overlap.
        unsafe { ptr::copy_nonoverlapping(dense, spread, len) }
    }
}

/// Fewer blocks than this are not worth choosing a loop for.
const DENSE_COUNT_MIN: usize = 16;

/// Gathers 4-byte or 8-byte blocks that fill a half, a third or a fourth of the memory.
///
/// # Safety
/// As for [`strided`].
#[inline]
unsafe fn gather_steps(
    dense: *mut u8,
    spread: *mut u8,
    len: usize,
    stride: isize,
    count: usize,
) -> bool {
    // SAFETY: the caller's promise is passed on, with length and stride as constants.
    unsafe {
        match (len, stride) {
            (4, 8) => picked::<u32, 2>(dense, spread, count),
            (4, 12) => picked::<u32, 3>(dense, spread, count),
            (4, 16) => picked::<u32, 4>(dense, spread, count),
            (8, 16) => picked::<u64, 2>(dense, spread, count),
            (8, 24) => picked::<u64, 3>(dense, spread, count),
            (8, 32) => picked::<u64, 4>(dense, spread, count),
            _ => return false,
        }
    }
    true
}

/// Takes every `STEP`th of `count * STEP` numbers, with the widest vectors of this processor.
///
/// # Safety
/// As for [`strided`] with blocks of `T`, `STEP` of them apart.
unsafe fn picked<T: Copy, const STEP: usize>(dense: *mut u8, spread: *mut u8, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: the processor was asked; the rest is the caller's promise.
        unsafe {
            if is_x86_feature_detected!("avx512f") {
                return picked_avx512::<T, STEP>(dense, spread, count);
            }
            if is_x86_feature_detected!("avx2") {
                return picked_avx2::<T, STEP>(dense, spread, count);
            }
        }
    }
    // SAFETY: the caller's promise is passed on.
    unsafe { pick::<T, STEP>(dense, spread, count) }
}

/// # Safety
/// As for [`picked`], on a processor with AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn picked_avx512<T: Copy, const STEP: usize>(dense: *mut u8, spread: *mut u8, count: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe { pick::<T, STEP>(dense, spread, count) }
}

/// # Safety
/// As for [`picked`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn picked_avx2<T: Copy, const STEP: usize>(dense: *mut u8, spread: *mut u8, count: usize) {
    // SAFETY: the caller's promise is passed on.
    unsafe { pick::<T, STEP>(dense, spread, count) }
}

/// The loop that the compiler vectorises.
///
/// # Safety
/// As for [`picked`].
#[inline(always)]
unsafe fn pick<T: Copy, const STEP: usize>(dense: *mut u8, spread: *mut u8, count: usize) {
    let (dense, spread) = (dense.cast::<T>(), spread.cast::<T>());
    for i in 0..count {
        // SAFETY: one of the blocks that the caller promised.
        unsafe { dense.add(i).write_unaligned(spread.add(i * STEP).read_unaligned()) }
    }
}

/// Copies a block whose length is not known to the compiler; short ones without a call.
///
/// # Safety
/// As for [`Direction::block`].
#[inline(always)]
pub(crate) unsafe fn any<D: Direction>(dense: *mut u8, spread: *mut u8, len: usize) {
    // SAFETY: two moves of a fixed length, the second ending where the block ends, stay inside
    // the block; they may overlap each other, which writes the same bytes twice.
    unsafe {
        match len {
            65..=128 => {
                D::fixed::<64>(dense, spread);
                D::fixed::<64>(dense.add(len - 64), spread.add(len - 64));
            }
            33..=64 => {
                D::fixed::<32>(dense, spread);
                D::fixed::<32>(dense.add(len - 32), spread.add(len - 32));
            }
            16..=32 => {
                D::fixed::<16>(dense, spread);
                D::fixed::<16>(dense.add(len - 16), spread.add(len - 16));
            }
            8..=15 => {
                D::fixed::<8>(dense, spread);
                D::fixed::<8>(dense.add(len - 8), spread.add(len - 8));
            }
            4..=7 => {
                D::fixed::<4>(dense, spread);
                D::fixed::<4>(dense.add(len - 4), spread.add(len - 4));
            }
            1..=3 => {
                D::fixed::<1>(dense, spread);
                D::fixed::<1>(dense.add(len / 2), spread.add(len / 2));
                D::fixed::<1>(dense.add(len - 1), spread.add(len - 1));
            }
            _ => D::block(dense, spread, len),
        }
    }
}

/// Copies `count` blocks of `len` bytes between `dense` and places `stride` bytes apart.
///
/// # Safety
/// `dense` is valid for `len * count` bytes, each place for `len`; the target side for writes.
/// Dense and spread memory do not overlap.
#[inline]
pub(crate) unsafe fn strided<D: Direction>(
    dense: *mut u8,
    spread: *mut u8,
    len: usize,
    stride: isize,
    count: usize,
) {
    // SAFETY: the caller's promise is passed on, with the length as a constant.
    unsafe {
        if D::dense_steps(dense, spread, len, stride, count) {
            return;
        }
        match len {
            1 => rounds::<D, 1>(dense, spread, stride, count),
            2 => rounds::<D, 2>(dense, spread, stride, count),
            4 => rounds::<D, 4>(dense, spread, stride, count),
            8 => rounds::<D, 8>(dense, spread, stride, count),
            12 => rounds::<D, 12>(dense, spread, stride, count),
            16 => rounds::<D, 16>(dense, spread, stride, count),
            24 => rounds::<D, 24>(dense, spread, stride, count),
            32 => rounds::<D, 32>(dense, spread, stride, count),
            48 => rounds::<D, 48>(dense, spread, stride, count),
            64 => rounds::<D, 64>(dense, spread, stride, count),
            _ => {
                let (mut dense, mut spread) = (dense, spread);
                for _ in 0..count {
                    any::<D>(dense, spread, len);
                    dense = dense.wrapping_add(len);
                    spread = spread.wrapping_offset(stride);
                }
            }
        }
    }
}

/// Four blocks per round, so that the loads of one round do not wait for the stores of the last.
///
/// # Safety
/// As for [`strided`] with blocks of `N` bytes.
unsafe fn rounds<D: Direction, const N: usize>(
    dense: *mut u8,
    spread: *mut u8,
    stride: isize,
    count: usize,
) {
    let (mut dense, mut spread) = (dense, spread);
    for _ in 0..count / 4 {
        // SAFETY: four of the blocks that the caller promised.
        unsafe {
            D::fixed::<N>(dense, spread);
            D::fixed::<N>(dense.wrapping_add(N), spread.wrapping_offset(stride));
            D::fixed::<N>(dense.wrapping_add(2 * N), spread.wrapping_offset(2 * stride));
            D::fixed::<N>(dense.wrapping_add(3 * N), spread.wrapping_offset(3 * stride));
        }
        dense = dense.wrapping_add(4 * N);
        spread = spread.wrapping_offset(4 * stride);
    }
    for _ in 0..count % 4 {
        // SAFETY: one of the blocks that the caller promised.
        unsafe { D::fixed::<N>(dense, spread) };
        dense = dense.wrapping_add(N);
        spread = spread.wrapping_offset(stride);
    }
}

/// Copies blocks of `len` bytes between `dense` and each displacement from `spread`.
///
/// # Safety
/// `dense` is valid for `len * displs.len()` bytes, each place for `len`; the target side for
/// writes. Dense and spread memory do not overlap.
#[inline]
pub(crate) unsafe fn indexed<D: Direction>(
    dense: *mut u8,
    spread: *mut u8,
    len: usize,
    displs: &[i64],
) {
    // SAFETY: the caller's promise is passed on, with the length as a constant.
    unsafe {
        match len {
            4 => places::<D, 4>(dense, spread, displs),
            8 => places::<D, 8>(dense, spread, displs),
            12 => places::<D, 12>(dense, spread, displs),
            16 => places::<D, 16>(dense, spread, displs),
            24 => places::<D, 24>(dense, spread, displs),
            32 => places::<D, 32>(dense, spread, displs),
            64 => places::<D, 64>(dense, spread, displs),
            _ => {
                let mut dense = dense;
                for displ in displs {
                    any::<D>(dense, spread.wrapping_offset(*displ as isize), len);
                    dense = dense.wrapping_add(len);
                }
            }
        }
    }
}

/// # Safety
/// As for [`indexed`] with blocks of `N` bytes.
unsafe fn places<D: Direction, const N: usize>(dense: *mut u8, spread: *mut u8, displs: &[i64]) {
    let mut dense = dense;
    let mut fours = displs.chunks_exact(4);
    for four in &mut fours {
        // All places are known before the first store, which might overwrite the list for all that
        // the compiler knows.
        let places: [*mut u8; 4] =
            std::array::from_fn(|i| spread.wrapping_offset(four[i] as isize));
        for place in places {
            // SAFETY: one of the blocks that the caller promised.
            unsafe { D::fixed::<N>(dense, place) };
            dense = dense.wrapping_add(N);
        }
    }
    for displ in fours.remainder() {
        // SAFETY: one of the blocks that the caller promised.
        unsafe { D::fixed::<N>(dense, spread.wrapping_offset(*displ as isize)) };
        dense = dense.wrapping_add(N);
    }
}

/// Copies blocks of different lengths between `dense` and each displacement from `spread`; the
/// packed bytes of a block reach from the end before (`start` for the first) to its own.
///
/// # Safety
/// `dense` is valid for `ends.last() - start` bytes, each place for its block; the target side for
/// writes. Dense and spread memory do not overlap.
#[inline]
pub(crate) unsafe fn ragged<D: Direction>(
    dense: *mut u8,
    spread: *mut u8,
    displs: &[i64],
    ends: &[u64],
    start: u64,
) {
    let (mut dense, mut start) = (dense, start);
    for (displ, end) in displs.iter().zip(ends) {
        let len = (end - start) as usize;
        // SAFETY: one of the blocks that the caller promised.
        unsafe { any::<D>(dense, spread.wrapping_offset(*displ as isize), len) };
        dense = dense.wrapping_add(len);
        start = *end;
    }
}
