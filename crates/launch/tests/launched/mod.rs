//! Runs the launcher for a test, with a watchdog, and looks for what it leaves behind.
//!
//! Each run carries a variable of its own in its environment, which all its processes inherit: by
//! it they are found, and killed when the test's time is over, whoever their parents are.

#![allow(dead_code)]

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Generous: these runs take well under a second.
const LIMIT: Duration = Duration::from_secs(60);
const MARK: &str = "STARLING_TEST_MARK";

/// A launcher that was started.
pub struct Launched {
    child: Option<Child>,
    mark: String,
    deadline: Instant,
}

/// How it ended.
pub struct Outcome {
    /// The exit code, 128 and more for signals.
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Outcome {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is text")
    }

    /// The lines of standard output in alphabetical order.
    pub fn sorted(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.text().lines().collect();
        lines.sort_unstable();
        lines
    }
}

/// The launcher with these arguments, ready to be changed and started.
pub fn launcher(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starling"));
    command.arg("run").args(arguments).env_remove("MPIEXEC_TIMEOUT");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `starling run` with these arguments to its end.
pub fn run(arguments: &[&str]) -> Outcome {
    Launched::start(&mut launcher(arguments)).finish()
}

/// The same with something to read.
pub fn run_with_input(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut launched = Launched::start(launcher(arguments).stdin(Stdio::piped()));
    let mut pipe = launched.child().stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // The launcher may end before it has read everything: then there is nobody to write to.
    std::thread::spawn(move || drop(pipe.write_all(&input)));
    launched.finish()
}

impl Launched {
    pub fn start(command: &mut Command) -> Launched {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's uniqueness matters.
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}", std::process::id());
        let child = command.env(MARK, &mark).spawn().expect("the launcher starts");
        Launched { child: Some(child), mark, deadline: Instant::now() + LIMIT }
    }

    pub fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("it has not been waited for")
    }

    pub fn pid(&mut self) -> i32 {
        self.child().id() as i32
    }

    pub fn signal(&mut self, signal: i32) {
        send(self.pid(), signal);
    }

    /// All processes of this run that live now.
    pub fn processes(&self) -> Vec<i32> {
        let wanted = format!("{MARK}={}", self.mark);
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let variables = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if variables.split(|&b| b == 0).any(|variable| variable == wanted.as_bytes()) {
                found.push(pid);
            }
        }
        found
    }

    /// Waits until something is so.
    pub fn until(&mut self, what: &str, mut condition: impl FnMut(&mut Launched) -> bool) {
        while !condition(self) {
            if Instant::now() > self.deadline {
                panic!("not within {LIMIT:?}: {what}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the file has this many lines.
    pub fn until_lines(&mut self, file: &std::path::Path, lines: usize) -> Vec<String> {
        let read = || std::fs::read_to_string(file).unwrap_or_default();
        self.until("the ranks have started", |_| read().lines().count() >= lines);
        read().lines().map(str::to_string).collect()
    }

    /// Waits for the end of the launcher and checks that no process of it is left.
    pub fn finish(mut self) -> Outcome {
        let mut child = self.child.take().expect("it has not been waited for");
        let stdout = read_all(child.stdout.take());
        let stderr = read_all(child.stderr.take());
        let mut status = None;
        self.until("the launcher ends", |_| {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        let status = status.unwrap();
        self.until_nothing_is_left();
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap());
        let stderr = String::from_utf8_lossy(&stderr.join().unwrap()).into_owned();
        Outcome { code, stdout: stdout.join().unwrap(), stderr }
    }

    /// Waits until no process of this run lives.
    pub fn until_nothing_is_left(&mut self) {
        self.until("no process is left", |launched| launched.processes().is_empty());
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        // Repeated, for processes that were being made.
        for _ in 0..10 {
            self.processes().into_iter().for_each(|pid| send(pid, libc::SIGKILL));
        }
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }
}

fn read_all<R: Read + Send + 'static>(from: Option<R>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            from.read_to_end(&mut bytes).unwrap();
        }
        bytes
    })
}

pub fn send(pid: i32, signal: i32) {
    // SAFETY: no pointers; the numbers are of processes of this run, found a moment ago.
    unsafe { libc::kill(pid, signal) };
}

/// A folder that goes away with the value.
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("starling-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
