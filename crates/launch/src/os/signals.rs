//! Signals as events, and their names.
//!
//! The front and the agent block the signals they care about and read them from a descriptor
//! (signalfd), so that no code runs at a moment it does not expect.

use super::{check, Pid};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Signals that end the job.
pub const ENDING: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
/// Signals that are handed on to the ranks and change nothing else.
pub const PASSED_ON: [i32; 2] = [libc::SIGUSR1, libc::SIGUSR2];
/// Signals of job control, which the front takes over.
pub const JOB_CONTROL: [i32; 2] = [libc::SIGTSTP, libc::SIGCONT];

/// A set of signals.
#[derive(Clone, Copy)]
pub struct Mask(pub(super) libc::sigset_t);

impl Mask {
    fn of(signals: impl IntoIterator<Item = i32>) -> Mask {
        let mut set = MaybeUninit::uninit();
        // SAFETY: sigemptyset initialises the whole set.
        let mut set = unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            set.assume_init()
        };
        for signal in signals {
            // SAFETY: the set is initialised; an unknown number is refused and changes nothing.
            unsafe { libc::sigaddset(&mut set, signal) };
        }
        Mask(set)
    }

    /// Makes this the set of blocked signals and returns the set before.
    pub(super) fn install(&self) -> Mask {
        let mut before = MaybeUninit::uninit();
        // SAFETY: `self.0` is initialised, `before` has room for the old set, and with valid
        // pointers and SIG_SETMASK the call cannot fail, so `before` is written.
        unsafe {
            libc::sigprocmask(libc::SIG_SETMASK, &self.0, before.as_mut_ptr());
            Mask(before.assume_init())
        }
    }

    /// Every signal.
    pub(super) fn full() -> Mask {
        let mut set = MaybeUninit::uninit();
        // SAFETY: sigfillset initialises the whole set.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            Mask(set.assume_init())
        }
    }
}

/// A signal that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrived {
    /// Its number.
    pub signal: i32,
    /// Whether the terminal sent it, and so to all processes of the job at once.
    pub from_terminal: bool,
}

/// Blocked signals, read one by one.
pub struct Signals {
    fd: OwnedFd,
    before: Mask,
}

impl Signals {
    /// Blocks these signals and SIGCHLD and reads them from now on. Signals that whoever started
    /// us wants ignored (`nohup`, a shell's background job) stay ignored.
    pub fn take(signals: &[i32]) -> io::Result<Signals> {
        // SAFETY: the default disposition runs no code of ours. An inherited "ignore" would make
        // the kernel throw away the exit codes of children.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
        let wanted = signals.iter().copied().filter(|&signal| !is_ignored(signal));
        let mask = Mask::of(wanted.chain([libc::SIGCHLD]));
        let before = mask.install();
        // SAFETY: the mask is initialised; -1 asks for a new descriptor.
        let fd = unsafe { libc::signalfd(-1, &mask.0, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) };
        // SAFETY: checked to be a descriptor, made just now.
        let fd = unsafe { OwnedFd::from_raw_fd(check(fd)?) };
        Ok(Signals { fd, before })
    }

    /// What was blocked before: what the ranks start with.
    pub fn mask_before(&self) -> Mask {
        self.before
    }

    /// The next signal that arrived, if any.
    pub fn next(&self) -> Option<Arrived> {
        let mut info = MaybeUninit::<libc::signalfd_siginfo>::uninit();
        let size = std::mem::size_of_val(&info);
        // SAFETY: the kernel writes at most `size` bytes into `info`, which is that large.
        let count = unsafe { libc::read(self.fd.as_raw_fd(), info.as_mut_ptr().cast(), size) };
        if count != size as isize {
            return None;
        }
        // SAFETY: the kernel has written the whole structure.
        let info = unsafe { info.assume_init() };
        let from_terminal = info.ssi_code == libc::SI_KERNEL;
        Some(Arrived { signal: info.ssi_signo as i32, from_terminal })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: only asks; the kernel fills `action` when the call succeeds.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Sends a signal to a process; one that is gone is not an error.
pub fn send(pid: Pid, signal: i32) {
    // SAFETY: no pointers. The callers pass only descendants of this process, or this process.
    unsafe { libc::kill(pid, signal) };
}

/// The name of a signal and what it usually means.
pub fn describe(signal: i32) -> String {
    let (name, meaning) = match signal {
        libc::SIGHUP => ("SIGHUP", "hang-up"),
        libc::SIGINT => ("SIGINT", "interrupt"),
        libc::SIGQUIT => ("SIGQUIT", "quit"),
        libc::SIGILL => ("SIGILL", "illegal instruction"),
        libc::SIGTRAP => ("SIGTRAP", "breakpoint"),
        libc::SIGABRT => ("SIGABRT", "abort() was called"),
        libc::SIGBUS => ("SIGBUS", "bad memory access, or memory ran out"),
        libc::SIGFPE => ("SIGFPE", "arithmetic error"),
        libc::SIGKILL => ("SIGKILL", "killed, perhaps because memory ran out"),
        libc::SIGUSR1 => ("SIGUSR1", "user-defined"),
        libc::SIGSEGV => ("SIGSEGV", "invalid memory access"),
        libc::SIGUSR2 => ("SIGUSR2", "user-defined"),
        libc::SIGPIPE => ("SIGPIPE", "wrote to a closed pipe"),
        libc::SIGALRM => ("SIGALRM", "alarm clock"),
        libc::SIGTERM => ("SIGTERM", "asked to terminate"),
        libc::SIGXCPU => ("SIGXCPU", "limit of CPU time reached"),
        libc::SIGXFSZ => ("SIGXFSZ", "limit of file size reached"),
        libc::SIGSYS => ("SIGSYS", "system call refused"),
        _ => return format!("signal {signal}"),
    };
    format!("{name}, {meaning}")
}
