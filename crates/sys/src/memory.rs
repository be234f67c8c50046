//! Memory that the processes of a node share: a `memfd`, which has no name anywhere and goes away
//! with its last descriptor. Called by `transport::shm` (the node's segment) and the launcher.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Makes a memfd of `len` bytes. No page is used until it is written or reserved.
pub fn create(len: u64) -> io::Result<OwnedFd> {
    // SAFETY: the name is a NUL-terminated literal; the flags are valid.
    let fd = unsafe { libc::memfd_create(c"starling".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `fd` was just opened and belongs to nobody else.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: plain system call on our own descriptor.
    if unsafe { libc::ftruncate(fd.as_raw_fd(), len as libc::off_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(fd)
}

/// From this size on `reserve` asks first how much memory there is.
const LARGE_BYTES: usize = 64 << 20;

/// Bytes that can be used without swapping: the machine's, or what the control group of a
/// container leaves.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let machine = line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024;
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    Some(limit.map_or(machine, |limit| machine.min(limit.saturating_sub(used))))
}

/// Whether this process may map as much as it likes (no `ulimit -v`).
pub fn address_space_is_unlimited() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit into `limit`.
    let rc = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    rc == 0 && limit.rlim_cur == libc::RLIM_INFINITY
}

/// A shared mapping of a whole memfd, unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    base: *mut u8,
    len: usize,
    fd: Option<OwnedFd>,
}

impl Mapping {
    /// Maps all of `fd`, read and write. Fails if it is not a file with a size.
    pub fn new(fd: OwnedFd) -> io::Result<Mapping> {
        // SAFETY: a zeroed stat is a valid out-parameter, and fstat fills it on success.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: `fd` is open, `stat` is writable.
        if unsafe { libc::fstat(fd.as_raw_fd(), &mut stat) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let len = stat.st_size as usize;
        if len == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the segment is empty"));
        }
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh mapping at an address the kernel chooses; nothing of ours is replaced.
        let base =
            unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, fd.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { base: base.cast(), len, fd: Some(fd) })
    }

    /// First byte of the mapping. Valid for [`Mapping::len`] bytes while the mapping lives.
    pub fn base(&self) -> *mut u8 {
        self.base
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A mapping is never empty; there for the customary pair.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The descriptor, to be handed to other processes. Panics once it has been closed.
    pub fn fd(&self) -> &OwnedFd {
        self.fd.as_ref().expect("the descriptor of the mapping is open")
    }

    /// Closes the descriptor, when all have theirs and nothing more is to be reserved. The memory
    /// stays.
    pub fn close(&mut self) {
        self.fd = None;
    }

    /// Gives the pages of `[offset, offset + len)` back; they read as zero from then on.
    pub fn punch(&self, offset: usize, len: usize) -> io::Result<()> {
        let Some(fd) = &self.fd else { return Err(io::ErrorKind::Unsupported.into()) };
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let (offset, len) = (offset as libc::off_t, len as libc::off_t);
        // SAFETY: plain system call on our own descriptor; the mapping stays as it is.
        match unsafe { libc::fallocate(fd.as_raw_fd(), mode, offset, len) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Gives `[offset, offset + len)` real pages now, so that lack of memory is an error here
    /// and not a SIGBUS at the first touch.
    pub fn reserve(&self, offset: usize, len: usize) -> io::Result<()> {
        let Some(fd) = &self.fd else { return Err(io::ErrorKind::Unsupported.into()) };
        // The kernel would give page after page until the machine has none left, and then end
        // some process; so what exceeds the memory available now is refused first.
        if len > LARGE_BYTES && available().is_some_and(|bytes| len as u64 > bytes) {
            return Err(io::Error::from_raw_os_error(libc::ENOMEM));
        }
        loop {
            // SAFETY: plain system call on our own descriptor; it adds pages, moves none.
            let rc = unsafe {
                libc::fallocate(fd.as_raw_fd(), 0, offset as libc::off_t, len as libc::off_t)
            };
            if rc == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly the range that mmap returned; all users borrow from this value.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

// SAFETY: the mapping is plain shared memory; how it is accessed is the business of the types
// that are laid over it, which use atomics.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_machine_has_is_refused_at_once() {
        let mapping = Mapping::new(create(1 << 44).unwrap()).unwrap();
        let error = mapping.reserve(0, 1 << 44).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOMEM));
    }

    #[test]
    fn two_mappings_of_one_memfd_share_their_bytes() {
        let fd = create(1 << 20).unwrap();
        let one = Mapping::new(fd.try_clone().unwrap()).unwrap();
        let two = Mapping::new(fd).unwrap();
        one.reserve(4096, 4096).unwrap();
        one.punch(8192, 4096).unwrap();
        // SAFETY: both offsets lie inside the 1 MiB mappings; single thread.
        unsafe {
            *one.base().add(5000) = 42;
            assert_eq!(*two.base().add(5000), 42);
        }
        one.punch(4096, 4096).unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { *two.base().add(5000) }, 0);
    }
}
