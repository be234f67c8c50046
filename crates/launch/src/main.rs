//! `starling`: the launcher of Starling MPI, also called mpiexec and mpirun.
//!
//! ```text
//! starling run (front) ── agent ──┬─ rank 0
//!                                 ├─ rank 1
//!                                 └─ ...
//! ```
//! The front takes the user's signals and watches the agent. The agent starts the ranks, moves
//! their output, serves PMI and ends them all when one fails. Each notices when the other dies;
//! no process is left in either case. `plan` decides everything before the first process starts.

mod agent;
mod cli;
mod environment;
mod front;
mod hosts;
mod info;
mod manual;
mod os;
mod place;
mod plan;
mod program;
mod segment;

use agent::Adopted;
use clap::{CommandFactory, FromArgMatches};
use cli::options::{AdoptOptions, Cli, Task, EXAMPLES};
use cli::usage::{Answer, Refusal};
use os::files;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

fn main() {
    let words: Vec<OsString> = std::env::args_os().collect();
    let called = words.first().map(Path::new).and_then(Path::file_name);
    let called = called.unwrap_or(OsStr::new("starling")).to_string_lossy().into_owned();
    let code = match perform(&called, words.get(1..).unwrap_or_default()) {
        Ok(code) => code,
        Err(Answer::Text(text)) => print(&text),
        Err(Answer::Refusal(refusal)) => {
            eprintln!("starling: {refusal}");
            refusal.exit_code
        }
    };
    std::process::exit(code);
}

fn perform(called: &str, words: &[OsString]) -> Result<i32, Answer> {
    if ["mpiexec", "mpirun"].iter().any(|name| called.starts_with(name)) {
        return run(words, called);
    }
    match words.first().and_then(|word| word.to_str()) {
        Some("run") => return run(&words[1..], "starling run"),
        None if words.is_empty() => return Ok(print(&short_help())),
        _ => {}
    }
    let matches = Cli::command().no_binary_name(true).try_get_matches_from(words)?;
    match Cli::from_arg_matches(&matches)?.task {
        Task::Run(_) => run(&words[1..], "starling run"),
        Task::Info(options) => Ok(print(&info::report(options.json))),
        Task::Man(options) => Ok(print(&manual::page(&options.page)?)),
        Task::Adopt(options) => adopt(&options),
    }
}

fn adopt(options: &AdoptOptions) -> Result<i32, Answer> {
    let failed =
        |error: std::io::Error| Refusal::failure(format!("cannot serve the process: {error}"));
    let segment = files::inherited(options.segment).map_err(failed)?;
    let connection = files::inherited(options.connection).map_err(failed)?;
    let name = std::fs::read_to_string(format!("/proc/{}/comm", options.process));
    let name = name.unwrap_or_default().trim().to_string();
    let job = plan::Job::adopted(name, &plan::our_variables())?;
    let adopted = Adopted { pid: options.process, segment, connection };
    Ok(front::adopt(&job, adopted).map_err(failed)?)
}

fn run(words: &[OsString], called: &str) -> Result<i32, Answer> {
    let parts = cli::words::read(words, called)?;
    let job = plan::Job::plan(&parts, &plan::our_variables())?;
    for warning in starling_settings::warnings() {
        eprintln!("starling: {warning}");
    }
    if job.show_binding {
        eprint!("{}", place::picture::draw(&job.topology, &job.places, &job.host));
    }
    if job.apps.is_empty() {
        return Ok(0);
    }
    front::run(&job)
        .map_err(|error| Answer::from(Refusal::failure(format!("cannot start the job: {error}"))))
}

fn short_help() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let more = "All options: starling run --help";
    format!("Starling MPI {version}: run MPI programs.\n\n{EXAMPLES}\n{more}\n")
}

/// Prints on standard output; a reader that has seen enough is not an error.
fn print(text: &str) -> i32 {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("starling: cannot write standard output: {error}");
            1
        }
        _ => 0,
    }
}
