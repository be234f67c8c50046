//! Finding the file of a program before anything starts.
//!
//! Called by `plan`. A name with a slash is looked up in the folder the ranks run in, then in
//! ours; a name without one in PATH, then in those folders.

use crate::cli::usage::Refusal;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What a file is to somebody who wants to run it.
enum Found {
    Program,
    NotExecutable,
    Folder,
    Nothing,
}

/// The absolute path of a program. `folder` is where the ranks run, `path` their PATH.
///
/// # Errors
/// With exit code 127 when there is no such file, 126 when it cannot be run.
pub fn find(name: &OsStr, folder: &Path, path: &OsStr) -> Result<PathBuf, Refusal> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let folder = here.join(folder);
    let mut candidates = Vec::new();
    let has_slash = name.as_bytes().contains(&b'/');
    if !has_slash {
        let folders = std::env::split_paths(path).filter(|part| !part.as_os_str().is_empty());
        candidates.extend(folders.map(|part| folder.join(part).join(name)));
    }
    candidates.push(folder.join(name));
    if here != folder {
        candidates.push(here.join(name));
    }
    let mut refused = None;
    for candidate in candidates {
        let reason = match look(&candidate) {
            Found::Program => return Ok(candidate),
            Found::NotExecutable => "it is not executable",
            Found::Folder => "it is a folder",
            Found::Nothing => continue,
        };
        refused.get_or_insert((candidate, reason));
    }
    let shown = name.to_string_lossy();
    if let Some((file, reason)) = refused {
        let message = format!("cannot run {shown}: {reason} ({})", file.display());
        return Err(Refusal { message, exit_code: 126 });
    }
    let folder = folder.display();
    let message = match has_slash {
        true => format!("cannot find {shown}: no such file (from the folder {folder})"),
        false => format!(
            "cannot find {shown}: neither in PATH ({}) nor in the folder {folder}",
            path.to_string_lossy()
        ),
    };
    Err(Refusal { message, exit_code: 127 })
}

fn look(path: &Path) -> Found {
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => Found::Folder,
        Ok(file) if file.permissions().mode() & 0o111 != 0 => Found::Program,
        Ok(_) => Found::NotExecutable,
        Err(_) => Found::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_in(name: &str, folder: &str, path: &str) -> Result<PathBuf, Refusal> {
        find(OsStr::new(name), Path::new(folder), OsStr::new(path))
    }

    #[test]
    fn programs_are_found_where_a_shell_finds_them() {
        assert_eq!(find_in("sh", "/", "/nowhere:/bin").unwrap(), Path::new("/bin/sh"));
        assert_eq!(find_in("/bin/sh", "/tmp", "").unwrap(), Path::new("/bin/sh"));
        assert_eq!(find_in("./sh", "/bin", "").unwrap(), Path::new("/bin/./sh"));
        assert_eq!(find_in("sh", "/bin", "").unwrap(), Path::new("/bin/sh"));
    }

    #[test]
    fn what_cannot_run_is_named() {
        let missing = find_in("no-such-program", "/", "/bin").unwrap_err();
        assert_eq!(missing.exit_code, 127);
        assert!(missing.message.contains("no-such-program") && missing.message.contains("/bin"));
        assert_eq!(find_in("./no-such", "/tmp", "/bin").unwrap_err().exit_code, 127);
        let plain = find_in("/etc/passwd", "/", "").unwrap_err();
        assert_eq!(plain.exit_code, 126);
        assert!(plain.message.contains("not executable"), "{plain}");
        let folder = find_in("/tmp", "/", "").unwrap_err();
        assert_eq!(folder.exit_code, 126);
        assert!(folder.message.contains("folder"), "{folder}");
    }
}
