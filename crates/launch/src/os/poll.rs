//! Waiting for many descriptors at once (epoll).
//!
//! The one event loop of the agent and of the front sits on this.

use super::check;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Wake up when something can be read.
pub const READABLE: u32 = libc::EPOLLIN as u32;
/// Wake up when something can be written.
pub const WRITABLE: u32 = libc::EPOLLOUT as u32;

/// A set of descriptors to wait for, each with a number of the caller's choice.
pub struct Poll {
    fd: OwnedFd,
}

impl Poll {
    /// An empty set.
    pub fn new() -> io::Result<Poll> {
        // SAFETY: no pointers.
        let fd = check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: made just now, known to nobody else.
        Ok(Poll { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    /// Adds a descriptor. Fails with EPERM for a regular file, which is always ready.
    pub fn add(&self, fd: BorrowedFd<'_>, events: u32, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: token };
        // SAFETY: `event` lives through the call, which copies it.
        let result = unsafe {
            libc::epoll_ctl(self.fd.as_raw_fd(), libc::EPOLL_CTL_ADD, fd.as_raw_fd(), &mut event)
        };
        check(result).map(|_| ())
    }

    /// Takes a descriptor out; nothing happens when it is not in.
    pub fn remove(&self, fd: BorrowedFd<'_>) {
        // SAFETY: EPOLL_CTL_DEL ignores the event pointer, which may be null since Linux 2.6.9.
        unsafe {
            libc::epoll_ctl(
                self.fd.as_raw_fd(),
                libc::EPOLL_CTL_DEL,
                fd.as_raw_fd(),
                std::ptr::null_mut(),
            )
        };
    }

    /// Waits until something is ready or the time is over (None: for ever) and puts the numbers
    /// of what is ready into `tokens`.
    pub fn wait(&self, timeout: Option<Duration>, tokens: &mut Vec<u64>) {
        const EVENTS: usize = 256;
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS];
        // Rounded up: a wait that ends just before its deadline would only be repeated.
        let milliseconds = timeout
            .map_or(-1, |time| i32::try_from(time.as_micros().div_ceil(1000)).unwrap_or(i32::MAX));
        // SAFETY: the kernel writes at most EVENTS entries into `events`, which has that many.
        let count = unsafe {
            libc::epoll_wait(self.fd.as_raw_fd(), events.as_mut_ptr(), EVENTS as i32, milliseconds)
        };
        tokens.clear();
        // An error is EINTR: nothing is ready.
        let ready = &events[..usize::try_from(count).unwrap_or(0)];
        tokens.extend(ready.iter().map(|event| event.u64));
    }
}
