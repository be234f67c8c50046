//! What all processes of a file share: a page of memory without a name, made by the first of them
//! and mapped by the others through its descriptor.
//!
//! ```text
//! Page
//!   0  pointer   i64   the shared file pointer, in etypes of the view (section 14.4.4)
//!   8  written   u64   1 once somebody has opened the door to writing since the last sync
//! ```
//! The pointer is moved by fetch-and-add; whoever needs an order among the processes gets it from
//! a collective. Relaxed suffices: no other memory is published through the pointer.

use super::failure::Failure;
use starling_sys::memory::{self, Mapping};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

#[repr(C)]
struct Page {
    pointer: AtomicI64,
    written: AtomicU64,
}

const _: () = assert!(size_of::<Page>() == 16);

/// See the module's page.
pub(super) struct Shared(Mapping);

fn failed(call: &'static str, error: &io::Error) -> Failure {
    Failure { call, offset: None, errno: error.raw_os_error().unwrap_or(libc::EIO) }
}

impl Shared {
    /// A fresh page.
    pub fn create() -> Result<Shared, Failure> {
        let fd = memory::create(size_of::<Page>() as u64);
        Shared::map(fd.map_err(|e| failed("memfd_create", &e))?)
    }

    /// The page that process `pid` has as its descriptor `fd`.
    pub fn open(pid: u32, fd: i32) -> Result<Shared, Failure> {
        let path = format!("/proc/{pid}/fd/{fd}");
        let file = std::fs::OpenOptions::new().read(true).write(true).open(path);
        Shared::map(file.map_err(|e| failed("open (shared file pointer)", &e))?.into())
    }

    fn map(fd: OwnedFd) -> Result<Shared, Failure> {
        let mapping = Mapping::new(fd).map_err(|e| failed("mmap (shared file pointer)", &e))?;
        match mapping.len() < size_of::<Page>() {
            true => {
                Err(Failure { call: "mmap (shared file pointer)", offset: None, errno: libc::EIO })
            }
            false => Ok(Shared(mapping)),
        }
    }

    /// The descriptor's number, for the other processes.
    pub fn descriptor(&self) -> i32 {
        self.0.fd().as_raw_fd()
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping is at least as long as a page, aligned to a page of the system, and
        // lives as long as `self`; all access is atomic.
        unsafe { &*self.0.base().cast::<Page>() }
    }

    /// The shared file pointer.
    pub fn pointer(&self) -> i64 {
        self.page().pointer.load(Ordering::Relaxed)
    }

    /// Moves it to `offset`.
    pub fn set_pointer(&self, offset: i64) {
        self.page().pointer.store(offset, Ordering::Relaxed);
    }

    /// Moves it on by `etypes`; returns where it was.
    pub fn advance(&self, etypes: i64) -> i64 {
        self.page().pointer.fetch_add(etypes, Ordering::Relaxed)
    }

    /// Somebody writes.
    pub fn note_writing(&self) {
        self.page().written.store(1, Ordering::Relaxed);
    }

    /// Whether somebody has written since the last time this was asked.
    pub fn take_writing(&self) -> bool {
        self.page().written.swap(0, Ordering::Relaxed) != 0
    }
}
