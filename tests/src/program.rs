//! One test program: what its header comment asks for, and how it is compiled. Called by
//! `launched.rs` for every file below `tests/c` and `tests/python`.
//!
//! The header is the run of comment lines that opens the file. A line `key: value` in it is an
//! order to the runner; any other line is prose.
//!
//! | key | value | meaning |
//! |---|---|---|
//! | `ranks` | `1 2 4` | one test per number (default `1`) |
//! | `timeout` | seconds | time limit of a run (default 30) |
//! | `args` | words | arguments of the program |
//! | `env` | `A=B` | one variable; the key may be repeated |
//! | `launcher` | words | flags of `mpiexec` |
//! | `cflags` | words | flags of the compiler |
//! | `wrapper` | file and words | a C program to start in front of this one, and its arguments |
//! | `expect-exit` | number or `nonzero` | exit status of the launcher (default 0) |
//! | `expect-stdout`, `expect-stderr` | regex | must be found in the output |
//! | `memory` | MiB | skipped when less is available |
//! | `mpich` | reason | skipped on another MPI, and why |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use regex::Regex;

use crate::place::{prefix, repository, Tools};

/// The exit status a program must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitWanted {
    /// This one.
    Code(i32),
    /// Any but 0.
    NonZero,
}

/// A test program and what its header asks for.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source file.
    pub source: PathBuf,
    /// `chapter/name`.
    pub name: String,
    /// The rank counts to run it with.
    pub ranks: Vec<usize>,
    /// Time limit of one run.
    pub limit: Duration,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Variables set for the job.
    pub env: Vec<(String, String)>,
    /// Flags of the launcher.
    pub launcher: Vec<String>,
    /// Flags of the compiler.
    pub cflags: Vec<String>,
    /// A program to start in front of this one (below `tests/c`), and its arguments.
    pub wrapper: Vec<String>,
    /// The exit status wanted.
    pub exit: ExitWanted,
    /// Must be found in standard output.
    pub stdout: Vec<Regex>,
    /// Must be found in standard error.
    pub stderr: Vec<Regex>,
    /// Memory that must be available, in MiB.
    pub memory_mib: u64,
    /// Why it is not run on another MPI.
    pub not_on_other: Option<String>,
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

impl Program {
    /// Reads the header of `source`.
    ///
    /// # Errors
    /// A sentence with the file and line when the file cannot be read or an order is malformed.
    pub fn read(source: &Path, name: &str) -> Result<Program, String> {
        let text = fs::read_to_string(source).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut program = Program {
            source: source.to_path_buf(),
            name: name.to_owned(),
            ranks: vec![1],
            limit: Duration::from_secs(30),
            args: Vec::new(),
            env: Vec::new(),
            launcher: Vec::new(),
            cflags: Vec::new(),
            wrapper: Vec::new(),
            exit: ExitWanted::Code(0),
            stdout: Vec::new(),
            stderr: Vec::new(),
            memory_mib: 0,
            not_on_other: None,
        };
        for (index, line) in text.lines().enumerate() {
            let Some(comment) = line.strip_prefix("//").or_else(|| line.strip_prefix('#')) else {
                break;
            };
            if let Some((key, value)) = order(comment.trim()) {
                program
                    .obey(key, value)
                    .map_err(|e| format!("{}:{}: {e}", source.display(), index + 1))?;
            }
        }
        Ok(program)
    }

    fn obey(&mut self, key: &str, value: &str) -> Result<(), String> {
        let bad = |e: &dyn std::fmt::Display| format!("`{key}: {value}`: {e}");
        match key {
            "ranks" => {
                let parsed: Result<Vec<usize>, _> =
                    value.split_whitespace().map(str::parse).collect();
                self.ranks = parsed.map_err(|e| bad(&e))?;
            }
            "timeout" => {
                self.limit = Duration::from_secs(value.parse().map_err(|e| bad(&e))?);
            }
            "args" => self.args = words(value),
            "env" => {
                let (name, value) = value.split_once('=').ok_or_else(|| bad(&"wants A=B"))?;
                self.env.push((name.to_owned(), value.to_owned()));
            }
            "launcher" => self.launcher = words(value),
            "cflags" => self.cflags = words(value),
            "wrapper" => self.wrapper = words(value),
            "expect-exit" if value == "nonzero" => self.exit = ExitWanted::NonZero,
            "expect-exit" => {
                self.exit = ExitWanted::Code(value.parse().map_err(|e| bad(&e))?);
            }
            "expect-stdout" => self.stdout.push(Regex::new(value).map_err(|e| bad(&e))?),
            "expect-stderr" => self.stderr.push(Regex::new(value).map_err(|e| bad(&e))?),
            "memory" => self.memory_mib = value.parse().map_err(|e| bad(&e))?,
            "mpich" => self.not_on_other = Some(value.to_owned()),
            _ => return Err(format!("`{key}` is no order of the runner")),
        }
        Ok(())
    }

