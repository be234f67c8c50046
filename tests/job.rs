//! What a whole job has to do beyond its ranks' own checks: die as one, leave nothing behind, have
//! no names in the file system, start with 512 ranks, alone, and under and over another MPI.
//!
//! Run by `cargo test -p starling-tests --test job`; relies on a staged prefix. The programs are in
//! `tests/c/programs`. One test at a time, since some look at the machine as a whole.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use starling_tests::{job, place, Job, Outcome, Tools};

type Check = fn(&Tools) -> Result<(), Failed>;

/// Time limit of a job that needs no time.
const LIMIT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(why) => {
            eprintln!("job tests cannot run: {why}");
            return ExitCode::FAILURE;
        }
    };
    let checks: [(&str, Check); 11] = [
        ("a_rank_that_dies_ends_the_job", a_rank_that_dies_ends_the_job),
        ("signals_are_named", signals_are_named),
        ("nothing_survives_sigkill", nothing_survives_sigkill),
        ("nothing_has_a_name", nothing_has_a_name),
        ("many_ranks", many_ranks),
        ("alone", alone),
        ("alone_starts_processes", alone_starts_processes),
        ("families_die_together", families_die_together),
        ("programs_without_mpi", programs_without_mpi),
        ("under_mpich_launcher", under_mpich_launcher),
        ("mpich_program_under_our_launcher", mpich_program_under_our_launcher),
    ];
    let trials = checks
        .into_iter()
        .map(|(name, check)| {
            let copy = tools.clone();
            Trial::test(format!("job/{name}"), move || check(&copy))
                .with_ignored_flag(tools.is_oracle)
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn program(tools: &Tools, name: &str) -> Result<PathBuf, String> {
    let source = place::repository().join("tests/c/programs").join(name);
    tools.compile_program(&source.with_extension("c"))
}

fn run(mut command: Command, arguments: &[&str], limit: Duration) -> Result<Outcome, Failed> {
    command.args(arguments);
    Ok(job::run(command, limit)?)
}

/// Fails with the job's output unless `holds`, and when something outlived the launcher.
fn check(outcome: &Outcome, holds: bool, why: &str) -> Result<(), Failed> {
    if !outcome.survivors.is_empty() {
        let left = outcome.survivors.join(", ");
        return Err(outcome.report(&format!("outlived the launcher: {left}")).into());
    }
    if holds {
        return Ok(());
    }
    Err(outcome.report(why).into())
}

fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is ours and its length is passed less one, so that it ends with a zero.
    unsafe {
        libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1);
    }
    CStr::from_bytes_until_nul(&name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A job of three whose last rank dies by `signal`; the outcome, and the pid of that rank.
fn die_by(tools: &Tools, signal: i32) -> Result<(Outcome, String), Failed> {
    let mut command = tools.launch(3);
    command.arg(program(tools, "dies")?).arg(signal.to_string());
    let outcome = job::run(command, LIMIT)?;
    let pid = outcome.stdout.lines().find_map(|l| l.split("pid ").nth(1)).unwrap_or("none");
    let pid = pid.trim().to_owned();
    Ok((outcome, pid))
}

fn a_rank_that_dies_ends_the_job(tools: &Tools) -> Result<(), Failed> {
    let (outcome, pid) = die_by(tools, libc::SIGSEGV)?;
    check(&outcome, outcome.status.is_some(), "did not end when a rank died")?;
    let wanted = 128 + libc::SIGSEGV;
    check(&outcome, outcome.code() == wanted, &format!("the exit code is not {wanted}"))?;
    let host = host_name();
    let words = ["rank 2", host.as_str(), pid.as_str(), "SIGSEGV"];
    let lines: Vec<&str> =
        outcome.stderr.lines().filter(|l| words.iter().all(|w| l.contains(w))).collect();
    check(&outcome, lines.len() == 1, &format!("not exactly one line has all of {words:?}"))
}

fn signals_are_named(tools: &Tools) -> Result<(), Failed> {
    let signals =
        [(libc::SIGABRT, "SIGABRT"), (libc::SIGKILL, "SIGKILL"), (libc::SIGFPE, "SIGFPE")];
    for (signal, name) in signals {
        let (outcome, pid) = die_by(tools, signal)?;
        check(&outcome, outcome.status.is_some(), "did not end when a rank died")?;
        let holds = outcome.code() == 128 + signal
            && outcome.stderr.lines().any(|l| l.contains(name) && l.contains(&pid));
        check(&outcome, holds, &format!("{name} is not reported, or not the exit code"))?;
    }
    Ok(())
}

/// A job that has communicated and now waits for ever.
fn staying(tools: &Tools, ranks: usize) -> Result<Job, Failed> {
    let mut command = tools.launch(ranks);
    command.arg(program(tools, "stays")?);
    let job = Job::start(command)?;
    if !wait_until_ready(&job, ranks) {
        let outcome = job.finish(Duration::ZERO);
        return Err(outcome.report("the ranks did not get ready").into());
    }
    Ok(job)
}

/// Waits until that many processes have said so.
fn wait_until_ready(job: &Job, processes: usize) -> bool {
    let start = Instant::now();
    while job.stdout_so_far().matches("ready").count() < processes {
        if start.elapsed() > LIMIT {
            return false;
        }
        sleep(Duration::from_millis(10));
    }
    true
}

/// What lies in the folders where other MPIs leave things.
fn named_things() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for dir in ["/dev/shm", "/tmp", "/dev/mqueue", "/run/user", "/var/tmp"] {
        if let Ok(entries) = fs::read_dir(dir) {
            found.extend(entries.flatten().map(|e| e.path()));
        }
    }
    found
}

/// Whether a path outside of the build is one where names are left behind.
fn is_suspicious(path: &str) -> bool {
    let is_ours = Path::new(path).starts_with(place::repository())
        || Path::new(path).starts_with(place::prefix());
    let places = ["/dev/shm/", "/tmp/", "/dev/mqueue/", "/run/", "/var/tmp/", "/SYSV"];
    !is_ours && places.iter().any(|p| path.starts_with(p))
}

fn nothing_survives_sigkill(tools: &Tools) -> Result<(), Failed> {
    let before = named_things();
    let job = staying(tools, 4)?;
    let pids: Vec<String> = job.alive().iter().map(|(pid, _)| pid.to_string()).collect();
    if pids.len() < 5 {
        return Err(format!("only {} processes of a job of 4 are alive", pids.len()).into());
    }
    job::kill(job.pid(), libc::SIGKILL);
    let outcome = job.finish(LIMIT);
    check(&outcome, outcome.code() == 128 + libc::SIGKILL, "the launcher did not die")?;
    // Other programs make files too: ours would carry our name or a process id of the job.
    let left: Vec<PathBuf> = named_things()
        .difference(&before)
        .filter(|path| {
            let name = path.to_string_lossy();
            name.contains("starling")
                || name.contains("mpi")
                || pids.iter().any(|pid| name.contains(pid.as_str()))
        })
        .cloned()
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(format!("left behind: {left:?}").into())
}

/// Looks at every mapping, descriptor and socket of a running job.
fn nothing_has_a_name(tools: &Tools) -> Result<(), Failed> {
    let job = staying(tools, 4)?;
    let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut seen = Vec::new();
    let mut memfds = 0;
    for (pid, command) in job.alive() {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        for path in maps.lines().filter_map(|l| l.split_whitespace().nth(5)) {
            memfds += usize::from(path.starts_with("/memfd:"));
            if is_suspicious(path) {
                seen.push(format!("{pid} ({command}) maps {path}"));
            }
        }
        let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        for link in descriptors.flatten().filter_map(|e| fs::read_link(e.path()).ok()) {
            let link = link.to_string_lossy().into_owned();
            if is_suspicious(&link) {
                seen.push(format!("{pid} ({command}) has {link} open"));
            }
            if let Some(path) = socket_name(&link, &sockets) {
                seen.push(format!("{pid} ({command}) has a socket named {path}"));
            }
        }
    }
    drop(job);
    if memfds == 0 {
        return Err("no process of the job maps a memfd: the test looks at the wrong ones".into());
    }
    if seen.is_empty() {
        return Ok(());
    }
    seen.sort();
    seen.dedup();
    Err(seen.join("\n").into())
}

/// The file name of the Unix socket behind a descriptor link `socket:[inode]`, if it has one.
fn socket_name<'a>(link: &str, sockets: &'a str) -> Option<&'a str> {
    let inode = link.strip_prefix("socket:[")?.strip_suffix(']')?;
    let columns = |line: &'a str| -> Vec<&'a str> { line.split_whitespace().collect() };
    let row = sockets.lines().map(columns).find(|c| c.get(6) == Some(&inode))?;
    // Names that start with @ are not in the file system and go with their socket.
    row.get(7).copied().filter(|name| name.starts_with('/'))
}

