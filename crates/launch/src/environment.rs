//! The variables that ranks start with.
//!
//! Called by `plan` for what the ranks of a program share, and by the agent for what each rank has
//! of its own. Variables of another MPI are never set.

use crate::cli::options::{AppOptions, JobOptions};
use crate::cli::usage::Refusal;
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Variables by name.
pub type Variables = BTreeMap<OsString, OsString>;

/// The number under which a rank finds the node's shared segment. Below 64, so that the rank's
/// table of descriptors stays the small one that every process begins with; far above the ones
/// that shell scripts use.
pub const SEGMENT_FD: i32 = 62;
/// The number under which a rank finds its connection to the process manager.
pub const PMI_FD: i32 = 63;

/// What a launcher around us said to *us*. A rank that believed it would join the wrong job.
fn belongs_to_launcher(name: &OsStr) -> bool {
    const PREFIXES: [&str; 2] = ["PMI_", "PMIX_"];
    const NAMES: [&str; 11] = [
        "STARLING_RANK",
        "STARLING_FIRST",
        "STARLING_SIZE",
        "STARLING_LOCAL_RANK",
        "STARLING_LOCAL_SIZE",
        "STARLING_SEGMENT_FD",
        "STARLING_JOB",
        "STARLING_APPNUM",
        "STARLING_UNIVERSE_SIZE",
        "STARLING_BOUND",
        "MPI_LOCALRANKID",
    ];
    let bytes = name.as_bytes();
    PREFIXES.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()))
        || NAMES.iter().any(|known| bytes == known.as_bytes())
}

/// The variables that all ranks of a program share.
///
/// # Errors
/// When a name is not one.
pub fn of_program(
    job: &JobOptions,
    app: &AppOptions,
    ours: &Variables,
) -> Result<Variables, Refusal> {
    let ours: Variables = ours
        .iter()
        .filter(|(name, _)| !belongs_to_launcher(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let picked = |names: &OsStr| {
        let names = names.as_bytes().split(|&b| b == b',').map(OsStr::from_bytes);
        names.filter_map(|name| Some((name.to_owned(), ours.get(name)?.clone()))).collect()
    };
    let mut variables: Variables = match (&app.envlist, app.envnone, app.envall) {
        (Some(names), _, _) => picked(names),
        (None, true, _) => Variables::new(),
        (None, false, true) => ours.clone(),
        (None, false, false) => match (&job.genvlist, job.genvnone) {
            (Some(names), _) => picked(names),
            (None, true) => Variables::new(),
            (None, false) => ours.clone(),
        },
    };
    for pair in job.genv.chunks_exact(2).chain(app.env.chunks_exact(2)) {
        set(&mut variables, "-env", &pair[0], &pair[1])?;
    }
    for export in &app.export {
        let bytes = export.as_bytes();
        match bytes.iter().position(|&b| b == b'=') {
            Some(at) => {
                let (name, value) = (&bytes[..at], &bytes[at + 1..]);
                set(&mut variables, "-x", OsStr::from_bytes(name), OsStr::from_bytes(value))?;
            }
            None => {
                if let Some(value) = ours.get(export) {
                    set(&mut variables, "-x", export, value)?;
                }
            }
        }
    }
    Ok(variables)
}

fn set(to: &mut Variables, option: &str, name: &OsStr, value: &OsStr) -> Result<(), Refusal> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.contains(&b'=') {
        let shown = name.to_string_lossy();
        let message = format!("{option} \"{shown}\": not the name of a variable");
        return Err(Refusal::usage(message));
    }
    to.insert(name.to_owned(), value.to_owned());
    Ok(())
}

/// The folder Starling is installed in: `<prefix>/bin` holds this program.
pub fn prefix() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.parent()?.to_path_buf())
}

/// The folder of our library: `<prefix>/lib`, or where cargo puts it next to the program.
pub fn library_folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?;
    let installed = folder.parent()?.join("lib");
    let has_library = |folder: &Path| folder.join("libmpi_abi.so.1").exists();
    if folder.ends_with("bin") || has_library(&installed) {
        return Some(installed);
    }
    Some(folder.to_path_buf())
}

/// Adds a folder behind the ones that the loader searches, unless it is there.
pub fn append_library_folder(variables: &mut Variables, folder: &Path) {
    let list = variables.entry("LD_LIBRARY_PATH".into()).or_default();
    if std::env::split_paths(list).any(|part| part == folder) {
        return;
    }
    // An empty part would mean the current folder.
    if !list.is_empty() {
        list.push(":");
    }
    list.push(folder);
}

/// What is different for each rank.
#[derive(Debug, Clone, Copy)]
pub struct Rank<'a> {
    /// Its rank in MPI_COMM_WORLD, which on one node is the rank on the node too.
    pub rank: usize,
    /// The size of MPI_COMM_WORLD.
    pub size: usize,
    /// Where the world's rank 0 is among all processes of the node.
    pub first: u32,
    /// Whether a running job has started it.
    pub spawned: bool,
    /// The index of its program on the command line.
    pub appnum: u32,
    /// MPI_UNIVERSE_SIZE, None when not limited.
    pub universe_size: Option<u32>,
    /// The job's name.
    pub job: &'a str,
    /// Whether it is bound to CPUs.
    pub bound: bool,
}

