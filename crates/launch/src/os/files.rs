//! Pipes, descriptors that do not block, and what a descriptor is.
//!
//! Called by the agent for the streams of its ranks. Everything made here is close-on-exec.

use super::check;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};

/// A pipe: the reading end and the writing end, both blocking.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two integers into `ends`, which has room for two.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both descriptors were made just now and nobody else knows them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Makes reads and writes of everybody who shares this open file return instead of waiting.
pub fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: F_GETFL and F_SETFL take and give integers only.
    let flags = check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) })?;
    let flags = flags | libc::O_NONBLOCK;
    // SAFETY: as above.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags) }).map(|_| ())
}

/// A second open file of the pipe or terminal behind `fd`, for writing without waiting. Our
/// standard output is shared with the shell and others, whose flags must stay as they are. None
/// for other kinds of file, or when the kernel refuses.
pub fn reopen_nonblocking(fd: BorrowedFd<'_>) -> Option<File> {
    let kind = metadata(fd).ok()?.file_type();
    if !kind.is_fifo() && !kind.is_char_device() {
        return None;
    }
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    OpenOptions::new().write(true).custom_flags(flags).open(path).ok()
}

/// Whether two descriptors lead to the same file, pipe or terminal.
pub fn same_file(a: BorrowedFd<'_>, b: BorrowedFd<'_>) -> bool {
    match (metadata(a), metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino(), a.rdev()) == (b.dev(), b.ino(), b.rdev()),
        _ => false,
    }
}

/// Whether nobody can read any more what is written to this pipe.
pub fn reader_is_gone(fd: BorrowedFd<'_>) -> bool {
    let mut entry = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: one entry, and the count says one.
    let ready = unsafe { libc::poll(&mut entry, 1, 0) };
    ready == 1 && entry.revents & libc::POLLERR != 0
}

/// Makes descriptor number `target` lead to where `source` leads; not close-on-exec.
pub fn replace(source: BorrowedFd<'_>, target: i32) -> io::Result<()> {
    // SAFETY: both are descriptor numbers; what `target` led to before is closed, which the
    // caller asks for (standard input, or a number kept free for the ranks).
    check(unsafe { libc::dup2(source.as_raw_fd(), target) }).map(|_| ())
}

/// Takes descriptor numbers that ranks get their own descriptors under, so that nothing the
/// launcher opens later has one of them.
pub fn reserve(numbers: &[i32]) -> io::Result<()> {
    let null = File::open("/dev/null")?;
    for &number in numbers {
        // SAFETY: F_GETFD only asks whether the number is in use.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } == -1 {
            // SAFETY: the number is not in use (asked above; this process has one thread).
            check(unsafe { libc::dup3(null.as_raw_fd(), number, libc::O_CLOEXEC) })?;
        }
    }
    Ok(())
}

/// Takes over a descriptor that the process that started us has passed by number. The copy has a
/// number above those that are reserved for ranks, and is close-on-exec.
pub fn inherited(number: i32) -> io::Result<OwnedFd> {
    const LOWEST: i32 = 64;
    // SAFETY: F_DUPFD_CLOEXEC takes and gives integers; it fails when `number` is not open.
    let copy = check(unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, LOWEST) })?;
    // SAFETY: `number` is open, and by the command line's contract it is ours alone.
    drop(unsafe { OwnedFd::from_raw_fd(number) });
    // SAFETY: made just now, known to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

fn metadata(fd: BorrowedFd<'_>) -> io::Result<std::fs::Metadata> {
    File::from(fd.try_clone_to_owned()?).metadata()
}

/// Our standard output and standard error.
pub fn standard_outputs() -> [OwnedFd; 2] {
    let copy = |fd: BorrowedFd<'_>| fd.try_clone_to_owned();
    // The runtime opens /dev/null for the ones we were started without, so copies fail only when
    // the table of descriptors is full; writing nowhere is all that is left then.
    let null = || OwnedFd::from(File::create("/dev/null").expect("/dev/null can be opened"));
    let out = copy(io::stdout().as_fd()).unwrap_or_else(|_| null());
    let err = copy(io::stderr().as_fd()).unwrap_or_else(|_| null());
    [out, err]
}
