//! The portable representation: known bytes, sizes, and the way back.

mod oracle;

use oracle::{spec, Area};
use proptest::prelude::*;
use starling_datatype::{external32, Basic, Datatype};

fn packed(basic: Basic, native: &[u8]) -> Vec<u8> {
    let ty = Datatype::basic(basic);
    let mut out = vec![0; external32::packed_size(1, &ty).unwrap() as usize];
    // SAFETY: the slice holds one element.
    let written = unsafe { external32::pack(native.as_ptr(), 1, &ty, &mut out) };
    assert_eq!(written, Some(out.len()));
    out
}

fn unpacked(basic: Basic, external: &[u8]) -> Vec<u8> {
    let mut native = vec![0; basic.extent()];
    // SAFETY: the vector holds one element.
    let read =
        unsafe { external32::unpack(external, native.as_mut_ptr(), 1, &Datatype::basic(basic)) };
    assert_eq!(read, Some(external.len()));
    native
}

#[test]
fn numbers_are_big_endian() {
    assert_eq!(packed(Basic::Int, &0x01020304i32.to_ne_bytes()), [1, 2, 3, 4]);
    assert_eq!(packed(Basic::Double, &1.0f64.to_ne_bytes()), [0x3f, 0xf0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(packed(Basic::Char, b"x"), b"x");
    let complex = [1.0f32.to_ne_bytes(), 2.0f32.to_ne_bytes()].concat();
    assert_eq!(packed(Basic::CFloatComplex, &complex), [0x3f, 0x80, 0, 0, 0x40, 0, 0, 0]);
    assert_eq!(packed(Basic::Integer16, &1i128.to_ne_bytes())[15], 1);
}

#[test]
fn long_and_wchar_are_shorter() {
    assert_eq!(packed(Basic::Long, &(-2i64).to_ne_bytes()), [255, 255, 255, 254]);
    assert_eq!(unpacked(Basic::Long, &[255, 255, 255, 254]), (-2i64).to_ne_bytes());
    let unsigned = unpacked(Basic::UnsignedLong, &[255, 255, 255, 254]);
    assert_eq!(unsigned, 0xffff_fffeu64.to_ne_bytes());
    assert_eq!(packed(Basic::Wchar, &0x20acu32.to_ne_bytes()), [0x20, 0xac]);
    assert_eq!(unpacked(Basic::Wchar, &[0xfe, 0xac]), 0xfeacu32.to_ne_bytes());
    assert_eq!(packed(Basic::LongLong, &1i64.to_ne_bytes()), [0, 0, 0, 0, 0, 0, 0, 1]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn long_double_becomes_binary128() {
    // -1.5 in the x87 format, with padding that is not zero.
    let mut native = [0xEE; 16];
    native[..10].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xbf]);
    let external = packed(Basic::LongDouble, &native);
    assert_eq!(external[..4], [0xbf, 0xff, 0x80, 0]);
    assert_eq!(external[4..], [0; 12]);
    assert_eq!(unpacked(Basic::LongDouble, &external)[..10], native[..10]);
}

#[test]
fn pairs_lose_their_padding() {
    let mut native = [0u8; 16];
    native[..8].copy_from_slice(&1.0f64.to_ne_bytes());
    native[8..12].copy_from_slice(&7i32.to_ne_bytes());
    let external = packed(Basic::DoubleInt, &native);
    assert_eq!(external, [0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
    assert_eq!(unpacked(Basic::DoubleInt, &external), native);
    assert_eq!(external32::basic_size(Basic::LongInt), 8);
}

#[test]
fn short_buffers_are_refused() {
    let ty = Datatype::basic(Basic::Int);
    let (mut memory, mut out) = ([1i32, 2], [9u8; 7]);
    // SAFETY: two elements on both sides.
    unsafe {
        assert_eq!(external32::pack(memory.as_ptr().cast(), 2, &ty, &mut out), None);
        assert_eq!(external32::unpack(&out, memory.as_mut_ptr().cast(), 2, &ty), None);
    }
    assert_eq!((out, memory), ([9; 7], [1, 2]));
    assert_eq!(external32::packed_size(i64::MAX, &ty), None);
}

/// Types whose elements come back bit for bit: no truncation, no x87 padding.
fn reversible(basic: Basic) -> bool {
    external32::basic_size(basic) == basic.size() && !basic.name().contains("LONG_DOUBLE")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back(spec in spec(), count in 0..3i64) {
        let map = spec.map();
        prop_assume!(map.entries.len() < 2000);
        prop_assume!(map.entries.iter().all(|(_, basic)| reversible(*basic)));
        let ty = spec.build();
        let offsets = map.all_bytes(count);
        let mut source = Area::new(&offsets, 1);
        let size: usize = map.entries.iter().map(|(_, b)| external32::basic_size(*b)).sum();
        prop_assert_eq!(external32::packed_size(count, &ty), Some(size as i64 * count));
        let mut external = vec![0; size * count as usize];
        let mut target = Area::new(&offsets, 2);
        let mut expected = Area::new(&offsets, 2);
        offsets.iter().for_each(|at| expected.set(*at, source.at(*at)));
        // SAFETY: both areas have room for all offsets of the type map.
        unsafe {
            external32::pack(source.pointer(), count, &ty, &mut external).unwrap();
            external32::unpack(&external, target.pointer(), count, &ty).unwrap();
        }
        prop_assert_eq!(target.memory, expected.memory);
    }
}
