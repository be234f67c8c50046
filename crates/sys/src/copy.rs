//! Copies that are short enough to do without a call. Called where a message lies in one slot of a
//! ring, where `memcpy`'s own dispatch would cost as much as the copy.

/// Copies `len` bytes, `len <= 64`, by at most four overlapping pairs of moves.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes; they do not overlap.
#[inline(always)]
pub unsafe fn short(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: each move lies inside the first or the last bytes of both ranges, as the branch on
    // `len` guarantees; unaligned accesses are spelled out.
    unsafe {
        macro_rules! ends {
            ($word:ty) => {{
                let size = size_of::<$word>();
                let first = from.cast::<$word>().read_unaligned();
                let last = from.add(len - size).cast::<$word>().read_unaligned();
                to.cast::<$word>().write_unaligned(first);
                to.add(len - size).cast::<$word>().write_unaligned(last);
            }};
        }
        match len {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            33..=64 => ends!([u64; 4]),
            16..=32 => ends!(u128),
            9..=15 => ends!(u64),
            4..=7 => ends!(u32),
            2..=3 => ends!(u16),
            1 => to.write(from.read()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_length_is_copied_and_nothing_else() {
        let from: Vec<u8> = (1..=80).collect();
        for len in 0..=64 {
            let mut to = [0u8; 80];
            // SAFETY: both arrays are longer than 64 bytes.
            unsafe { super::short(from.as_ptr(), to.as_mut_ptr(), len) };
            assert_eq!(to[..len], from[..len]);
            assert!(to[len..].iter().all(|b| *b == 0), "length {len}");
        }
    }
}
