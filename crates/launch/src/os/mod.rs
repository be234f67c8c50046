//! What the launcher needs of Linux that the standard library does not offer. All `unsafe` of the
//! launcher is in this folder.

pub mod files;
pub mod mpir;
pub mod poll;
pub mod probe;
pub mod process;
pub mod signals;
pub mod spawn;

/// A process number.
pub type Pid = i32;

/// The result of a call that returns -1 and sets errno when it fails.
pub(crate) fn check(result: libc::c_int) -> std::io::Result<libc::c_int> {
    match result {
        -1 => Err(std::io::Error::last_os_error()),
        result => Ok(result),
    }
}
