//! Compiles every program below `tests/c`, and runs it and those of `tests/python` through the
//! launcher: one test per program and rank count, named `c/<chapter>/<name>/<ranks>`.
//!
//! Run by `cargo test -p starling-tests --test launched [filter]`; relies on a staged prefix (see
//! `starling_tests::place`). At most two jobs run at once, since each has ranks of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use starling_tests::{job, place, ExitWanted, Outcome, Program, Tools};

/// Jobs at once.
const JOBS_MAX: usize = 2;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let jobs = arguments.test_threads.unwrap_or(JOBS_MAX).clamp(1, JOBS_MAX);
    arguments.test_threads = Some(jobs);
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(why) => {
            eprintln!("launched tests cannot run: {why}");
            return ExitCode::FAILURE;
        }
    };
    match programs() {
        Ok(programs) => {
            let trials = programs.into_iter().flat_map(|p| trials(p, &tools)).collect();
            libtest_mimic::run(&arguments, trials).exit_code()
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Every test program, sorted by name.
fn programs() -> Result<Vec<Program>, String> {
    let tests = place::repository().join("tests");
    let mut found = Vec::new();
    for chapter in listing(&tests.join("c"))? {
        if !chapter.is_dir() || chapter.ends_with("programs") {
            continue;
        }
        for source in listing(&chapter)? {
            if source.extension().is_some_and(|e| e == "c") {
                let name = source.strip_prefix(&tests).unwrap_or(&source).with_extension("");
                found.push(Program::read(&source, &name.to_string_lossy())?);
            }
        }
    }
    for source in listing(&tests.join("python"))? {
        if source.extension().is_some_and(|e| e == "py") {
            let name = source.strip_prefix(&tests).unwrap_or(&source).with_extension("");
            found.push(Program::read(&source, &name.to_string_lossy())?);
        }
    }
    Ok(found)
}

fn listing(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    Ok(paths)
}

fn trials(program: Program, tools: &Tools) -> Vec<Trial> {
    // The lock keeps two rank counts of one program from compiling it twice at once.
    let program = Arc::new(Mutex::new(program));
    let ranks = program.lock().map(|p| p.ranks.clone()).unwrap_or_default();
    let name = program.lock().map(|p| p.name.clone()).unwrap_or_default();
    ranks
        .into_iter()
        .map(|n| {
            let program = Arc::clone(&program);
            let tools = tools.clone();
            Trial::ignorable_test(format!("{name}/{n}"), move || test(&program, &tools, n))
        })
        .collect()
}

fn test(program: &Mutex<Program>, tools: &Tools, ranks: usize) -> Result<Completion, Failed> {
    let (program, command) = {
        let program = program.lock().map_err(|_| "another rank count panicked")?;
        if let (true, Some(why)) = (tools.is_oracle, &program.not_on_other) {
            return Ok(Completion::ignored_with(why));
        }
        if available_mib() < program.memory_mib {
            return Ok(Completion::ignored_with("not enough memory available"));
        }
        (program.clone(), program.command(tools, ranks)?)
    };
    let outcome = job::run(command, program.limit)?;
    judge(&program, &outcome).map_err(|why| outcome.report(&why))?;
    Ok(Completion::Completed)
}

/// Compares how a job ended with what its header asks for.
fn judge(program: &Program, outcome: &Outcome) -> Result<(), String> {
    if outcome.status.is_none() {
        return Err(format!("did not end within {} s", program.limit.as_secs()));
    }
    if !outcome.survivors.is_empty() {
        return Err(format!("outlived the launcher: {}", outcome.survivors.join(", ")));
    }
    let code = outcome.code();
    let ended_well = match program.exit {
        ExitWanted::Code(wanted) => code == wanted,
        ExitWanted::NonZero => code != 0 && code < 128,
    };
    if !ended_well {
        return Err(format!("exit code {code}, wanted {:?}", program.exit));
    }
    for (text, patterns) in [(&outcome.stdout, &program.stdout), (&outcome.stderr, &program.stderr)]
    {
        if let Some(missing) = patterns.iter().find(|p| !p.is_match(text)) {
            return Err(format!("output lacks /{missing}/"));
        }
    }
    for text in [&outcome.stdout, &outcome.stderr] {
        if let Some(line) = text.lines().find(|l| l.contains("FAIL ")) {
            return Err(line.to_owned());
        }
    }
    Ok(())
}

fn available_mib() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
