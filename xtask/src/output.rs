//! The list of generated files: writing them, and finding the stale ones.
//!
//! A generator is a function from `spec/` to texts. This module knows all of them, so `generate`
//! and `check` cannot disagree about what belongs to the set.

use crate::standard::Standard;
use crate::{abi_types, exports, header, settings, Findings};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// One generated file.
pub struct Generated {
    /// Relative to the root of the repository.
    pub path: String,
    /// The whole content.
    pub text: String,
}

impl Generated {
    /// Rust source, laid out by rustfmt so that `cargo fmt` finds nothing to change.
    pub fn rust(path: &str, text: &str) -> Result<Generated, String> {
        Ok(Generated { path: path.into(), text: format_rust(text)? })
    }

    /// Any other file, as it is.
    pub fn plain(path: &str, text: String) -> Generated {
        Generated { path: path.into(), text }
    }
}

fn all(root: &Path) -> Result<Vec<Generated>, String> {
    let standard = Standard::read(root)?;
    let mut files = settings::generate(root)?;
    files.extend(abi_types::generate(&standard)?);
    files.extend(exports::generate(&standard)?);
    files.push(header::generate(&standard));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Writes every generated file whose content changed.
pub fn write(root: &Path) -> Result<(), String> {
    for file in all(root)? {
        let path = root.join(&file.path);
        if fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::write(&path, &file.text).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("wrote {}", file.path);
    }
    Ok(())
}

/// One line per generated file that is missing or differs from what [`write`] would write.
pub fn stale(root: &Path) -> Findings {
    let stale = |file: &Generated| {
        !fs::read_to_string(root.join(&file.path)).is_ok_and(|old| old == file.text)
    };
    let line = |file: &Generated| format!("{}:1: stale; run xtask generate", file.path);
    Ok(all(root)?.iter().filter(|file| stale(file)).map(line).collect())
}

fn format_rust(text: &str) -> Result<String, String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2021", "--emit", "stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("rustfmt is needed (rustup component add rustfmt): {e}"))?;
    let mut input = child.stdin.take().ok_or("rustfmt has no input")?;
    let text = text.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(|e| format!("rustfmt: {e}"))?;
    let written = writer.join().map_err(|_| "the writer to rustfmt panicked")?;
    written.map_err(|e| format!("rustfmt: {e}"))?;
    if !output.status.success() {
        return Err(format!("rustfmt refused generated code ({})", output.status));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("rustfmt: {e}"))
}

/// `text` as a documentation comment in lines of at most 96 columns.
pub fn doc_comment(text: &str) -> String {
    wrap(text, 86).iter().map(|line| format!("/// {line}\n")).collect()
}

/// `text` as a string literal of Rust, continued over as many lines as it needs.
pub fn string_literal(text: &str) -> String {
    let lines: Vec<String> = wrap(text, 76).iter().map(|l| l.escape_debug().to_string()).collect();
    format!("\"{}\"", lines.join(" \\\n            "))
}

/// The words of `text` in lines of at most `width` columns.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.into());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_the_words_and_the_width() {
        let text = "one two  three four five six seven";
        let lines = wrap(text, 10);
        assert!(lines.iter().all(|line| line.len() <= 10), "{lines:?}");
        assert_eq!(lines.join(" ").split(' ').count(), 7);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("abcdefghijklmno p", 10), ["abcdefghijklmno", "p"]);
    }

    #[test]
    fn a_continued_literal_is_the_same_text() {
        let text = "word ".repeat(40);
        let literal = string_literal(text.trim());
        assert!(literal.contains("\\\n"));
        assert_eq!(literal.replace("\\\n            ", "").trim_matches('"'), text.trim());
    }
}
