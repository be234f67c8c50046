//! Access modes (MPI 5.0, section 14.2.1), with the numbers of the ABI. Called by `open.rs` and by
//! whoever asks whether an access is allowed.

use crate::error::{Class, Error, Result};

/// `MPI_MODE_APPEND`
pub const APPEND: i32 = 1;
/// `MPI_MODE_CREATE`
pub const CREATE: i32 = 2;
/// `MPI_MODE_DELETE_ON_CLOSE`
pub const DELETE_ON_CLOSE: i32 = 4;
/// `MPI_MODE_EXCL`
pub const EXCL: i32 = 8;
/// `MPI_MODE_RDONLY`
pub const RDONLY: i32 = 16;
/// `MPI_MODE_RDWR`
pub const RDWR: i32 = 32;
/// `MPI_MODE_SEQUENTIAL`
pub const SEQUENTIAL: i32 = 64;
/// `MPI_MODE_UNIQUE_OPEN`
pub const UNIQUE_OPEN: i32 = 128;
/// `MPI_MODE_WRONLY`
pub const WRONLY: i32 = 256;

const ALL: i32 =
    APPEND | CREATE | DELETE_ON_CLOSE | EXCL | RDONLY | RDWR | SEQUENTIAL | UNIQUE_OPEN | WRONLY;

/// An error if the modes cannot go together.
pub fn check(amode: i32) -> Result<()> {
    let wrong = |why: &str| {
        let text = format!("the access mode is {amode:#x} ({}): {why}", words(amode));
        Err(Error::new(Class::AMODE, text))
    };
    if amode & !ALL != 0 {
        return wrong("it has bits that are no MPI_MODE_* of a file");
    }
    if (amode & (RDONLY | RDWR | WRONLY)).count_ones() != 1 {
        return wrong("give exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
    }
    if amode & RDONLY != 0 && amode & (CREATE | EXCL) != 0 {
        return wrong("MPI_MODE_CREATE and MPI_MODE_EXCL need permission to write");
    }
    if amode & RDWR != 0 && amode & SEQUENTIAL != 0 {
        return wrong("MPI_MODE_SEQUENTIAL goes with reading or with writing, not with both");
    }
    Ok(())
}

/// The names of the modes.
fn words(amode: i32) -> String {
    let names = [
        (APPEND, "APPEND"),
        (CREATE, "CREATE"),
        (DELETE_ON_CLOSE, "DELETE_ON_CLOSE"),
        (EXCL, "EXCL"),
        (RDONLY, "RDONLY"),
        (RDWR, "RDWR"),
        (SEQUENTIAL, "SEQUENTIAL"),
        (UNIQUE_OPEN, "UNIQUE_OPEN"),
        (WRONLY, "WRONLY"),
    ];
    let given: Vec<&str> =
        names.iter().filter(|(bit, _)| amode & bit != 0).map(|(_, name)| *name).collect();
    if given.is_empty() {
        "none".to_string()
    } else {
        given.join(" | ")
    }
}

/// The flags of open(2) for the first process (`creates`) or the others.
pub(super) fn flags(amode: i32, creates: bool) -> i32 {
    let access = match amode & (RDONLY | WRONLY | RDWR) {
        RDONLY => libc::O_RDONLY,
        WRONLY => libc::O_WRONLY,
        _ => libc::O_RDWR,
    };
    let create = if creates && amode & CREATE != 0 { libc::O_CREAT } else { 0 };
    let exclusive = if create != 0 && amode & EXCL != 0 { libc::O_EXCL } else { 0 };
    access | create | exclusive | libc::O_CLOEXEC
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_access_and_what_goes_with_it() {
        for good in [RDONLY, WRONLY, RDWR | CREATE | EXCL, WRONLY | SEQUENTIAL | APPEND] {
            assert!(check(good).is_ok(), "{good}");
        }
        let bad = [0, CREATE, RDONLY | RDWR, RDONLY | CREATE, RDONLY | EXCL, RDWR | SEQUENTIAL];
        for bad in bad.into_iter().chain([RDWR | 512, -1]) {
            assert_eq!(check(bad).map_err(|e| e.class()), Err(Class::AMODE), "{bad}");
        }
    }
}
