//! What this kernel allows here, found out by trying.
//!
//! Called by `starling info`.

use super::check;
use super::process::{exit_now, fork, Forked};
use std::io;

/// The kernel's version.
pub fn kernel_release() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    text.trim().to_string()
}

/// Whether one process may read another's memory directly (process_vm_readv), as ranks do for
/// large messages. A child tries to read ours: like two ranks, and unlike a parent that reads its
/// child, it has no rights over us that it was not given.
pub fn cross_memory_copy() -> Result<(), String> {
    let secret: [u8; 16] = *b"read this please";
    let reader = std::process::id() as libc::pid_t;
    // SAFETY: PR_SET_PTRACER takes an integer; where Yama is not there it fails, and is not needed.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    let child = match fork() {
        Ok(Forked::Child) => exit_now(read_from(reader, &secret)),
        Ok(Forked::Parent(pid)) => pid,
        Err(error) => return Err(format!("cannot make a process: {error}")),
    };
    let mut status = 0;
    // SAFETY: `status` is a valid place for the status; the child is ours.
    check(unsafe { libc::waitpid(child, &mut status, 0) }).map_err(|error| error.to_string())?;
    match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
        (true, 0) => Ok(()),
        (true, code) => Err(io::Error::from_raw_os_error(code).to_string()),
        (false, _) => Err("the probing process died".to_string()),
    }
}

/// In the child: reads the parent's copy of `secret`, which has the same address there. 0, or the
/// number of the error.
fn read_from(parent: libc::pid_t, secret: &[u8; 16]) -> i32 {
    let mut found = [0u8; 16];
    let local = libc::iovec { iov_base: found.as_mut_ptr().cast(), iov_len: found.len() };
    let remote = libc::iovec { iov_base: secret.as_ptr() as *mut _, iov_len: secret.len() };
    // SAFETY: `local` describes 16 bytes we own; `remote` is read in the other process only.
    let count = unsafe { libc::process_vm_readv(parent, &local, 1, &remote, 1, 0) };
    match count {
        -1 => io::Error::last_os_error().raw_os_error().unwrap_or(libc::EPERM),
        16 if found == *secret => 0,
        _ => libc::EIO,
    }
}

/// Whether a waiting process can be spared its fences (membarrier, global expedited).
pub fn membarrier() -> Result<(), String> {
    const QUERY: libc::c_long = 0;
    const GLOBAL_EXPEDITED: libc::c_long = 2;
    // SAFETY: the query takes integers only and changes nothing.
    let commands = unsafe { libc::syscall(libc::SYS_membarrier, QUERY, 0, 0) };
    match commands {
        -1 => Err(io::Error::last_os_error().to_string()),
        commands if commands & GLOBAL_EXPEDITED != 0 => Ok(()),
        _ => Err("the kernel has no global expedited command".to_string()),
    }
}
