//! Text arguments: C strings of the caller, and memory of the caller for text. Called by the
//! bodies that take keys, values and names. Text is UTF-8; other bytes are an error or replaced,
//! as the caller of these functions wants it.

use std::ffi::{c_char, CStr};

/// The first `max` bytes of a C string; all of it if it is no longer.
///
/// # Safety
/// `from` points to a C string that nobody changes while the result is used.
pub(crate) unsafe fn bytes<'a>(from: *const c_char, max: usize) -> &'a [u8] {
    // SAFETY: strnlen reads no further than the final zero; what it read is readable.
    unsafe { std::slice::from_raw_parts(from.cast(), libc::strnlen(from, max)) }
}

/// A name: all of it, other bytes than UTF-8 replaced, cut to what `room` bytes hold with the
/// final zero (section 7.8 asks for the cut).
///
/// # Safety
/// `from` points to a C string.
pub(crate) unsafe fn name(from: *const c_char, room: usize) -> String {
    // SAFETY: the caller's contract.
    let whole = unsafe { CStr::from_ptr(from) }.to_string_lossy();
    prefix(&whole, room - 1).to_string()
}

/// The longest beginning of `text` that has no more than `max` bytes.
pub(crate) fn prefix(text: &str, max: usize) -> &str {
    let mut len = text.len().min(max);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    &text[..len]
}

/// Copies `text` and a final zero to the caller's memory, cut to what fits.
///
/// # Safety
/// `to` has room for `room` bytes, which are at least one.
pub(crate) unsafe fn put(text: &str, to: *mut c_char, room: usize) {
    let len = text.len().min(room - 1);
    // SAFETY: len < room; the caller's contract.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), to, len);
        *to.add(len) = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_the_room_it_has() {
        let mut room = [1 as c_char; 8];
        // SAFETY: the array has that many bytes.
        unsafe { put("a long text", room.as_mut_ptr(), 7) };
        assert_eq!(room[5..], [b'g' as c_char, 0, 1]);
        // SAFETY: a C string.
        assert_eq!(unsafe { bytes(room.as_ptr(), 100) }, b"a long");
        // SAFETY: a C string.
        assert_eq!(unsafe { bytes(room.as_ptr(), 3) }, b"a l");
        // SAFETY: a C string.
        assert_eq!(unsafe { name(c"h\u{e4}user".as_ptr(), 3) }, "h");
        assert_eq!(prefix("h\u{e4}user", 3), "h\u{e4}");
    }
}
