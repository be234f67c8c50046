//! Integer arguments that are `int` in one variant of a procedure and 64 bits in the other.
//!
//! `MPI_Gatherv` takes `const int[]`, `MPI_Gatherv_c` takes `const MPI_Count[]`; both end in the
//! same body. The generated exports wrap such an argument once, as an [`IntArray`] (read) or an
//! [`IntPtr`] (written), and the body only sees 64-bit numbers.
//!
//! The promise about the pointer is made where the value is made (`unsafe`, by the exports, which
//! pass on what the C caller promised): null, or as many elements as the standard gives the
//! argument, valid during the call. Bodies must test [`IntArray::is_null`] before the first access
//! and stay below that number of elements. Elements are read and written without assuming any
//! alignment.

use crate::generated::constants::MPI_UNDEFINED;
use std::ffi::{c_int, c_void};

/// The width of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// C `int`.
    I32,
    /// `MPI_Count`, `MPI_Offset`, or `MPI_Aint` of a 64-bit machine.
    I64,
}

/// An array of integers that the procedure reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntArray {
    ptr: *const c_void,
    width: Width,
}

impl IntArray {
    /// Wraps an array of `int`.
    ///
    /// # Safety
    /// `ptr` is null or valid as the top of this file says.
    #[inline(always)]
    pub unsafe fn i32(ptr: *const c_int) -> IntArray {
        IntArray { ptr: ptr.cast(), width: Width::I32 }
    }

    /// Wraps an array of 64-bit integers.
    ///
    /// # Safety
    /// `ptr` is null or valid as the top of this file says.
    #[inline(always)]
    pub unsafe fn i64(ptr: *const i64) -> IntArray {
        IntArray { ptr: ptr.cast(), width: Width::I64 }
    }

    /// Whether the caller passed no array.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.ptr.is_null()
    }

    /// Element `i`.
    #[inline(always)]
    pub fn get(self, i: usize) -> i64 {
        debug_assert!(!self.is_null());
        match self.width {
            // SAFETY: whoever made `self` promised as many readable `int` as the standard gives
            // the argument, and the body asks for no other; alignment is not assumed.
            Width::I32 => i64::from(unsafe { self.ptr.cast::<c_int>().add(i).read_unaligned() }),
            // SAFETY: as above, with 64-bit elements.
            Width::I64 => unsafe { self.ptr.cast::<i64>().add(i).read_unaligned() },
        }
    }

    /// The first `n` elements.
    pub fn to_vec(self, n: usize) -> Vec<i64> {
        (0..n).map(|i| self.get(i)).collect()
    }
}

/// One or more integers that the procedure writes (and may read).
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntPtr {
    ptr: *mut c_void,
    width: Width,
}

impl IntPtr {
    /// Wraps a pointer to `int`.
    ///
    /// # Safety
    /// `ptr` is null or valid as the top of this file says, for writing too.
    #[inline(always)]
    pub unsafe fn i32(ptr: *mut c_int) -> IntPtr {
        IntPtr { ptr: ptr.cast(), width: Width::I32 }
    }

    /// Wraps a pointer to 64-bit integers.
    ///
    /// # Safety
    /// `ptr` is null or valid as the top of this file says, for writing too.
    #[inline(always)]
    pub unsafe fn i64(ptr: *mut i64) -> IntPtr {
        IntPtr { ptr: ptr.cast(), width: Width::I64 }
    }

    /// What the plain variant of a procedure passes for an argument that only its large-count
    /// variant has.
    #[inline(always)]
    pub fn null() -> IntPtr {
        IntPtr { ptr: std::ptr::null_mut(), width: Width::I64 }
    }

