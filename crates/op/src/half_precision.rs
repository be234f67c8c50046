//! IEEE binary16, computed in binary32 and rounded once per result.
//!
//! `MPI_REAL2` and `MPI_COMPLEX4`. A binary32 holds any sum or product of two binary16 closely
//! enough that rounding it again gives the correctly rounded result. With F16C eight elements are
//! converted at a time.

use half::f16;

use crate::arithmetic::{Product, Sum};
use crate::lanes::Fold;
use crate::Kernel;

/// # Safety
/// As for [`Kernel`], with `PARTS` numbers per element.
unsafe fn scalar<F: Fold<f32>, const PARTS: usize>(input: *const u8, inout: *mut u8, n: usize) {
    let (input, inout) = (input.cast::<f16>(), inout.cast::<f16>());
    for i in 0..n * PARTS {
        // SAFETY: the caller promises that this element is valid on both sides.
        unsafe {
            let (a, b) = (input.add(i).read_unaligned(), inout.add(i).read_unaligned());
            let result = F::fold(a.to_f32_const(), b.to_f32_const());
            inout.add(i).write_unaligned(f16::from_f32_const(result));
        }
    }
}

/// # Safety
/// As for [`scalar`], on a processor with AVX and F16C.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx,f16c")]
unsafe fn eight<F: Fold<f32>, const PARTS: usize>(input: *const u8, inout: *mut u8, n: usize) {
    use std::arch::x86_64::*;
    const WIDTH: usize = 8;
    let total = n * PARTS;
    let (mut input, mut inout) = (input, inout);
    for _ in 0..total / WIDTH {
        // SAFETY: the caller promises that these eight elements are valid on both sides.
        unsafe {
            let (mut a, mut b) = ([0f32; WIDTH], [0f32; WIDTH]);
            let wide = |from: *const u8| _mm256_cvtph_ps(_mm_loadu_si128(from.cast()));
            _mm256_storeu_ps(a.as_mut_ptr(), wide(input));
            _mm256_storeu_ps(b.as_mut_ptr(), wide(inout));
            let result: [f32; WIDTH] = std::array::from_fn(|i| F::fold(a[i], b[i]));
            let result = _mm256_loadu_ps(result.as_ptr());
            let short = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(result);
            _mm_storeu_si128(inout.cast(), short);
            (input, inout) = (input.add(WIDTH * 2), inout.add(WIDTH * 2));
        }
    }
    // SAFETY: the elements behind the last eight.
    unsafe { scalar::<F, 1>(input, inout, total % WIDTH) }
}

fn kernel<F: Fold<f32>, const PARTS: usize>() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") && is_x86_feature_detected!("f16c") {
        return eight::<F, PARTS>;
    }
    scalar::<F, PARTS>
}

/// Sums of `PARTS` numbers per element.
pub(crate) fn sum<const PARTS: usize>() -> Kernel {
    kernel::<Sum, PARTS>()
}

/// Products.
pub(crate) fn product() -> Kernel {
    kernel::<Product, 1>()
}

/// Minima or maxima.
pub(crate) fn extreme<F: Fold<f32>>() -> Kernel {
    kernel::<F, 1>()
}

/// # Safety
/// As for [`Kernel`], with elements of two numbers.
pub(crate) unsafe fn complex_product(input: *const u8, inout: *mut u8, n: usize) {
    let (input, inout) = (input.cast::<[f16; 2]>(), inout.cast::<[f16; 2]>());
    for i in 0..n {
        // SAFETY: the caller promises that this element is valid on both sides.
        unsafe {
            let [ar, ai] = input.add(i).read_unaligned().map(f16::to_f32);
            let [br, bi] = inout.add(i).read_unaligned().map(f16::to_f32);
            let result = [ar * br - ai * bi, ar * bi + ai * br].map(f16::from_f32);
            inout.add(i).write_unaligned(result);
        }
    }
}
