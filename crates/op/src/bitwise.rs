//! `MPI_BAND`, `MPI_BOR` and `MPI_BXOR`: the same bits whatever the type, only the size counts.

use crate::lanes::{parts, Fold};
use crate::{Kernel, Op};

struct And;
struct Or;
struct Xor;

impl Fold<u8> for And {
    #[inline(always)]
    fn fold(input: u8, inout: u8) -> u8 {
        input & inout
    }
}

impl Fold<u8> for Or {
    #[inline(always)]
    fn fold(input: u8, inout: u8) -> u8 {
        input | inout
    }
}

impl Fold<u8> for Xor {
    #[inline(always)]
    fn fold(input: u8, inout: u8) -> u8 {
        input ^ inout
    }
}

fn by_size<F: Fold<u8>>(size: usize) -> Option<Kernel> {
    Some(match size {
        1 => parts::<u8, F, 1>(),
        2 => parts::<u8, F, 2>(),
        4 => parts::<u8, F, 4>(),
        8 => parts::<u8, F, 8>(),
        16 => parts::<u8, F, 16>(),
        _ => return None,
    })
}

/// The loop for elements of `size` bytes.
pub(crate) fn kernel(op: Op, size: usize) -> Option<Kernel> {
    match op {
        Op::Band => by_size::<And>(size),
        Op::Bor => by_size::<Or>(size),
        Op::Bxor => by_size::<Xor>(size),
        _ => None,
    }
}
