//! Tasks of the project: writes the generated files, and checks what a compiler does not.
//!
//! Run by developers and by `.ci/run` as `cargo run -p xtask -- <task>`. Everything that is
//! generated comes from `spec/`; every task ends with exit code 1 if it finds something wrong.

/// Appends formatted text to a `String`.
macro_rules! push {
    ($out:expr, $($part:tt)*) => {
        $out.push_str(&format!($($part)*))
    };
}

mod abi_types;
mod exports;
mod header;
mod header_check;
mod output;
mod settings;
mod standard;
mod symbols;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo run -p xtask -- <task>

  generate         write every generated file again
  check            say which generated files differ from what generate would write
  tidy             check the style rules of CONTRIBUTING.md
  header-check     compile include/mpi.h and compare all it declares with the standard
  exports FILE     compare the symbols of a built libmpi_abi.so with the standard
";

/// What a task found wrong, one line each. Empty means that all is well.
type Findings = Result<Vec<String>, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = root();
    let findings = match words.as_slice() {
        ["generate"] => output::write(&root).map(|()| Vec::new()),
        ["check"] => check(&root),
        ["tidy"] => tidy::run(&root),
        ["header-check"] => header_check::run(&root),
        ["exports", library] => symbols::compare(&root, Path::new(library)),
        _ => Err(USAGE.into()),
    };
    match findings {
        Ok(lines) if lines.is_empty() => ExitCode::SUCCESS,
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}

/// The generated files are what the tables say, and the tables are what the standard says.
fn check(root: &Path) -> Findings {
    let mut found = standard::differences(root)?;
    found.extend(output::stale(root)?);
    Ok(found)
}

/// The root of the repository: the folder above this crate.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").into()
}