    /// Whether there is nothing to write to.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.ptr.is_null()
    }

    /// The first element.
    #[inline(always)]
    pub fn get(self) -> i64 {
        IntArray { ptr: self.ptr, width: self.width }.get(0)
    }

    /// Stores `value` in the first element; see [`IntPtr::set_at`].
    #[inline(always)]
    pub fn set(self, value: i64) {
        self.set_at(0, value);
    }

    /// Stores `value` in element `i`. An `int` that cannot hold it becomes `MPI_UNDEFINED`, as
    /// the standard asks of the plain variants.
    #[inline(always)]
    pub fn set_at(self, i: usize, value: i64) {
        debug_assert!(!self.is_null());
        match self.width {
            Width::I32 => {
                let value = c_int::try_from(value).unwrap_or(MPI_UNDEFINED);
                // SAFETY: whoever made `self` promised as many writable `int` as the standard
                // gives the argument, and the body asks for no other; alignment is not assumed.
                unsafe { self.ptr.cast::<c_int>().add(i).write_unaligned(value) }
            }
            // SAFETY: as above, with 64-bit elements.
            Width::I64 => unsafe { self.ptr.cast::<i64>().add(i).write_unaligned(value) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_both_widths_read_the_same() {
        let narrow: [c_int; 4] = [1, -2, c_int::MAX, c_int::MIN];
        let wide: [i64; 4] = [1, -2, i64::from(c_int::MAX), i64::from(c_int::MIN)];
        // SAFETY: both point to four elements that outlive the values.
        let (a, b) = unsafe { (IntArray::i32(narrow.as_ptr()), IntArray::i64(wide.as_ptr())) };
        assert_eq!(a.to_vec(4), wide);
        assert_eq!(b.to_vec(4), wide);
        assert_eq!((a.get(3), b.get(1)), (i64::from(c_int::MIN), -2));
    }

    #[test]
    fn large_values_survive_in_wide_arrays() {
        let wide = [i64::MAX, i64::MIN, 1 << 40];
        // SAFETY: points to three elements that outlive the value.
        let array = unsafe { IntArray::i64(wide.as_ptr()) };
        assert_eq!(array.to_vec(3), wide);
    }

    #[test]
    fn elements_need_no_alignment() {
        let mut bytes = [0u8; 33];
        let odd = bytes[1..].as_mut_ptr();
        // SAFETY: 32 bytes follow `odd`, room for four wide or eight narrow elements.
        let (wide, narrow) = unsafe { (IntPtr::i64(odd.cast()), IntPtr::i32(odd.cast())) };
        wide.set_at(3, 1 << 50);
        // SAFETY: as above.
        assert_eq!(unsafe { IntArray::i64(odd.cast()) }.get(3), 1 << 50);
        narrow.set_at(0, -7);
        assert_eq!(narrow.get(), -7);
        // SAFETY: as above.
        assert_eq!(unsafe { IntArray::i32(odd.cast()) }.to_vec(2), [-7, 0]);
    }

    #[test]
    fn an_int_that_is_too_small_becomes_undefined() {
        let mut narrow: [c_int; 2] = [5, 5];
        // SAFETY: points to two elements that outlive the value.
        let ptr = unsafe { IntPtr::i32(narrow.as_mut_ptr()) };
        ptr.set(i64::from(c_int::MAX) + 1);
        ptr.set_at(1, i64::from(c_int::MIN));
        assert_eq!(narrow, [MPI_UNDEFINED, c_int::MIN]);
        let mut wide = [0i64; 1];
        // SAFETY: points to one element that outlives the value.
        let ptr = unsafe { IntPtr::i64(wide.as_mut_ptr()) };
        ptr.set(i64::from(c_int::MAX) + 1);
        assert_eq!(ptr.get(), 2_147_483_648);
    }

    #[test]
    fn null_is_recognised() {
        // SAFETY: null is allowed.
        let array = unsafe { IntArray::i32(std::ptr::null()) };
        assert!(array.is_null());
        assert!(IntPtr::null().is_null());
        let mut one: c_int = 1;
        // SAFETY: points to one element.
        assert!(!unsafe { IntPtr::i32(&mut one) }.is_null());
    }
}
