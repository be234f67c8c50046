//! From options to a job: everything that is decided and checked before the first process.
//!
//! Called by `main`; the front and the agent work from the `Job` made here.

use crate::cli::options::{AppOptions, JobOptions, RunOptions};
use crate::cli::usage::Refusal;
use crate::environment::{self, Variables};
use crate::place::{self, policy::Policy};
use crate::{hosts, program};
use starling_topology::{process, CpuSet, Level, Topology};
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between SIGTERM and SIGKILL, when --grace does not say.
const GRACE: Duration = Duration::from_secs(1);

/// One program of the job.
#[derive(Clone)]
pub struct App {
    /// As the user wrote it, for messages.
    pub name: String,
    /// The file to run.
    pub file: CString,
    /// Its arguments, its name first.
    pub arguments: Vec<CString>,
    /// The folder to run in, None for ours.
    pub folder: Option<CString>,
    /// `NAME=VALUE` of all variables that its ranks share.
    pub variables: Vec<CString>,
}

/// Who reads standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Nobody.
    Nobody,
    /// One rank.
    Rank(usize),
    /// Every rank gets a copy.
    All,
}

/// A whole job.
pub struct Job {
    /// The programs, in the order of the command line.
    pub apps: Vec<App>,
    /// The program of each rank; its length is the number of ranks.
    pub app_of: Vec<u32>,
    /// The CPUs of each rank.
    pub places: Vec<Option<CpuSet>>,
    /// The machine that was placed on.
    pub topology: Topology,
    /// This host.
    pub host: String,
    /// A name that no other job has.
    pub name: String,
    /// MPI_UNIVERSE_SIZE.
    pub universe_size: Option<u32>,
    /// Who reads standard input.
    pub readers: Readers,
    /// Whether lines begin with their rank.
    pub prepend_rank: bool,
    /// Where standard output and standard error go, None for ours.
    pub patterns: [Option<OsString>; 2],
    /// Whether every rank's code is printed at the end.
    pub print_exit_codes: bool,
    /// When the job is over at the latest.
    pub timeout: Option<Duration>,
    /// Between asking the ranks to end and killing them.
    pub grace: Duration,
    /// Whether the picture of the binding is wanted.
    pub show_binding: bool,
    /// The variables of processes that the job starts while it runs.
    pub variables: Variables,
}

impl Job {
    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.app_of.len()
    }

    /// The program of a rank.
    pub fn app(&self, rank: usize) -> &App {
        &self.apps[self.app_of[rank] as usize]
    }

    /// Plans a job.
    ///
    /// # Errors
    /// When something is missing, wrong or not possible on one node.
    pub fn plan(parts: &[RunOptions], variables: &Variables) -> Result<Job, Refusal> {
        let options = &parts[0].job;
        refuse_what_is_not_there(options)?;
        let host = hosts::this_host();
        let topology = Topology::discover();
        let slots = slots(parts, options, variables, &host)?;
        let counts = counts(parts, options, slots, &topology)?;
        let size: usize = counts.iter().map(|&count| count as usize).sum();
        let limit = starling_settings::tunables().max_ranks_per_node;
        if size as u64 > limit {
            let message = format!(
                "{size} ranks are more than this node may have, {limit} \
                 (set STARLING_MAX_RANKS_PER_NODE to allow more)"
            );
            return Err(Refusal::usage(message));
        }
        let apps = parts.iter().filter(|part| !part.program.is_empty());
        let apps = apps.map(|part| plan_app(part, options, variables, None));
        let apps = apps.collect::<Result<Vec<App>, Refusal>>()?;
        let app_of = (0..).zip(&counts).flat_map(|(app, &n)| vec![app; n as usize]).collect();
        let policy = Policy::read(options.bind_to.as_deref(), options.map_by.as_deref())?;
        let default_slots = slots.unwrap_or(usable_cores(&topology));
        Ok(Job {
            apps,
            app_of,
            places: place::place(&topology, size, &policy),
            topology,
            name: unique_name(&host),
            universe_size: universe_size(options, default_slots.max(size as u32))?,
            host,
            readers: readers(&options.stdin, size)?,
            prepend_rank: options.prepend_rank,
            patterns: [options.outfile_pattern.clone(), options.errfile_pattern.clone()],
            print_exit_codes: options.print_all_exitcodes,
            timeout: timeout(options, variables)?,
            grace: options.grace.as_deref().map_or(Ok(GRACE), |text| seconds("--grace ", text))?,
            show_binding: options.show_binding,
            variables: environment::of_program(options, &AppOptions::default(), variables)?,
        })
    }

    /// The job of a process that was started without a launcher.
    ///
    /// # Errors
    /// When a setting is wrong.
    pub fn adopted(name: String, variables: &Variables) -> Result<Job, Refusal> {
        let (host, topology) = (hosts::this_host(), Topology::discover());
        let options = JobOptions::default();
        let app = App {
            name,
            file: CString::default(),
            arguments: vec![CString::default()],
            folder: None,
            variables: Vec::new(),
        };
        Ok(Job {
            apps: vec![app],
            app_of: vec![0],
            places: vec![None],
            universe_size: None,
            topology,
            name: unique_name(&host),
            host,
            readers: Readers::Nobody,
            prepend_rank: false,
            patterns: [None, None],
            print_exit_codes: false,
            timeout: None,
            grace: GRACE,
            show_binding: false,
            variables: environment::of_program(&options, &AppOptions::default(), variables)?,
        })
    }

    /// A program that the running job wants to start, with these variables besides the usual ones.
    ///
    /// # Errors
    /// When there is no such program or folder, or it is to run on another host.
    pub fn later_app(&self, part: &RunOptions, path: Option<&OsStr>) -> Result<App, Refusal> {
        hosts::slots(&part.app.hosts, None, &self.host)?;
        plan_app(part, &JobOptions::default(), &self.variables, path)
    }
}

