//! Processes: making the agent, waiting for children, and leaving none behind.
//!
//! Called by the front and the agent. Relies on each of them having one thread.

use super::{check, Pid};
use std::collections::HashMap;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It exited with this code.
    Exited(i32),
    /// It was killed by this signal.
    Signaled(i32),
}

/// What `wait_any` found.
pub enum Waited {
    /// This child ended.
    Ended(Pid, Ended),
    /// There are children and none of them has ended.
    Running,
    /// There are no children at all. For a subreaper: no descendants either.
    Childless,
}

/// In which of the two processes `fork` returned.
pub enum Forked {
    /// In the new one.
    Child,
    /// In the old one; the number of the new one.
    Parent(Pid),
}

/// Copies this process, which has one thread.
pub fn fork() -> io::Result<Forked> {
    // SAFETY: with a single thread no lock can be held by a thread that the copy lacks, so the
    // copy may run any code.
    match check(unsafe { libc::fork() })? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Ends this process at once, without running anything that was registered for its exit.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit takes an integer and does not return.
    unsafe { libc::_exit(code) }
}

/// Collects one child that ended, without waiting.
pub fn wait_any() -> Waited {
    let mut status = 0;
    // SAFETY: `status` is a valid place for the status.
    match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) } {
        -1 => Waited::Childless,
        0 => Waited::Running,
        pid if libc::WIFSIGNALED(status) => {
            Waited::Ended(pid, Ended::Signaled(libc::WTERMSIG(status)))
        }
        pid => Waited::Ended(pid, Ended::Exited(libc::WEXITSTATUS(status))),
    }
}

/// A descriptor that can be read when a process that is no child of ours has ended.
pub fn watch(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open takes two integers; what it returns is new and known to nobody else.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        Ok(OwnedFd::from_raw_fd(check(fd as libc::c_int)?))
    }
}

/// From now on processes whose parents die become children of this process.
pub fn become_subreaper() -> io::Result<()> {
    // SAFETY: PR_SET_CHILD_SUBREAPER takes one integer.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) }).map(|_| ())
}

/// Sets the name that `ps` and `top` show.
pub fn set_name(name: &std::ffi::CStr) {
    // SAFETY: the kernel reads at most 16 bytes of a string that ends with a zero byte.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

/// The limit of open descriptors of this process.
#[derive(Clone, Copy)]
pub struct FileLimit(pub(super) libc::rlimit);

impl FileLimit {
    /// Raises the soft limit to the hard one and returns the limits before.
    pub fn raise() -> io::Result<FileLimit> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the kernel writes one rlimit into `limit`.
        check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) })?;
        let raised = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
        // SAFETY: the kernel reads one rlimit.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raised) })?;
        Ok(FileLimit(limit))
    }

    /// The hard limit.
    pub fn hard(&self) -> u64 {
        self.0.rlim_max
    }
}

/// All descendants of this process, as /proc shows them at this moment.
pub fn descendants() -> Vec<Pid> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse::<Pid>().ok());
        let Some(pid) = pid else { continue };
        let Ok(stat) = std::fs::read(format!("/proc/{pid}/stat")) else { continue };
        if let Some(parent) = parent_in_stat(&stat) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = children.remove(&(std::process::id() as Pid)).unwrap_or_default();
    let mut next = 0;
    while next < found.len() {
        let more = children.remove(&found[next]).unwrap_or_default();
        found.extend(more);
        next += 1;
    }
    found
}

/// The parent in a line of /proc/PID/stat; the name before it may contain anything.
fn parent_in_stat(stat: &[u8]) -> Option<Pid> {
    let after_name = stat.iter().rposition(|&b| b == b')')?;
    let rest = std::str::from_utf8(&stat[after_name + 1..]).ok()?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// Kills all descendants and waits until they are gone. Processes that make new ones meanwhile
/// are followed. Returns the ones that do not die within `limit` (a driver holds them).
pub fn kill_descendants(limit: std::time::Duration) -> Vec<Pid> {
    let deadline = std::time::Instant::now() + limit;
    loop {
        loop {
            match wait_any() {
                Waited::Ended(..) => {}
                Waited::Running => break,
                Waited::Childless => return Vec::new(),
            }
        }
        let left = descendants();
        if std::time::Instant::now() > deadline {
            return left;
        }
        left.iter().for_each(|&pid| super::signals::send(pid, libc::SIGKILL));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in_stat(b"12 (sh) S 7 12 12 0"), Some(7));
        assert_eq!(parent_in_stat(b"12 (a) S 9 (b) R 8 12"), Some(8));
        assert_eq!(parent_in_stat(b"12 (\xff\xfe x) Z 3 1"), Some(3));
        assert_eq!(parent_in_stat(b""), None);
    }

    #[test]
    fn a_child_is_a_descendant() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(descendants().contains(&(child.id() as Pid)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants().contains(&(child.id() as Pid)));
    }
}
