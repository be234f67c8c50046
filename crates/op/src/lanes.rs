//! The loop that all element-wise operations share, compiled for several instruction sets.
//!
//! The compiler vectorises it. The processor is asked once (the answer is cached by `std`) when a
//! kernel is looked up.

use crate::Kernel;

/// How two elements become one.
pub(crate) trait Fold<T> {
    /// The left operand comes from the input buffer.
    fn fold(input: T, inout: T) -> T;
}

/// `PARTS` times as many elements of `T` as the caller counts (2 for the halves of complex ones).
///
/// # Safety
/// As for [`Kernel`], with elements of `PARTS` times `T`.
#[inline(always)]
unsafe fn each<T: Copy, F: Fold<T>, const PARTS: usize>(
    input: *const u8,
    inout: *mut u8,
    n: usize,
) {
    let (input, inout) = (input.cast::<T>(), inout.cast::<T>());
    for i in 0..n * PARTS {
        // SAFETY: the caller promises that this element is valid on both sides.
        unsafe {
            let result = F::fold(input.add(i).read_unaligned(), inout.add(i).read_unaligned());
            inout.add(i).write_unaligned(result);
        }
    }
}

/// # Safety
/// As for [`each`].
unsafe fn baseline<T: Copy, F: Fold<T>, const PARTS: usize>(
    input: *const u8,
    inout: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's promise is passed on.
    unsafe { each::<T, F, PARTS>(input, inout, n) }
}

/// # Safety
/// As for [`each`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<T: Copy, F: Fold<T>, const PARTS: usize>(
    input: *const u8,
    inout: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's promise is passed on.
    unsafe { each::<T, F, PARTS>(input, inout, n) }
}

/// # Safety
/// As for [`each`], on a processor with these parts of AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn avx512<T: Copy, F: Fold<T>, const PARTS: usize>(
    input: *const u8,
    inout: *mut u8,
    n: usize,
) {
    // SAFETY: the caller's promise is passed on.
    unsafe { each::<T, F, PARTS>(input, inout, n) }
}

/// The fastest loop that this processor runs.
pub(crate) fn parts<T: Copy, F: Fold<T>, const PARTS: usize>() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if wide {
            return avx512::<T, F, PARTS>;
        }
        if is_x86_feature_detected!("avx2") {
            return avx2::<T, F, PARTS>;
        }
    }
    baseline::<T, F, PARTS>
}

/// The same for elements that are one `T` each.
pub(crate) fn whole<T: Copy, F: Fold<T>>() -> Kernel {
    parts::<T, F, 1>()
}

/// The loop without variants, for operations that no vector instruction helps.
pub(crate) fn plain<T: Copy, F: Fold<T>>() -> Kernel {
    baseline::<T, F, 1>
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::{Product, Sum};

    fn check<T, F>(make: fn(u32) -> T)
    where
        T: Copy + PartialEq + std::fmt::Debug,
        F: Fold<T>,
    {
        let mut variants: Vec<Kernel> = vec![baseline::<T, F, 1>];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            variants.push(avx2::<T, F, 1>);
        }
        variants.push(whole::<T, F>());
        let left: Vec<T> = (0..131).map(make).collect();
        let right: Vec<T> = (0..131).map(|i| make(i * 5 + 3)).collect();
        let expected: Vec<T> = left.iter().zip(&right).map(|(a, b)| F::fold(*a, *b)).collect();
        for variant in variants {
            let mut inout = right.clone();
            // SAFETY: both vectors hold 131 elements.
            unsafe { variant(left.as_ptr().cast(), inout.as_mut_ptr().cast(), 131) };
            assert_eq!(inout, expected);
        }
    }

    #[test]
    fn variants_agree() {
        check::<u8, Sum>(|i| i as u8);
        check::<u64, Product>(|i| u64::from(i) * 0x1234_5678_9abc);
        check::<f32, Sum>(|i| i as f32 / 3.0);
        check::<f64, Product>(|i| f64::from(i) / 3.0);
    }
}