fn refuse_what_is_not_there(options: &JobOptions) -> Result<(), Refusal> {
    if options.virtual_ranks {
        let message = "--virtual: virtual ranks are not available in this version";
        return Err(Refusal::usage(message));
    }
    Ok(())
}

/// The slots that host lists and files give; None when they give none.
fn slots(
    parts: &[RunOptions],
    options: &JobOptions,
    variables: &Variables,
    host: &str,
) -> Result<Option<u32>, Refusal> {
    let lists: Vec<String> = parts.iter().flat_map(|part| part.app.hosts.clone()).collect();
    let file = options.hostfile.as_ref();
    let file = match (file, lists.is_empty()) {
        (None, true) => variables.get(OsStr::new("HYDRA_HOST_FILE")),
        (file, _) => file,
    };
    let file = file.filter(|file| !file.is_empty());
    hosts::slots(&lists, file.map(Path::new), host)
}

/// How many ranks each program has.
fn counts(
    parts: &[RunOptions],
    options: &JobOptions,
    slots: Option<u32>,
    topology: &Topology,
) -> Result<Vec<u32>, Refusal> {
    let several = parts.len() > 1;
    for part in parts {
        if part.program.is_empty() && (several || !options.show_binding) {
            let message = match several {
                true => "a program is missing before or after `:`",
                false => "no program to run: starling run [options] PROGRAM [arguments]",
            };
            return Err(Refusal::usage(format!("{message}; see --help")));
        }
    }
    let default = match several {
        true => 1,
        false => options.per_node.or(slots).unwrap_or_else(|| usable_cores(topology)),
    };
    Ok(parts.iter().map(|part| part.app.ranks.unwrap_or(default)).collect())
}

/// Cores this process may use, no more than its container grants CPU time for.
pub fn usable_cores(topology: &Topology) -> u32 {
    let cores = topology.parts(Level::Core).len();
    let quota = process::cpu_quota(Path::new("/sys/fs/cgroup")).unwrap_or(cores);
    cores.min(quota).max(1) as u32
}

