//! `MPI_REPLACE` and `MPI_NO_OP`, for accumulate (section 12.3.4).

use crate::Kernel;

/// # Safety
/// As for [`Kernel`], with elements of `SIZE` bytes.
unsafe fn replace<const SIZE: usize>(input: *const u8, inout: *mut u8, n: usize) {
    // SAFETY: the caller promises both ranges; `copy` also allows that they are the same.
    unsafe { inout.copy_from(input, n * SIZE) }
}

/// Leaves everything as it is.
///
/// # Safety
/// None needed; it is unsafe only to be a [`Kernel`].
pub(crate) unsafe fn nothing(_: *const u8, _: *mut u8, _: usize) {}

/// The loop for elements of `size` bytes.
pub(crate) fn kernel(size: usize) -> Option<Kernel> {
    Some(match size {
        1 => replace::<1>,
        2 => replace::<2>,
        4 => replace::<4>,
        8 => replace::<8>,
        16 => replace::<16>,
        32 => replace::<32>,
        _ => return None,
    })
}
