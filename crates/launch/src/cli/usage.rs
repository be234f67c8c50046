//! A mistake of the user: what to say, and with which code to exit.
//!
//! Made by everything that looks at the command line before the job starts; `main` prints it.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt;

/// Something that keeps the job from starting. One line, no "starling:" before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The line.
    pub message: String,
    /// 2 for mistakes on the command line, 126 and 127 as in a shell, 1 otherwise.
    pub exit_code: i32,
}

impl Refusal {
    /// A mistake on the command line.
    pub fn usage(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), exit_code: 2 }
    }

    /// Something that failed though the command line is right.
    pub fn failure(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), exit_code: 1 }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What the parser has to say: a text that was asked for, or a mistake.
#[derive(Debug)]
pub enum Answer {
    /// Help or version, for standard output.
    Text(String),
    /// A mistake.
    Refusal(Refusal),
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Answer {
        Answer::Refusal(refusal)
    }
}

impl From<clap::Error> for Answer {
    fn from(error: clap::Error) -> Answer {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Answer::Text(error.render().to_string())
            }
            _ => Answer::Refusal(Refusal::usage(explain(&error))),
        }
    }
}

/// The first line of the parser's message, with what it suggests.
fn explain(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let first = rendered.lines().next().unwrap_or_default();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_string();
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg) {
        if error.kind() == ErrorKind::UnknownArgument {
            message = format!("there is no option {name}");
        }
    }
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand];
    let suggested = suggested.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(name)) => Some(name.clone()),
        Some(ContextValue::Strings(names)) => names.first().cloned(),
        _ => None,
    });
    if let Some(name) = suggested {
        message += &format!(" (did you mean {name}?)");
    }
    message + "; see --help"
}