/// `first` are folders to search before those of PATH.
fn plan_app(
    part: &RunOptions,
    job: &JobOptions,
    ours: &Variables,
    first: Option<&OsStr>,
) -> Result<App, Refusal> {
    let mut variables = environment::of_program(job, &part.app, ours)?;
    let folder = part.app.wdir.as_ref().map(PathBuf::from);
    if let Some(folder) = &folder {
        if !folder.is_dir() {
            let message = format!("-wdir {}: no such folder", folder.display());
            return Err(Refusal::usage(message));
        }
    }
    let path = variables.get(OsStr::new("PATH")).or_else(|| ours.get(OsStr::new("PATH")));
    let path = path.cloned().unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let path = first.map_or(path.clone(), |first| [first, &path].join(OsStr::new(":")));
    let name = &part.program[0];
    let file = program::find(name, folder.as_deref().unwrap_or(Path::new(".")), &path)?;
    if let Some(library) = environment::library_folder() {
        environment::append_library_folder(&mut variables, &library);
    }
    let string = |text: &OsStr| {
        CString::new(text.as_bytes()).map_err(|_| {
            let message = format!("a zero byte in \"{}\"", text.to_string_lossy());
            Refusal::usage(message)
        })
    };
    let arguments = part.program.iter().map(|word| string(word));
    Ok(App {
        name: name.to_string_lossy().into_owned(),
        file: string(file.as_os_str())?,
        arguments: arguments.collect::<Result<Vec<CString>, Refusal>>()?,
        folder: folder.map(|folder| string(folder.as_os_str())).transpose()?,
        variables: environment::to_strings(&variables),
    })
}

fn universe_size(options: &JobOptions, default: u32) -> Result<Option<u32>, Refusal> {
    match options.usize.as_deref() {
        None => Ok(Some(default)),
        Some(text) if text.eq_ignore_ascii_case("system") => Ok(Some(default)),
        Some(text) if text.eq_ignore_ascii_case("infinite") => Ok(None),
        Some(text) => text.parse().ok().filter(|&size| size > 0).map(Some).ok_or_else(|| {
            Refusal::usage(format!("--usize {text}: a number, SYSTEM or INFINITE is expected"))
        }),
    }
}

fn readers(text: &str, size: usize) -> Result<Readers, Refusal> {
    match text {
        "all" => Ok(Readers::All),
        "none" => Ok(Readers::Nobody),
        text => match text.parse() {
            Ok(rank) if rank < size => Ok(Readers::Rank(rank)),
            _ => {
                let message = format!("--stdin {text}: all, none or a rank below {size}");
                Err(Refusal::usage(message))
            }
        },
    }
}

/// --timeout, else MPIEXEC_TIMEOUT; zero and an empty variable mean no limit.
fn timeout(options: &JobOptions, variables: &Variables) -> Result<Option<Duration>, Refusal> {
    let variable = variables.get(OsStr::new("MPIEXEC_TIMEOUT")).filter(|text| !text.is_empty());
    let limit = match (&options.timeout, variable) {
        (Some(text), _) => seconds("--timeout ", text)?,
        (None, Some(text)) => seconds("MPIEXEC_TIMEOUT=", &text.to_string_lossy())?,
        (None, None) => return Ok(None),
    };
    Ok((limit > Duration::ZERO).then_some(limit))
}

/// A time as users write it; `option` is what stands before it.
fn seconds(option: &str, text: &str) -> Result<Duration, Refusal> {
    // A year: more would not fit into the clock everywhere.
    const SECONDS_MAX: f64 = 365.0 * 86400.0;
    text.parse()
        .ok()
        .filter(|seconds| *seconds <= SECONDS_MAX)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| Refusal::usage(format!("{option}{text}: a number of seconds is expected")))
}

/// The name of a job: host, process and time.
fn unique_name(host: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |time| time.as_nanos() as u64);
    // The name of a key-value space may have 256 bytes and no spaces.
    let host: String =
        host.chars().filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).take(64).collect();
    format!("starling-{host}-{}-{nanoseconds:x}", std::process::id())
}

/// The environment of this process.
pub fn our_variables() -> Variables {
    std::env::vars_os().collect()
}

