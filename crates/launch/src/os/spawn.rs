//! Starting a rank: what fork and exec do, without copying the launcher's memory.
//!
//! The agent calls `Spawner::spawn` once per rank, hundreds of times. The child borrows the
//! agent's memory and a stack of its own (`CLONE_VM | CLONE_VFORK`), and the kernel suspends the
//! agent until the child has called exec or exited. So everything is made before: the child only
//! does system calls on data that is ready.
//!
//! The child asks to be killed when the agent dies. The kernel binds that to the *thread* that
//! made the child: `spawn` must be called from a thread that lives as long as the agent.

use super::process::FileLimit;
use super::signals::Mask;
use super::Pid;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::raw::{c_char, c_int, c_void};

/// Strings as exec wants them: an array of pointers with a null pointer at its end.
pub struct Strings {
    /// Keeps the bytes alive that `pointers` leads to.
    _owned: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl Strings {
    /// Takes over the strings.
    pub fn new(owned: Vec<CString>) -> Strings {
        // The bytes of a CString are on the heap: they stay where they are when it moves.
        let pointers = owned.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect();
        Strings { _owned: owned, pointers }
    }
}

/// What one rank is started with.
pub struct Start<'a> {
    /// The file to run.
    pub program: &'a CStr,
    /// Its arguments, its name first.
    pub arguments: &'a Strings,
    /// `/bin/sh`, the file and its arguments: for a script without a `#!` line.
    pub shell_arguments: &'a Strings,
    /// Its environment.
    pub environment: &'a Strings,
    /// The folder to run in; None for the agent's.
    pub folder: Option<&'a CStr>,
    /// Standard input, output and error.
    pub standard: [BorrowedFd<'a>; 3],
    /// Further descriptors and the numbers they get. The numbers were reserved in the agent
    /// (`files::reserve`), so none of them is the source of another.
    pub passed: &'a [(BorrowedFd<'a>, i32)],
    /// The CPUs to run on, as the kernel keeps them; None for all that the agent has.
    pub cpus: Option<&'a [u64]>,
}

/// Why a rank could not be started.
#[derive(Debug)]
pub struct SpawnError {
    /// What was tried.
    pub step: &'static str,
    /// What the kernel said.
    pub error: io::Error,
}

/// Starts ranks.
pub struct Spawner {
    stack: Vec<u128>,
    mask: Mask,
    files: FileLimit,
}

/// Everything the child reads and the two words it writes.
struct Child<'a> {
    start: &'a Start<'a>,
    parent: Pid,
    mask: Mask,
    files: FileLimit,
    /// Index into STEPS of what failed.
    step: usize,
    errno: c_int,
}

const STEPS: [&str; 5] = [
    "cannot bind to its CPUs",
    "cannot pass descriptors",
    "cannot enter its folder",
    "",
    "cannot run",
];
const BIND: usize = 0;
const DESCRIPTORS: usize = 1;
const FOLDER: usize = 2;
const ORPHAN: usize = 3;
const RUN: usize = 4;

/// Bytes of the child's stack: it calls a dozen thin wrappers of system calls.
const STACK_BYTES: usize = 128 << 10;

impl Spawner {
    /// Ranks get this signal mask and this limit of descriptors.
    pub fn new(mask: Mask, files: FileLimit) -> Spawner {
        Spawner { stack: vec![0; STACK_BYTES / size_of::<u128>()], mask, files }
    }

