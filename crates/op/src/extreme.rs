//! `MPI_MIN` and `MPI_MAX`. The input replaces the other operand only if it compares smaller (or
//! larger), so a NaN in the input is passed over and one in the result stays.

use starling_datatype::Repr;

use crate::binary128::Binary128;
use crate::extended::Extended;
use crate::half_precision;
use crate::lanes::{plain, whole, Fold};
use crate::Kernel;

pub(crate) struct Minimum;
pub(crate) struct Maximum;

impl<T: PartialOrd> Fold<T> for Minimum {
    #[inline(always)]
    fn fold(input: T, inout: T) -> T {
        if input < inout {
            input
        } else {
            inout
        }
    }
}

impl<T: PartialOrd> Fold<T> for Maximum {
    #[inline(always)]
    fn fold(input: T, inout: T) -> T {
        if input > inout {
            input
        } else {
            inout
        }
    }
}

macro_rules! by_repr {
    ($repr:expr, $op:ident, $half:expr) => {
        Some(match $repr {
            Repr::I8 => whole::<i8, $op>(),
            Repr::I16 => whole::<i16, $op>(),
            Repr::I32 => whole::<i32, $op>(),
            Repr::I64 => whole::<i64, $op>(),
            Repr::I128 => plain::<i128, $op>(),
            Repr::U8 => whole::<u8, $op>(),
            Repr::U16 => whole::<u16, $op>(),
            Repr::U32 => whole::<u32, $op>(),
            Repr::U64 => whole::<u64, $op>(),
            Repr::U128 => plain::<u128, $op>(),
            Repr::F16 => $half,
            Repr::F32 => whole::<f32, $op>(),
            Repr::F64 => whole::<f64, $op>(),
            Repr::LongDouble => plain::<Extended, $op>(),
            Repr::F128 => plain::<Binary128, $op>(),
            Repr::ComplexF16
            | Repr::ComplexF32
            | Repr::ComplexF64
            | Repr::ComplexLongDouble
            | Repr::ComplexF128
            | Repr::Pair => return None,
        })
    };
}

/// The loop for minima.
pub(crate) fn minimum(repr: Repr) -> Option<Kernel> {
    by_repr!(repr, Minimum, half_precision::extreme::<Minimum>())
}

/// The loop for maxima.
pub(crate) fn maximum(repr: Repr) -> Option<Kernel> {
    by_repr!(repr, Maximum, half_precision::extreme::<Maximum>())
}