/// The file that a pattern names for a rank of a world.
pub fn expand(pattern: &OsStr, world: usize, rank: usize, host: &str) -> OsString {
    let mut name = Vec::new();
    let mut bytes = pattern.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'%' {
            name.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'r') => name.extend(rank.to_string().bytes()),
            Some(b'h') => name.extend(host.bytes()),
            Some(b'g') => name.extend(world.to_string().bytes()),
            Some(b'p') => name.push(b'0'),
            Some(b'%') => name.push(b'%'),
            Some(&other) => name.extend([b'%', other]),
            None => name.push(b'%'),
        }
    }
    OsString::from_vec(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::words;

    fn plan_with(line: &[&str], variables: &[(&str, &str)]) -> Result<Job, Refusal> {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        let parts = words::read(&words, "mpiexec").unwrap();
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Job::plan(&parts, &variables.collect())
    }

    fn plan(line: &[&str]) -> Result<Job, Refusal> {
        plan_with(line, &[("PATH", "/bin")])
    }

    fn refused(line: &[&str], part: &str) {
        let refusal = plan(line).err().unwrap_or_else(|| panic!("{line:?} was accepted"));
        assert!(refusal.message.contains(part), "{line:?}: {refusal}");
    }

    #[test]
    fn numbers_of_ranks() {
        let size = |line: &[&str]| plan(line).unwrap().size();
        assert_eq!(size(&["-n", "3", "sh"]), 3);
        assert_eq!(size(&["sh"]), usable_cores(&Topology::discover()) as usize);
        assert_eq!(size(&["-host", "localhost:5", "sh"]), 5);
        assert_eq!(size(&["-ppn", "6", "sh"]), 6);
        assert_eq!(size(&["-ppn", "6", "-n", "2", "sh"]), 2);
        let job = plan(&["-n", "2", "sh", ":", "-n", "3", "true", ":", "false"]).unwrap();
        assert_eq!(job.app_of, [0, 0, 1, 1, 1, 2]);
        assert_eq!(job.app(4).name, "true");
    }

    #[test]
    fn what_is_refused() {
        refused(&["-n", "2"], "no program");
        refused(&["-n", "2", "sh", ":"], "`:`");
        refused(&["-n", "2", "no-such-program"], "no-such-program");
        refused(&["-n", "100000", "sh"], "100000 ranks");
        refused(&["--virtual", "sh"], "not available");
        refused(&["-host", "far", "sh"], "far");
        refused(&["-wdir", "/no/such", "sh"], "/no/such");
        refused(&["--stdin", "2", "-n", "2", "sh"], "--stdin 2");
        refused(&["--usize", "-1", "sh"], "--usize");
        refused(&["--timeout", "soon", "sh"], "--timeout soon");
        refused(&["--timeout", "1e30", "sh"], "--timeout 1e30");
        refused(&["--grace", "-1", "sh"], "--grace -1");
        refused(&["--bind-to", "chair", "sh"], "chair");
    }

    #[test]
    fn limits_and_sizes() {
        let timeout = |line: &[&str], variable: &str| {
            let variables = [("PATH", "/bin"), ("MPIEXEC_TIMEOUT", variable)];
            plan_with(line, &variables).map(|job| job.timeout)
        };
        assert_eq!(timeout(&["sh"], ""), Ok(None));
        assert_eq!(timeout(&["sh"], "2"), Ok(Some(Duration::from_secs(2))));
        assert_eq!(timeout(&["-timeout", "0.5", "sh"], "2"), Ok(Some(Duration::from_millis(500))));
        assert_eq!(timeout(&["-timeout", "0", "sh"], "2"), Ok(None));
        assert!(timeout(&["sh"], "x").unwrap_err().message.contains("MPIEXEC_TIMEOUT=x"));
        let universe = |line: &[&str]| plan(line).unwrap().universe_size;
        assert_eq!(universe(&["-n", "9999", "-host", "localhost:3", "sh"][2..]), Some(3));
        assert_eq!(universe(&["-usize", "7", "sh"]), Some(7));
        assert_eq!(universe(&["-usize", "INFINITE", "sh"]), None);
        assert_eq!(plan(&["-n", "2", "-s", "all", "sh"]).unwrap().readers, Readers::All);
        assert_eq!(plan(&["-n", "2", "-s", "1", "sh"]).unwrap().readers, Readers::Rank(1));
    }

    #[test]
    fn names_of_output_files() {
        let name = |pattern: &str| expand(OsStr::new(pattern), 3, 12, "h");
        assert_eq!(name("out.%r"), "out.12");
        assert_eq!(name("%h-%g-%p-%r%%"), "h-3-0-12%");
        assert_eq!(name("50%x%"), "50%x%");
    }

    #[test]
    fn no_two_jobs_share_a_name() {
        assert_ne!(unique_name("a b"), unique_name("a b"));
        assert!(!unique_name("a b").contains(' '));
    }
}
