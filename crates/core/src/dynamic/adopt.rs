//! A launcher for a process that was started without one: `starling adopt` gets the process's
//! segment and one end of a socket, and serves it as if it had started it. Called when the process
//! first needs a launcher. It goes by itself when the process and all that it started have ended.

use starling_pmi::client::Client;
use std::ffi::{CStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a user can do where it fails.
pub(super) const REMEDY: &str =
    "Start the program with Starling's mpiexec, or put the folder of `starling` in PATH";

/// The launcher's program: beside this library, or wherever PATH finds it.
fn program() -> OsString {
    let beside = || {
        let library = library()?;
        let folder = library.parent()?;
        let candidates = [folder.join("../bin/starling"), folder.join("starling")];
        candidates.into_iter().find(|file| file.is_file())
    };
    beside().map_or_else(|| OsString::from("starling"), PathBuf::into_os_string)
}

/// The file that this code was loaded from.
fn library() -> Option<PathBuf> {
    // SAFETY: an all-zero Dl_info is a valid out-parameter.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    let inside = library as fn() -> Option<PathBuf> as *const libc::c_void;
    // SAFETY: dladdr only looks the address up and fills `found`.
    if unsafe { libc::dladdr(inside, &mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a name that the loader keeps as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    std::fs::canonicalize(Path::new(name.to_str().ok()?)).ok()
}

/// Starts the launcher and joins it.
pub(super) fn start(segment: &OwnedFd) -> Result<Client, String> {
    let program = program();
    let failed = |error: io::Error| {
        let shown = program.to_string_lossy();
        format!("cannot start a launcher for this process ({shown}): {error}")
    };
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let passed = [segment.as_raw_fd(), theirs.as_raw_fd()];
    let mut command = Command::new(&program);
    command.arg("adopt").args(passed.map(|fd| fd.to_string()));
    command.arg(std::process::id().to_string()).stdin(Stdio::null());
    // SAFETY: fcntl is async-signal-safe, and the descriptors are open in the new process.
    unsafe {
        command.pre_exec(move || {
            for fd in passed {
                if libc::fcntl(fd, libc::F_SETFD, 0) == -1 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        })
    };
    let mut child = command.spawn().map_err(failed)?;
    drop(theirs);
    // What was started goes on in the background at once. Where the program itself collects its
    // children there is nothing to wait for.
    let _ = child.wait();
    Client::connect(OwnedFd::from(ours), 0, 1).map_err(failed)
}
