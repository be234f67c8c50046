//! What the operating system refuses, as an error of MPI (section 14.7): which call, on which
//! file, the system's words, and what to do. Used by everything in this folder.

use crate::error::{Class, Error};
use std::io;

/// A system call that failed. Plain data: it comes from worker threads and from other ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The system call.
    pub call: &'static str,
    /// Where in the file, if that matters.
    pub offset: Option<u64>,
    /// The system's error number.
    pub errno: i32,
}

/// The error number of the last system call.
pub(super) fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

impl Failure {
    /// The last system call, `call`, failed.
    pub fn last(call: &'static str) -> Failure {
        Failure { call, offset: None, errno: errno() }
    }

    /// As an error about the file `name`.
    pub fn error(self, name: &str) -> Error {
        let at = self.offset.map_or(String::new(), |o| format!(" at byte {o}"));
        let why = io::Error::from_raw_os_error(self.errno);
        let (class, remedy) = classify(self.errno);
        let call = self.call;
        Error::new(class, format!("{call} of the file \"{name}\"{at} failed: {why}{remedy}"))
    }
}

/// The class of an error number, and what to do.
fn classify(errno: i32) -> (Class, &'static str) {
    match errno {
        libc::ENOENT => (Class::NO_SUCH_FILE, "; check the name, or add MPI_MODE_CREATE"),
        libc::EACCES | libc::EPERM => (Class::ACCESS, "; check the permissions"),
        libc::EEXIST => (Class::FILE_EXISTS, "; remove the file, or leave MPI_MODE_EXCL out"),
        libc::EROFS => (Class::READ_ONLY, ""),
        libc::ENOSPC => (Class::NO_SPACE, "; free some space, the data is not in the file"),
        libc::EDQUOT => (Class::QUOTA, "; free some space, the data is not in the file"),
        libc::ETXTBSY | libc::EBUSY => (Class::FILE_IN_USE, ""),
        libc::ENAMETOOLONG | libc::ENOTDIR | libc::EISDIR | libc::ELOOP => (Class::BAD_FILE, ""),
        libc::ENOMEM => (Class::NO_MEM, ""),
        libc::EOPNOTSUPP | libc::ENOSYS | libc::ENOLCK | libc::ESPIPE => {
            (Class::UNSUPPORTED_OPERATION, "; the file system cannot do this")
        }
        libc::EFBIG => {
            (Class::IO, "; the file system or a limit (ulimit -f) allows no larger file")
        }
        libc::EMFILE | libc::ENFILE => (Class::IO, "; close files, or raise the limit (ulimit -n)"),
        _ => (Class::IO, ""),
    }
}
