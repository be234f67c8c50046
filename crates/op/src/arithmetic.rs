//! `MPI_SUM` and `MPI_PROD`: integers wrap, complex products are the plain formula.

use starling_datatype::Repr;

use crate::binary128::Binary128;
use crate::extended;
use crate::half_precision;
use crate::lanes::{parts, plain, whole, Fold};
use crate::Kernel;

pub(crate) struct Sum;
pub(crate) struct Product;

/// A complex number as C and Fortran lay it out.
#[derive(Clone, Copy)]
#[repr(C)]
struct Complex<T> {
    re: T,
    im: T,
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Fold<$t> for Sum {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                input.wrapping_add(inout)
            }
        }

        impl Fold<$t> for Product {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                input.wrapping_mul(inout)
            }
        }
    )*};
}

// Wrapping arithmetic has the same bits for signed and unsigned integers.
integers! { u8 u16 u32 u64 u128 }

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Fold<$t> for Sum {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                input + inout
            }
        }

        impl Fold<$t> for Product {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                input * inout
            }
        }

        impl Fold<Complex<$t>> for Product {
            #[inline(always)]
            fn fold(input: Complex<$t>, inout: Complex<$t>) -> Complex<$t> {
                Complex {
                    re: input.re * inout.re - input.im * inout.im,
                    im: input.re * inout.im + input.im * inout.re,
                }
            }
        }
    )*};
}

floats! { f32 f64 Binary128 }

/// The loop for sums.
pub(crate) fn sum(repr: Repr) -> Option<Kernel> {
    Some(match repr {
        Repr::I8 | Repr::U8 => whole::<u8, Sum>(),
        Repr::I16 | Repr::U16 => whole::<u16, Sum>(),
        Repr::I32 | Repr::U32 => whole::<u32, Sum>(),
        Repr::I64 | Repr::U64 => whole::<u64, Sum>(),
        Repr::I128 | Repr::U128 => plain::<u128, Sum>(),
        Repr::F16 => half_precision::sum::<1>(),
        Repr::F32 => whole::<f32, Sum>(),
        Repr::F64 => whole::<f64, Sum>(),
        Repr::LongDouble => extended::sum::<1>,
        Repr::F128 => plain::<Binary128, Sum>(),
        Repr::ComplexF16 => half_precision::sum::<2>(),
        Repr::ComplexF32 => parts::<f32, Sum, 2>(),
        Repr::ComplexF64 => parts::<f64, Sum, 2>(),
        Repr::ComplexLongDouble => extended::sum::<2>,
        Repr::ComplexF128 => parts::<Binary128, Sum, 2>(),
        Repr::Pair => return None,
    })
}

/// The loop for products.
pub(crate) fn product(repr: Repr) -> Option<Kernel> {
    Some(match repr {
        Repr::I8 | Repr::U8 => whole::<u8, Product>(),
        Repr::I16 | Repr::U16 => whole::<u16, Product>(),
        Repr::I32 | Repr::U32 => whole::<u32, Product>(),
        Repr::I64 | Repr::U64 => whole::<u64, Product>(),
        Repr::I128 | Repr::U128 => plain::<u128, Product>(),
        Repr::F16 => half_precision::product(),
        Repr::F32 => whole::<f32, Product>(),
        Repr::F64 => whole::<f64, Product>(),
        Repr::LongDouble => extended::product,
        Repr::F128 => plain::<Binary128, Product>(),
        Repr::ComplexF16 => half_precision::complex_product,
        Repr::ComplexF32 => whole::<Complex<f32>, Product>(),
        Repr::ComplexF64 => whole::<Complex<f64>, Product>(),
        Repr::ComplexLongDouble => extended::complex_product,
        Repr::ComplexF128 => plain::<Complex<Binary128>, Product>(),
        Repr::Pair => return None,
    })
}