/// All variables of a rank as `NAME=VALUE`.
pub fn of_rank(shared: &[CString], rank: Rank<'_>) -> Vec<CString> {
    let number = |name: &str, value: usize| format!("{name}={value}");
    let mut own = vec![
        number("PMI_RANK", rank.rank),
        number("PMI_ID", rank.rank),
        number("PMI_SIZE", rank.size),
        number("PMI_LOCAL_RANK", rank.rank),
        number("PMI_LOCAL_SIZE", rank.size),
        number("MPI_LOCALRANKID", rank.rank),
        number("MPI_LOCALNRANKS", rank.size),
        format!("PMI_FD={PMI_FD}"),
        number("STARLING_RANK", rank.rank),
        number("STARLING_SIZE", rank.size),
        number("STARLING_LOCAL_RANK", rank.rank),
        number("STARLING_LOCAL_SIZE", rank.size),
        format!("STARLING_SEGMENT_FD={SEGMENT_FD}"),
        format!("STARLING_JOB={}", rank.job),
        format!("STARLING_APPNUM={}", rank.appnum),
    ];
    if let Some(size) = rank.universe_size {
        own.push(format!("STARLING_UNIVERSE_SIZE={size}"));
    }
    if rank.spawned {
        own.push(format!("STARLING_FIRST={}", rank.first));
        own.push("PMI_SPAWNED=1".to_string());
    }
    if rank.bound {
        own.push("STARLING_BOUND=1".to_string());
    }
    let own = own.into_iter().map(|text| CString::new(text).expect("no zero byte in numbers"));
    shared.iter().cloned().chain(own).collect()
}

/// `NAME=VALUE` for exec. What has a zero byte inside cannot be a variable and is left out.
pub fn to_strings(variables: &Variables) -> Vec<CString> {
    let join = |(name, value): (&OsString, &OsString)| {
        let mut text = name.clone();
        text.push("=");
        text.push(value);
        CString::new(text.into_vec()).ok()
    };
    variables.iter().filter_map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours() -> Variables {
        [("A", "1"), ("B", "2"), ("PMI_RANK", "9"), ("PMIX_RANK", "9"), ("STARLING_RANK", "9")]
            .map(|(name, value)| (name.into(), value.into()))
            .into()
    }

    fn shown(job: &JobOptions, app: &AppOptions) -> String {
        let variables = of_program(job, app, &ours()).unwrap();
        let strings = to_strings(&variables);
        let texts: Vec<&str> = strings.iter().map(|text| text.to_str().unwrap()).collect();
        texts.join(" ")
    }

    fn texts(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn which_variables_are_passed() {
        let job = JobOptions::default;
        let app = AppOptions::default;
        assert_eq!(shown(&job(), &app()), "A=1 B=2");
        let none = JobOptions { genvnone: true, ..job() };
        assert_eq!(shown(&none, &app()), "");
        assert_eq!(shown(&none, &AppOptions { envall: true, ..app() }), "A=1 B=2");
        let list = JobOptions { genvlist: Some("B,NO".into()), ..job() };
        assert_eq!(shown(&list, &app()), "B=2");
        assert_eq!(shown(&list, &AppOptions { envnone: true, ..app() }), "");
        assert_eq!(shown(&list, &AppOptions { envlist: Some("A".into()), ..app() }), "A=1");
        let export = AppOptions { export: texts(&["A", "NO", "C=x=y"]), ..app() };
        assert_eq!(shown(&none, &export), "A=1 C=x=y");
    }

    #[test]
    fn a_programs_own_value_wins() {
        let job = JobOptions { genv: texts(&["A", "g", "G", "g"]), ..JobOptions::default() };
        let app = AppOptions { env: texts(&["A", "own"]), ..AppOptions::default() };
        assert_eq!(shown(&job, &app), "A=own B=2 G=g");
        let app = AppOptions { env: texts(&["", "own"]), ..AppOptions::default() };
        assert!(of_program(&job, &app, &ours()).is_err());
    }

    #[test]
    fn the_library_comes_last_and_once() {
        let mut variables = Variables::new();
        append_library_folder(&mut variables, Path::new("/s/lib"));
        append_library_folder(&mut variables, Path::new("/s/lib"));
        assert_eq!(to_strings(&variables), [c"LD_LIBRARY_PATH=/s/lib".to_owned()]);
        variables.insert("LD_LIBRARY_PATH".into(), "/a:/b".into());
        append_library_folder(&mut variables, Path::new("/s/lib"));
        assert_eq!(to_strings(&variables), [c"LD_LIBRARY_PATH=/a:/b:/s/lib".to_owned()]);
    }

    #[test]
    fn a_rank_has_its_numbers() {
        let rank = Rank {
            rank: 3,
            size: 8,
            first: 0,
            spawned: false,
            appnum: 1,
            universe_size: None,
            job: "j",
            bound: true,
        };
        let all = of_rank(&[c"A=1".to_owned()], rank);
        for text in [c"A=1", c"PMI_RANK=3", c"PMI_SIZE=8", c"PMI_FD=63", c"STARLING_BOUND=1"] {
            assert!(all.contains(&text.to_owned()), "{text:?}");
        }
        let bare = of_rank(&[], Rank { bound: false, ..rank });
        assert_eq!(bare.len() + 2, all.len());
        let later = of_rank(&[], Rank { first: 20, spawned: true, ..rank });
        assert!(later.contains(&c"STARLING_FIRST=20".to_owned()));
        assert!(later.contains(&c"PMI_SPAWNED=1".to_owned()));
    }
}
