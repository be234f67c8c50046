//! Every option of the launcher, declared once: the parser, the help and the man page come from
//! these structs.
//!
//! Options of one program (`AppOptions`) may differ between the programs of a command line with
//! `:`; options of the job (`JobOptions`) may stand in any part of it. `words` accepts each long
//! name with one dash or two.

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;

/// What `starling` without arguments and the help of `starling` end with.
pub const EXAMPLES: &str = "\
Examples:
  starling run -n 4 ./hello                 4 ranks
  starling run -n 4 python hello.py
  starling run -n 2 ./server : -n 6 ./client    two programs in one job
  starling run -n 8 -l --bind-to core ./heat    label the output, one core each
  starling info                             this machine and all settings

Called as mpiexec or mpirun, the program behaves as `starling run`.";

/// Starling MPI: run MPI programs and look at the machine.
#[derive(Parser, Debug)]
#[command(name = "starling", version, after_help = EXAMPLES)]
#[command(propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub task: Task,
}

/// The subcommands; each is described at its options.
#[derive(Subcommand, Debug)]
pub enum Task {
    Run(Box<RunOptions>),
    Info(InfoOptions),
    Man(ManOptions),
    #[command(hide = true)]
    Adopt(AdoptOptions),
}

/// Run a program as a number of ranks (also: mpiexec, mpirun).
///
/// Options end at the program's name; what follows belongs to the program. Every long option may
/// be written with one dash or two. Standard input goes to rank 0 unless --stdin says otherwise.
/// The exit code is that of the first rank that failed; 128+S when signal S ended the job, 124
/// after a timeout, 127 or 126 when the program is missing or cannot be run, 2 after a mistake on
/// the command line.
#[derive(Args, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub struct RunOptions {
    /// Options of one program.
    #[command(flatten)]
    pub app: AppOptions,
    /// Options of the whole job.
    #[command(flatten)]
    pub job: JobOptions,
    /// The program and its arguments; `:` alone begins the next program with its own options.
    #[arg(trailing_var_arg = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// Options that belong to one program of the command line.
#[derive(Args, Debug, Default)]
pub struct AppOptions {
    /// Number of ranks. Default: one per core this process may use; 1 for each program when there
    /// are several.
    #[arg(short = 'n', long = "np", value_name = "N", help_heading = "Ranks")]
    #[arg(alias = "n", alias = "c", allow_hyphen_values = true, value_parser = ranks)]
    pub ranks: Option<u32>,
    /// Hosts to run on, as h1,h2:SLOTS. This version runs on one node: only this host.
    #[arg(short = 'H', long = "host", value_name = "LIST", help_heading = "Ranks")]
    #[arg(visible_alias = "hosts", action = clap::ArgAction::Append)]
    pub hosts: Vec<String>,
    /// Folder to run in.
    #[arg(long, value_name = "FOLDER", visible_alias = "wd", help_heading = "Ranks")]
    pub wdir: Option<OsString>,
    /// Set a variable for the ranks of this program (NAME=VALUE is accepted too).
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], allow_hyphen_values = true)]
    #[arg(action = clap::ArgAction::Append, help_heading = "Environment")]
    pub env: Vec<OsString>,
    /// Pass only these variables (NAME,NAME,...) to the ranks of this program.
    #[arg(long, value_name = "NAMES", help_heading = "Environment")]
    pub envlist: Option<OsString>,
    /// Pass all variables to the ranks of this program (the default).
    #[arg(long, help_heading = "Environment")]
    pub envall: bool,
    /// Pass no variables to the ranks of this program.
    #[arg(long, help_heading = "Environment")]
    pub envnone: bool,
    /// Pass a variable (VAR), or set it (VAR=VALUE), for the ranks of this program.
    #[arg(short = 'x', long = "export", value_name = "VAR[=VALUE]")]
    #[arg(action = clap::ArgAction::Append, help_heading = "Environment")]
    pub export: Vec<OsString>,
}

