//! The portable representation "external32" (section 14.5.2).
//!
//! Big endian, IEEE floating point, no alignment, fixed sizes. Called by `abi` for
//! `MPI_Pack_external` and by file views with that representation. Whole numbers that do not fit
//! in the shorter external type (`MPI_LONG`, `MPI_WCHAR`) keep their low bytes.

use crate::basic::{Group, Repr};
use crate::{Basic, Datatype, Leaf};

/// Bytes that one element of `basic` takes in this representation.
pub const fn basic_size(basic: Basic) -> usize {
    match basic.pair() {
        Some((value, index)) => basic_size(value) + basic_size(index),
        None => match basic {
            Basic::Long | Basic::UnsignedLong => 4,
            Basic::Wchar => 2,
            _ => basic.size(),
        },
    }
}

/// Bytes that `count` elements take; `None` if that does not fit in 64 bits.
pub fn packed_size(count: i64, ty: &Datatype) -> Option<i64> {
    i64::try_from(ty.signature().external_bytes).ok()?.checked_mul(count)
}

/// Packs `count` elements from `base` into `dst` and returns the bytes written; `None`, with
/// nothing written, if they do not fit.
///
/// # Safety
/// The memory that `count` elements at `base` describe is valid for reads.
pub unsafe fn pack(base: *const u8, count: i64, ty: &Datatype, dst: &mut [u8]) -> Option<usize> {
    let need = usize::try_from(packed_size(count, ty)?).ok()?;
    let mut rest = dst.get_mut(..need)?;
    for i in 0..count {
        let element = base.wrapping_offset((i * ty.extent()) as isize);
        ty.for_each_leaf(&mut |leaf| {
            let Leaf { offset, basic, count } = leaf;
            let bytes = count as usize * basic_size(basic);
            let (out, left) = std::mem::take(&mut rest).split_at_mut(bytes);
            rest = left;
            // SAFETY: the leaf is a part of the memory that the caller promised.
            unsafe { pack_run(element.wrapping_offset(offset as isize), basic, out) };
        });
    }
    Some(need)
}

/// Unpacks `count` elements from `src` to `base` and returns the bytes read; `None`, with nothing
/// written, if `src` is too short.
///
/// # Safety
/// The memory that `count` elements at `base` describe is valid for writes.
pub unsafe fn unpack(src: &[u8], base: *mut u8, count: i64, ty: &Datatype) -> Option<usize> {
    let need = usize::try_from(packed_size(count, ty)?).ok()?;
    let mut rest = src.get(..need)?;
    for i in 0..count {
        let element = base.wrapping_offset((i * ty.extent()) as isize);
        ty.for_each_leaf(&mut |leaf| {
            let Leaf { offset, basic, count } = leaf;
            let (input, left) = rest.split_at(count as usize * basic_size(basic));
            rest = left;
            // SAFETY: the leaf is a part of the memory that the caller promised.
            unsafe { unpack_run(input, element.wrapping_offset(offset as isize), basic) };
        });
    }
    Some(need)
}

/// # Safety
/// `src` is valid for reads of the elements that fill `dst`.
unsafe fn pack_run(src: *const u8, basic: Basic, dst: &mut [u8]) {
    let each = basic_size(basic);
    for (i, out) in dst.chunks_exact_mut(each).enumerate() {
        let element = src.wrapping_add(i * basic.extent());
        for field in fields(basic).into_iter().flatten() {
            let mut native = [0u8; 16];
            // SAFETY: a field lies inside its element and has at most 16 bytes.
            unsafe {
                let place = element.wrapping_add(field.native_offset);
                place.copy_to_nonoverlapping(native.as_mut_ptr(), field.native_size);
            }
            let value = field.to_external(u128::from_le_bytes(native_to_le(native, field)));
            let out = &mut out[field.external_offset..][..field.external_size];
            out.copy_from_slice(&value.to_be_bytes()[16 - field.external_size..]);
        }
    }
}

/// # Safety
/// `dst` is valid for writes of the elements that `src` holds.
unsafe fn unpack_run(src: &[u8], dst: *mut u8, basic: Basic) {
    let each = basic_size(basic);
    for (i, input) in src.chunks_exact(each).enumerate() {
        let element = dst.wrapping_add(i * basic.extent());
        for field in fields(basic).into_iter().flatten() {
            let mut bytes = [0u8; 16];
            let input = &input[field.external_offset..][..field.external_size];
            bytes[16 - field.external_size..].copy_from_slice(input);
            let value = field.to_native(u128::from_be_bytes(bytes));
            let native = native_to_le(value.to_le_bytes(), field);
            // SAFETY: a field lies inside its element and has at most 16 bytes.
            unsafe {
                let place = element.wrapping_add(field.native_offset);
                place.copy_from_nonoverlapping(native.as_ptr(), field.native_size);
            }
        }
    }
}

/// Reverses the field's bytes on a big-endian machine; its own inverse.
fn native_to_le(mut bytes: [u8; 16], field: Field) -> [u8; 16] {
    if cfg!(target_endian = "big") {
        bytes[..field.native_size].reverse();
    }
    bytes
}

/// One number inside an element.
#[derive(Clone, Copy)]
struct Field {
    native_offset: usize,
    native_size: usize,
    external_offset: usize,
    external_size: usize,
    basic: Basic,
    is_long_double: bool,
}

impl Field {
    fn to_external(self, native: u128) -> u128 {
        if self.is_long_double && cfg!(target_arch = "x86_64") {
            crate::binary128::from_x87(native)
        } else {
            native
        }
    }

    fn to_native(self, external: u128) -> u128 {
        if self.is_long_double && cfg!(target_arch = "x86_64") {
            return crate::binary128::to_x87(external);
        }
        let negative = external >> (self.external_size * 8 - 1) & 1 == 1;
        if negative && self.external_size < self.native_size && self.is_signed() {
            return external | !((1 << (self.external_size * 8)) - 1);
        }
        external
    }

    fn is_signed(self) -> bool {
        self.basic.group() == Group::CInteger && self.basic.repr() == Repr::I64
    }
}

/// The numbers inside an element: one, or two for complex types and pairs.
fn fields(basic: Basic) -> [Option<Field>; 2] {
    let whole = |basic: Basic, native_offset, external_offset| Field {
        native_offset,
        native_size: basic.size(),
        external_offset,
        external_size: basic_size(basic),
        basic,
        is_long_double: matches!(basic.repr(), Repr::LongDouble | Repr::ComplexLongDouble),
    };
    if let Some((value, index)) = basic.pair() {
        let second = whole(index, basic.pair_index_offset(), basic_size(value));
        return [Some(whole(value, 0, 0)), Some(second)];
    }
    let whole = whole(basic, 0, 0);
    match basic.repr().half() {
        None => [Some(whole), None],
        Some(half) => {
            let size = half.size();
            let first = Field { native_size: size, external_size: size, ..whole };
            let second = Field { native_offset: size, external_offset: size, ..first };
            [Some(first), Some(second)]
        }
    }
}