    /// Starts a rank; returns when it runs its program.
    ///
    /// # Errors
    /// When the kernel makes no process, or a step of the child fails; no process is left then
    /// (a child that failed has to be waited for like any other).
    pub fn spawn(&mut self, start: &Start<'_>) -> Result<Pid, SpawnError> {
        let mut child = Child {
            start,
            parent: std::process::id() as Pid,
            mask: self.mask,
            files: self.files,
            step: 0,
            errno: 0,
        };
        let top = self.stack.as_mut_ptr_range().end;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        // A handler of ours must not run in the child on memory it shares with us.
        let before = Mask::full().install();
        // SAFETY:
        // 1. `top` is one past a live block of STACK_BYTES, 16-byte aligned (u128), used by
        //    nothing else: CLONE_VFORK suspends this thread until the child has left it.
        // 2. `run_child` gets a pointer to `child`, which outlives the child's use for the same
        //    reason; this thread touches it again only after that.
        // 3. Without CLONE_FILES, CLONE_FS and CLONE_SIGHAND the child changes copies of
        //    descriptors, folder and signal actions, not ours.
        let pid =
            unsafe { libc::clone(run_child, top.cast(), flags, (&raw mut child).cast::<c_void>()) };
        let error = io::Error::last_os_error();
        before.install();
        if pid == -1 {
            return Err(SpawnError { step: "cannot make a process", error });
        }
        // SAFETY: `child` is a live local variable; volatile because the child process wrote it
        // behind the compiler's back.
        let (errno, step) = unsafe {
            ((&raw const child.errno).read_volatile(), (&raw const child.step).read_volatile())
        };
        match errno {
            0 => Ok(pid),
            errno => {
                let error = io::Error::from_raw_os_error(errno);
                Err(SpawnError { step: STEPS[step], error })
            }
        }
    }
}

/// What the child does. Runs on borrowed memory: system calls only, no allocation, no panic.
extern "C" fn run_child(argument: *mut c_void) -> c_int {
    // SAFETY: `spawn` passes a pointer to its `Child` and is suspended while we run.
    let child = unsafe { &mut *argument.cast::<Child<'_>>() };
    let step = prepare(child).err().unwrap_or(RUN);
    if step == RUN {
        // SAFETY: the strings end with zero bytes and the arrays with null pointers, by
        // `Strings::new`; they outlive the call.
        unsafe {
            let start = child.start;
            let environment = start.environment.pointers.as_ptr();
            libc::execve(start.program.as_ptr(), start.arguments.pointers.as_ptr(), environment);
            if *libc::__errno_location() == libc::ENOEXEC {
                let arguments = start.shell_arguments.pointers.as_ptr();
                libc::execve(c"/bin/sh".as_ptr(), arguments, environment);
            }
        }
    }
    child.step = step;
    // SAFETY: errno is a thread-local integer; _exit does not return.
    unsafe {
        child.errno = *libc::__errno_location();
        libc::_exit(127)
    }
}

/// Everything before exec; the step that failed, with its reason in errno.
fn prepare(child: &Child<'_>) -> Result<(), usize> {
    let start = child.start;
    // SAFETY: every call takes integers or pointers to live data of the stated size, see the
    // single lines; none allocates or takes a lock.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The agent may have died before the kernel knew of the wish.
        if libc::getppid() != child.parent {
            return Err(ORPHAN);
        }
        if let Some(words) = start.cpus {
            let bytes = std::mem::size_of_val(words);
            // The kernel reads `bytes` bytes of the words.
            let result = libc::sched_setaffinity(0, bytes, words.as_ptr().cast());
            done(result, BIND)?;
        }
        for (number, fd) in (0..).zip(&start.standard) {
            done(libc::dup2(fd.as_raw_fd(), number), DESCRIPTORS)?;
        }
        for (fd, number) in start.passed {
            done(libc::dup2(fd.as_raw_fd(), *number), DESCRIPTORS)?;
        }
        if let Some(folder) = start.folder {
            // A string that ends with a zero byte.
            done(libc::chdir(folder.as_ptr()), FOLDER)?;
        }
        libc::setrlimit(libc::RLIMIT_NOFILE, &child.files.0);
        // Ignored signals stay ignored across exec; Rust's runtime ignores this one.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_SETMASK, &child.mask.0, std::ptr::null_mut());
    }
    Ok(())
}

fn done(result: c_int, step: usize) -> Result<(), usize> {
    match result {
        -1 => Err(step),
        _ => Ok(()),
    }
}
