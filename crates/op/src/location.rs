//! `MPI_MINLOC` and `MPI_MAXLOC` on pairs, and `MPI_REPLACE` on them.
//!
//! A pair is a C struct of a value and an index. Of equal values the lower index wins. Padding
//! between and behind the two is never written.

use std::ptr::addr_of_mut;

use half::f16;
use starling_datatype::Repr;

use crate::binary128::Binary128;
use crate::extended::Extended;
use crate::lanes::{whole, Fold};
use crate::{Kernel, Op};

#[derive(Clone, Copy)]
#[repr(C)]
struct Pair<V, I> {
    value: V,
    index: I,
}

const _: () = assert!(size_of::<Pair<i16, i32>>() == 8);
const _: () = assert!(size_of::<Pair<f64, i32>>() == 16);
const _: () = assert!(size_of::<Pair<Extended, i32>>() == 32);

/// Which of two pairs is the result.
trait Choice {
    /// Whether the pair of the input buffer is.
    fn takes<V: PartialOrd, I: PartialOrd>(input: &Pair<V, I>, inout: &Pair<V, I>) -> bool;
}

struct Least;
struct Greatest;
struct Input;

impl Choice for Least {
    #[inline(always)]
    fn takes<V: PartialOrd, I: PartialOrd>(input: &Pair<V, I>, inout: &Pair<V, I>) -> bool {
        let tie = input.value == inout.value;
        input.value < inout.value || (tie && input.index < inout.index)
    }
}

impl Choice for Greatest {
    #[inline(always)]
    fn takes<V: PartialOrd, I: PartialOrd>(input: &Pair<V, I>, inout: &Pair<V, I>) -> bool {
        let tie = input.value == inout.value;
        input.value > inout.value || (tie && input.index < inout.index)
    }
}

impl Choice for Input {
    #[inline(always)]
    fn takes<V: PartialOrd, I: PartialOrd>(_: &Pair<V, I>, _: &Pair<V, I>) -> bool {
        true
    }
}

/// # Safety
/// As for [`Kernel`], with elements of this pair.
unsafe fn choose<V, I, C>(input: *const u8, inout: *mut u8, n: usize)
where
    V: Copy + PartialOrd,
    I: Copy + PartialOrd,
    C: Choice,
{
    let (input, inout) = (input.cast::<Pair<V, I>>(), inout.cast::<Pair<V, I>>());
    for i in 0..n {
        // SAFETY: the caller promises that this element is valid on both sides.
        unsafe {
            let (a, place) = (input.add(i).read_unaligned(), inout.add(i));
            let b = place.read_unaligned();
            let result = if C::takes(&a, &b) { a } else { b };
            addr_of_mut!((*place).value).write_unaligned(result.value);
            addr_of_mut!((*place).index).write_unaligned(result.index);
        }
    }
}

impl<V: Copy + PartialOrd, I: Copy + PartialOrd, C: Choice> Fold<Pair<V, I>> for C {
    #[inline(always)]
    fn fold(input: Pair<V, I>, inout: Pair<V, I>) -> Pair<V, I> {
        let takes = C::takes(&input, &inout);
        Pair {
            value: if takes { input.value } else { inout.value },
            index: if takes { input.index } else { inout.index },
        }
    }
}

/// Pairs without padding can be written as a whole, which the compiler turns into vectors.
fn choosing<V: Copy + PartialOrd, I: Copy + PartialOrd, C: Choice>() -> Kernel {
    if size_of::<Pair<V, I>>() == size_of::<V>() + size_of::<I>() {
        whole::<Pair<V, I>, C>()
    } else {
        choose::<V, I, C>
    }
}

fn by_choice<V: Copy + PartialOrd, I: Copy + PartialOrd>(op: Op) -> Option<Kernel> {
    match op {
        Op::Minloc => Some(choosing::<V, I, Least>()),
        Op::Maxloc => Some(choosing::<V, I, Greatest>()),
        Op::Replace => Some(choosing::<V, I, Input>()),
        _ => None,
    }
}

fn by_index<V: Copy + PartialOrd>(op: Op, index: Repr) -> Option<Kernel> {
    match index {
        Repr::I8 => by_choice::<V, i8>(op),
        Repr::I16 => by_choice::<V, i16>(op),
        Repr::I32 => by_choice::<V, i32>(op),
        Repr::I64 => by_choice::<V, i64>(op),
        Repr::I128 => by_choice::<V, i128>(op),
        Repr::U8 => by_choice::<V, u8>(op),
        Repr::U16 => by_choice::<V, u16>(op),
        Repr::U32 => by_choice::<V, u32>(op),
        Repr::U64 => by_choice::<V, u64>(op),
        // Fortran's pairs of two reals.
        Repr::F32 => by_choice::<V, f32>(op),
        Repr::F64 => by_choice::<V, f64>(op),
        _ => None,
    }
}

/// The loop for pairs of these two.
pub(crate) fn kernel(op: Op, value: Repr, index: Repr) -> Option<Kernel> {
    match value {
        Repr::I8 => by_index::<i8>(op, index),
        Repr::I16 => by_index::<i16>(op, index),
        Repr::I32 => by_index::<i32>(op, index),
        Repr::I64 => by_index::<i64>(op, index),
        Repr::I128 => by_index::<i128>(op, index),
        Repr::U8 => by_index::<u8>(op, index),
        Repr::U16 => by_index::<u16>(op, index),
        Repr::U32 => by_index::<u32>(op, index),
        Repr::U64 => by_index::<u64>(op, index),
        Repr::F16 => by_index::<f16>(op, index),
        Repr::F32 => by_index::<f32>(op, index),
        Repr::F64 => by_index::<f64>(op, index),
        Repr::LongDouble => by_index::<Extended>(op, index),
        Repr::F128 => by_index::<Binary128>(op, index),
        _ => None,
    }
}