    /// Whether it is started by Python and not compiled.
    pub fn is_python(&self) -> bool {
        self.source.extension().is_some_and(|e| e == "py")
    }

    /// The command of the whole job at `ranks` ranks; compiles what has to be compiled.
    ///
    /// # Errors
    /// What the compiler said.
    pub fn command(&self, tools: &Tools, ranks: usize) -> Result<Command, String> {
        let mut command = tools.launch(ranks);
        command.args(&self.launcher);
        if let Some((wrapper, arguments)) = self.wrapper.split_first() {
            let source = repository().join("tests/c").join(wrapper);
            command.arg(tools.compile_program(&source)?).args(arguments);
        }
        if self.is_python() {
            // So started, an exception on one rank ends all of them.
            command.arg(&tools.python).args(["-m", "mpi4py"]).arg(&self.source);
        } else {
            let chapter = Path::new(&self.name).parent().unwrap_or(Path::new(""));
            let dir = tools.build_dir().join(chapter);
            command.arg(compile(&self.source, &dir, &self.cflags, tools)?);
        }
        command.args(&self.args);
        for (name, value) in &self.env {
            command.env(name, value);
        }
        Ok(command)
    }
}

impl Tools {
    /// Compiles a program that is no test of its own (`tests/c/programs`), once at a time.
    ///
    /// # Errors
    /// As [`compile`].
    pub fn compile_program(&self, source: &Path) -> Result<PathBuf, String> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        // The guarded value is nothing, so a panic of another holder left nothing half done.
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        compile(source, &self.build_dir().join("programs"), &[], self)
    }
}

/// Splits `key: value`; prose has no lower-case word directly before the first colon.
fn order(comment: &str) -> Option<(&str, &str)> {
    let (key, value) = comment.split_once(": ")?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_key.then(|| (key, value.trim()))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}

/// Compiles `source` into `dir` with the wrapper, unless what is there is newer than all it was
/// made from, and returns the program's path.
///
/// # Errors
/// The command and what the compiler said.
pub fn compile(
    source: &Path,
    dir: &Path,
    cflags: &[String],
    tools: &Tools,
) -> Result<PathBuf, String> {
    let stem = source.file_stem().ok_or_else(|| format!("{}: no name", source.display()))?;
    let program = dir.join(stem);
    let headers = repository().join("tests/c");
    let inputs = [
        source.to_path_buf(),
        headers.join("check.h"),
        headers.join("types.h"),
        tools.mpicc.clone(),
        prefix().join("include/mpi.h"),
    ];
    let made = modified(&program);
    let newest = inputs.iter().filter_map(|p| modified(p)).max();
    if made.is_some() && made > newest {
        return Ok(program);
    }
    fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    // Made under another name first, so that a compiler that is killed leaves nothing half done.
    let part = dir.join(format!("{}.part", stem.to_string_lossy()));
    let mut command = Command::new(&tools.mpicc);
    command.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-pthread"]);
    // What a program must not get away with, since it would hide a wrong prototype in mpi.h.
    command.args(
        ["implicit-function-declaration", "int-conversion", "incompatible-pointer-types"]
            .map(|kind| format!("-Werror={kind}")),
    );
    command.arg("-I").arg(&headers).arg("-o").arg(&part).arg(source);
    command.args(cflags).arg("-lm");
    let output = command.output().map_err(|e| format!("{}: {e}", tools.mpicc.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} failed:\n{said}"));
    }
    fs::rename(&part, &program).map_err(|e| format!("{}: {e}", program.display()))?;
    Ok(program)
}