fn many_ranks(tools: &Tools) -> Result<(), Failed> {
    let ranks = 512;
    let mut command = tools.launch(ranks);
    command.arg(program(tools, "hello")?);
    let outcome = job::run(command, Duration::from_secs(120))?;
    check_hello(&outcome, ranks)
}

/// Every rank said hello once, and knew the size.
fn check_hello(outcome: &Outcome, ranks: usize) -> Result<(), Failed> {
    check(outcome, outcome.code() == 0, "did not end well")?;
    let sum = ranks * (ranks - 1) / 2;
    let wanted: BTreeSet<String> =
        (0..ranks).map(|r| format!("hello from {r} of {ranks}, sum {sum}")).collect();
    let lines: Vec<&str> = outcome.stdout.lines().filter(|l| l.contains("hello")).collect();
    let said: BTreeSet<String> = lines.iter().map(|l| l.trim().to_owned()).collect();
    let holds = said == wanted && lines.len() == ranks;
    check(outcome, holds, &format!("not one hello of each of {ranks} ranks"))
}

fn alone(tools: &Tools) -> Result<(), Failed> {
    let outcome = run(Command::new(program(tools, "hello")?), &[], LIMIT)?;
    check_hello(&outcome, 1)
}

/// Programs that start others do so without a launcher too.
fn alone_starts_processes(tools: &Tools) -> Result<(), Failed> {
    for name in ["spawn", "spawn_multiple", "spawn_errors", "grandchildren"] {
        let source = place::repository().join("tests/c/dynamic").join(name).with_extension("c");
        let outcome = run(Command::new(tools.compile_program(&source)?), &[], LIMIT)?;
        let holds = outcome.code() == 0 && outcome.survivors.is_empty();
        check(&outcome, holds, &format!("{name} did not end well"))?;
    }
    Ok(())
}