/// Options that belong to the whole job.
#[derive(Args, Debug, Default)]
pub struct JobOptions {
    /// Ranks per node; with one node, the number of ranks when -n is not given.
    #[arg(short = 'N', long = "ppn", value_name = "N", help_heading = "Ranks")]
    #[arg(visible_alias = "perhost", alias = "npernode", allow_hyphen_values = true)]
    #[arg(value_parser = ranks)]
    pub per_node: Option<u32>,
    /// File of hosts, one a line: `h`, `h:4` or `h slots=4`; # begins a comment. Default: the
    /// file that HYDRA_HOST_FILE names.
    #[arg(short = 'f', long = "hostfile", value_name = "FILE", help_heading = "Ranks")]
    #[arg(visible_alias = "machinefile")]
    pub hostfile: Option<OsString>,
    /// Read the rest of the command line from a file, one program with its options a line.
    #[arg(long, value_name = "FILE", help_heading = "Ranks")]
    pub configfile: Option<OsString>,
    /// What MPI_UNIVERSE_SIZE says: a number, SYSTEM (the number of slots) or INFINITE.
    #[arg(long, value_name = "N", help_heading = "Ranks")]
    pub usize: Option<String>,
    /// More ranks per core: not available yet.
    #[arg(long = "virtual", help_heading = "Ranks")]
    pub virtual_ranks: bool,
    /// Set a variable for all ranks (NAME=VALUE is accepted too).
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], allow_hyphen_values = true)]
    #[arg(action = clap::ArgAction::Append, help_heading = "Environment")]
    pub genv: Vec<OsString>,
    /// Pass only these variables (NAME,NAME,...) to all ranks.
    #[arg(long, value_name = "NAMES", help_heading = "Environment")]
    pub genvlist: Option<OsString>,
    /// Pass all variables to all ranks (the default).
    #[arg(long, help_heading = "Environment")]
    pub genvall: bool,
    /// Pass no variables to the ranks.
    #[arg(long, help_heading = "Environment")]
    pub genvnone: bool,
    /// Bind each rank to a part of the machine: none, hwthread, core, l2cache, l3cache, numa,
    /// socket, node, any of them with :COUNT, or user:CPUS,CPUS,... (CPUS as 0, 0-3 or 0+2).
    /// Default: all cores, divided evenly; no binding when there are more ranks than CPUs.
    #[arg(long, value_name = "PART", help_heading = "Placement")]
    pub bind_to: Option<String>,
    /// Deal the ranks out over parts of the machine: the parts of --bind-to, each with :PE=N
    /// (N cores a rank), or ppr:N:PART (N ranks on each).
    #[arg(long, value_name = "PART", help_heading = "Placement")]
    pub map_by: Option<String>,
    /// Draw where the ranks are, on standard error. Without a program: only draw.
    #[arg(long, visible_alias = "report-bindings", help_heading = "Placement")]
    pub show_binding: bool,
    /// Begin every line of output with its rank.
    #[arg(short = 'l', long = "prepend-rank", help_heading = "Output and input")]
    #[arg(visible_alias = "tag-output")]
    pub prepend_rank: bool,
    /// Write standard output to files: %r is the rank, %h the host, %g the number of its
    /// MPI_COMM_WORLD (0, or from 1 when the job starts more), %p the node (0), %% a percent sign.
    #[arg(long, value_name = "PATTERN", help_heading = "Output and input")]
    pub outfile_pattern: Option<OsString>,
    /// Write standard error to files, as --outfile-pattern.
    #[arg(long, value_name = "PATTERN", help_heading = "Output and input")]
    pub errfile_pattern: Option<OsString>,
    /// Who reads standard input: a rank, all or none.
    #[arg(short = 's', long, value_name = "WHO", help_heading = "Output and input")]
    #[arg(default_value = "0", hide_default_value = false)]
    pub stdin: String,
    /// At the end, print the exit code of every rank on standard error.
    #[arg(long, help_heading = "Output and input")]
    pub print_all_exitcodes: bool,
    /// End the job after so many seconds, with exit code 124. Default: MPIEXEC_TIMEOUT.
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub timeout: Option<String>,
    /// When the job is ended early, ranks are asked first (SIGTERM, or the signal that came) and
    /// killed after so many seconds. Default: 1.
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub grace: Option<String>,
    /// How to reach other nodes; not needed on one node.
    #[arg(long, value_name = "NAME", help_heading = "Accepted and not needed")]
    pub launcher: Option<String>,
    /// Network interface to use; not needed on one node.
    #[arg(long, value_name = "NAME", help_heading = "Accepted and not needed")]
    pub iface: Option<String>,
    /// More ranks than cores are always allowed.
    #[arg(long, help_heading = "Accepted and not needed")]
    pub oversubscribe: bool,
    /// Every user may run.
    #[arg(long, help_heading = "Accepted and not needed")]
    pub allow_run_as_root: bool,
}

/// Show version, machine, tunables and counters.
#[derive(Args, Debug)]
pub struct InfoOptions {
    /// Print it as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Serve a process that was started without a launcher. The library calls this.
#[derive(Args, Debug)]
pub struct AdoptOptions {
    /// Descriptor of its segment.
    pub segment: i32,
    /// Descriptor of the connection to it.
    pub connection: i32,
    /// Its process number.
    pub process: i32,
}

/// Print a manual page (for `man -l -`).
#[derive(Args, Debug)]
pub struct ManOptions {
    /// The page: starling, run, info or man.
    #[arg(default_value = "run")]
    pub page: String,
}

fn ranks(text: &str) -> Result<u32, String> {
    text.parse::<u32>()
        .ok()
        .filter(|&count| count > 0)
        .ok_or_else(|| "the number of ranks is a whole number from 1 up".to_string())
}
