//! `MPI_LAND`, `MPI_LOR` and `MPI_LXOR`: anything but 0 is true, and the result is 0 or 1, for C
//! integers, `bool`, and Fortran's logical kinds alike.

use crate::lanes::{plain, whole, Fold};
use crate::{Kernel, Op};

struct And;
struct Or;
struct Xor;

macro_rules! logicals {
    ($($t:ty)*) => {$(
        impl Fold<$t> for And {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                ((input != 0) & (inout != 0)).into()
            }
        }

        impl Fold<$t> for Or {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                (input | inout != 0).into()
            }
        }

        impl Fold<$t> for Xor {
            #[inline(always)]
            fn fold(input: $t, inout: $t) -> $t {
                ((input != 0) != (inout != 0)).into()
            }
        }
    )*};
}

logicals! { u8 u16 u32 u64 u128 }

fn by_size<F>(size: usize) -> Option<Kernel>
where
    F: Fold<u8> + Fold<u16> + Fold<u32> + Fold<u64> + Fold<u128>,
{
    Some(match size {
        1 => whole::<u8, F>(),
        2 => whole::<u16, F>(),
        4 => whole::<u32, F>(),
        8 => whole::<u64, F>(),
        16 => plain::<u128, F>(),
        _ => return None,
    })
}

/// The loop for elements of `size` bytes.
pub(crate) fn kernel(op: Op, size: usize) -> Option<Kernel> {
    match op {
        Op::Land => by_size::<And>(size),
        Op::Lor => by_size::<Or>(size),
        Op::Lxor => by_size::<Xor>(size),
        _ => None,
    }
}