/// When a process is killed that has started others, or one of those, nothing is left.
fn families_die_together(tools: &Tools) -> Result<(), Failed> {
    let family = program(tools, "family")?;
    let mut launched = tools.launch(1);
    launched.arg(&family);
    let named = family.to_string_lossy().into_owned();
    for (command, victim) in [(Command::new(&family), 0), (Command::new(&family), 1), (launched, 2)]
    {
        let job = Job::start(command)?;
        wait_until_ready(&job, 3);
        let alive = job.alive();
        let of_family = alive.iter().filter(|(_, line)| line.starts_with(&named));
        let mut pids: Vec<i32> = of_family.map(|(pid, _)| *pid).collect();
        pids.sort_unstable();
        if pids.len() != 3 {
            let outcome = job.finish(Duration::ZERO);
            return Err(outcome.report(&format!("not a family of three: {alive:?}")).into());
        }
        job::kill(pids[victim], libc::SIGKILL);
        let outcome = job.finish(LIMIT);
        let holds = outcome.code() > 128 && outcome.survivors.is_empty();
        check(&outcome, holds, &format!("process {victim} was killed, others live: {alive:?}"))?;
    }
    Ok(())
}

fn programs_without_mpi(tools: &Tools) -> Result<(), Failed> {
    let outcome = run(tools.launch(3), &["sh", "-c", "echo from $PMI_RANK of $PMI_SIZE"], LIMIT)?;
    check(&outcome, outcome.code() == 0, "a program without MPI did not end well")?;
    let lines: BTreeSet<&str> = outcome.stdout.lines().collect();
    let wanted = BTreeSet::from(["from 0 of 3", "from 1 of 3", "from 2 of 3"]);
    check(&outcome, lines == wanted, "not one line of each rank")?;
    let outcome = run(tools.launch(2), &["sh", "-c", "exit 7"], LIMIT)?;
    check(&outcome, outcome.code() == 7, "the exit code is not 7")?;
    let outcome = run(tools.launch(2), &["./no-such-program"], LIMIT)?;
    let named = outcome.stderr.contains("no-such-program");
    check(&outcome, outcome.code() != 0 && named, "a missing program is not named")
}

/// MPICH from PyPI in a virtual environment of its own; installed once.
fn mpich(tools: &Tools) -> Result<PathBuf, Failed> {
    let root = place::target().join("peers/mpich");
    let bin = root.join("bin");
    if bin.join("mpiexec").exists() && bin.join("mpicc").exists() {
        return Ok(bin);
    }
    let python =
        if tools.python.exists() { tools.python.clone() } else { PathBuf::from("python3") };
    let mut make = Command::new(python);
    make.args(["-m", "venv", "--clear"]).arg(&root);
    let outcome = job::run(make, Duration::from_secs(120))?;
    check(&outcome, outcome.code() == 0, "no virtual environment for MPICH could be made")?;
    let mut install = Command::new(bin.join("python"));
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mpich"]);
    let outcome = job::run(install, Duration::from_secs(240))?;
    check(&outcome, outcome.code() == 0, "MPICH could not be installed from PyPI")?;
    Ok(bin)
}

fn under_mpich_launcher(tools: &Tools) -> Result<(), Failed> {
    let mut command = Command::new(mpich(tools)?.join("mpiexec"));
    command.args(["-n", "4"]).arg(program(tools, "hello")?);
    let outcome = job::run(command, LIMIT)?;
    check_hello(&outcome, 4)?;
    let mut command = Command::new(mpich(tools)?.join("mpiexec"));
    command.args(["-n", "2"]).arg(program(tools, "exchange")?);
    let outcome = job::run(command, LIMIT)?;
    check(&outcome, outcome.code() == 0, "messages under MPICH's launcher went wrong")
}

fn mpich_program_under_our_launcher(tools: &Tools) -> Result<(), Failed> {
    let bin = mpich(tools)?;
    let hello = place::repository().join("tests/c/programs/hello.c");
    let built = bin.join("starling-test-hello");
    let mut compile = Command::new(bin.join("mpicc"));
    compile.arg("-o").arg(&built).arg(&hello);
    let outcome = job::run(compile, LIMIT)?;
    check(&outcome, outcome.code() == 0, "MPICH's compiler wrapper failed")?;
    for ranks in [1, 2, 4] {
        let mut command = tools.launch(ranks);
        command.arg(&built);
        // MPICH polls without a pause; on a small machine it needs these to get anywhere.
        command.env("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1");
        command.env("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "8");
        check_hello(&job::run(command, LIMIT)?, ranks)?;
    }
    Ok(())
}
