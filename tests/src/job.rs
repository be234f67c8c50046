//! Runs one command under a time limit, in a process group of its own, and makes sure that
//! nothing of it is left. Called by every launched test.
//!
//! Each job carries a marker variable with a value of its own. What has it in its environment
//! (`/proc/<pid>/environ`) belongs to the job, whatever group or session it moved to.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::target;

/// The variable that marks every process of a job.
pub const MARKER: &str = "STARLING_TEST_MARKER";

/// How long what is left of a job may take to go after its launcher ended.
const GRACE: Duration = Duration::from_secs(3);

/// How a job ended.
#[derive(Debug)]
pub struct Outcome {
    /// The launcher's status; `None` when the time limit ended it.
    pub status: Option<ExitStatus>,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
    /// Processes that outlived the launcher (`pid command`); they are killed by now.
    pub survivors: Vec<String>,
    /// Wall time from start to end.
    pub elapsed: Duration,
}

impl Outcome {
    /// The exit code as a shell shows it: 128 + signal for a launcher that a signal ended, -1
    /// when the time limit did.
    pub fn code(&self) -> i32 {
        match self.status {
            None => -1,
            Some(status) => status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        }
    }

    /// Everything a person needs to see of a job that failed.
    pub fn report(&self, why: &str) -> String {
        let tail = |text: &str| -> String {
            let lines: Vec<&str> = text.lines().collect();
            let skip = lines.len().saturating_sub(60);
            lines[skip..].join("\n")
        };
        format!(
            "{why} (exit code {}, {:.1} s)\n--- stdout\n{}\n--- stderr\n{}",
            self.code(),
            self.elapsed.as_secs_f64(),
            tail(&self.stdout),
            tail(&self.stderr)
        )
    }
}

/// A running job. Dropping it kills all of it.
#[derive(Debug)]
pub struct Job {
    child: Child,
    marker: String,
    files: [PathBuf; 2],
    started: Instant,
    is_over: bool,
}

impl Job {
    /// Starts `command` with no standard input.
    ///
    /// # Errors
    /// A sentence that names the command and the cause.
    pub fn start(mut command: Command) -> Result<Job, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only uniqueness matters.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{}-{number}", std::process::id());
        let dir = target().join("launched/output");
        fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let files = [dir.join(format!("{marker}.out")), dir.join(format!("{marker}.err"))];
        let open = |path: &PathBuf| -> Result<Stdio, String> {
            File::create(path).map(Stdio::from).map_err(|e| format!("{}: {e}", path.display()))
        };
        command.stdin(Stdio::null()).stdout(open(&files[0])?).stderr(open(&files[1])?);
        command.env(MARKER, &marker).process_group(0);
        let child = command.spawn().map_err(|e| format!("cannot start {command:?}: {e}"))?;
        Ok(Job { child, marker, files, started: Instant::now(), is_over: false })
    }

    /// The launcher's process id.
    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// What the job has written to standard output so far.
    pub fn stdout_so_far(&self) -> String {
        read(&self.files[0])
    }

    /// The processes of the job that are alive, launcher included, as `(pid, command)`.
    pub fn alive(&self) -> Vec<(i32, String)> {
        marked(&self.marker)
    }

    /// Waits for the end, `limit` at most, then ends what is left.
    pub fn finish(mut self, limit: Duration) -> Outcome {
        let mut status = None;
        let mut pause = Duration::from_millis(2);
        while status.is_none() && self.started.elapsed() < limit {
            status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
        }
        let elapsed = self.started.elapsed();
        let mut survivors = Vec::new();
        if status.is_some() {
            let deadline = Instant::now() + GRACE;
            while !marked(&self.marker).is_empty() && Instant::now() < deadline {
                sleep(Duration::from_millis(10));
            }
            survivors = marked(&self.marker);
        }
        self.end();
        Outcome {
            status,
            stdout: read(&self.files[0]),
            stderr: read(&self.files[1]),
            survivors: survivors.into_iter().map(|(p, c)| format!("{p} {c}")).collect(),
            elapsed,
        }
    }

    /// Kills the group, then whatever else carries the marker, until nothing does.
    fn end(&mut self) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            kill(-self.pid(), libc::SIGKILL);
            let _ = self.child.wait();
        }
        for _ in 0..200 {
            let left = marked(&self.marker);
            if left.is_empty() {
                break;
            }
            for (pid, _) in left {
                kill(pid, libc::SIGKILL);
            }
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.end();
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
    }
}

/// Starts `command` and waits for its end, `limit` at most.
///
/// # Errors
/// As [`Job::start`].
pub fn run(command: Command, limit: Duration) -> Result<Outcome, String> {
    Ok(Job::start(command)?.finish(limit))
}

/// Sends `signal` to `pid` (a group when negative). A process that is gone already is fine.
pub fn kill(pid: i32, signal: i32) {
    // SAFETY: kill(2) takes two integers and touches no memory of ours; the ids come from jobs
    // that this process started and has not reaped, or that carry its marker.
    unsafe {
        libc::kill(pid, signal);
    }
}

fn read(path: &PathBuf) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The living processes whose environment carries `marker`.
fn marked(marker: &str) -> Vec<(i32, String)> {
    let wanted = format!("{MARKER}={marker}");
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir("/proc") else {
        return found;
    };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else {
            continue;
        };
        // A zombie's environment reads as empty, so the dead do not count.
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ.split(|&b| b == 0).any(|variable| variable == wanted.as_bytes()) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push((pid, line.trim().to_owned()));
        }
    }
    found
}
