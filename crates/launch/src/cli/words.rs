//! The words of an mpiexec command line, as users of other MPIs write them: long options with one
//! dash, `NAME=VALUE` where two words are meant, several programs joined by `:`, options that end
//! at the program's name, the rest of the line in a file.
//!
//! Called by `main`. Knows no option by name except `configfile`: names and numbers of values are
//! read from the parser that clap built from `options`.

use super::options::{AppOptions, RunOptions};
use super::usage::{Answer, Refusal};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// One program of the command line before its options are read.
#[derive(Default)]
struct Part {
    app_words: Vec<OsString>,
    program: Vec<OsString>,
}

/// A whole command line before its options are read.
#[derive(Default)]
struct Line {
    parts: Vec<Part>,
    /// Options of the job, from any part.
    job_words: Vec<OsString>,
}

/// Reads what follows `starling run` or `mpiexec`: one entry per program. The options of the job
/// are in the first one.
pub fn read(words: &[OsString], name: &str) -> Result<Vec<RunOptions>, Answer> {
    let mut command = RunOptions::augment_args(command(name));
    command.build();
    let app_options = AppOptions::augment_args(Command::new("app"));
    let app_ids = app_options.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    let reader = Reader { command: &command, app_ids };
    let mut line = Line::default();
    reader.take_line(words, &mut line, true)?;
    let mut programs = Vec::new();
    for (index, part) in line.parts.iter().enumerate() {
        let job_words: &[OsString] = if index == 0 { &line.job_words } else { &[] };
        let end_of_options = [OsString::from("--")];
        let all = job_words.iter().chain(&part.app_words).chain(&end_of_options);
        let matches: ArgMatches =
            command.clone().no_binary_name(true).try_get_matches_from(all.chain(&part.program))?;
        programs.push(RunOptions::from_arg_matches(&matches)?);
    }
    Ok(programs)
}

/// The empty command that options are added to.
fn command(name: &str) -> Command {
    let version = concat!(env!("CARGO_PKG_VERSION"), " (Starling MPI)");
    Command::new("starling-run")
        .bin_name(name)
        .display_name(name)
        .version(version)
        .max_term_width(100)
        // An option that is given twice counts as the last one says.
        .args_override_self(true)
}

struct Reader<'a> {
    command: &'a Command,
    app_ids: HashSet<String>,
}

/// An option found in a word.
struct Found<'a> {
    option: &'a Arg,
    /// What stands behind `=` or directly behind the letter.
    attached: Option<OsString>,
}

impl Reader<'_> {
    fn take_line(&self, words: &[OsString], line: &mut Line, files: bool) -> Result<(), Answer> {
        for part in words.split(|word| word == ":") {
            self.take_part(part, line, files)?;
        }
        Ok(())
    }

    /// Reads options up to the program's name; the rest is the program's.
    fn take_part(&self, words: &[OsString], line: &mut Line, files: bool) -> Result<(), Answer> {
        let mut part = Part::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let bytes = word.as_bytes();
            if bytes == b"--" {
                at += 1;
                break;
            }
            if bytes.len() < 2 || bytes[0] != b'-' {
                break;
            }
            at += 1;
            let Found { option, attached } = self.find(word)?;
            let values = self.values(option, attached, words, &mut at, word)?;
            if option.get_id() == "configfile" {
                let inner = read_file(&values[0], files)?;
                for words in inner {
                    self.take_line(&words, line, false)?;
                }
                if at < words.len() {
                    let message = "nothing may follow -configfile and its file";
                    return Err(Refusal::usage(message).into());
                }
                return Ok(());
            }
            let target = match self.app_ids.contains(option.get_id().as_str()) {
                true => &mut part.app_words,
                false => &mut line.job_words,
            };
            push(target, option, values);
        }
        part.program = words[at..].to_vec();
        line.parts.push(part);
        Ok(())
    }

    /// The option that a word with a dash means.
    fn find(&self, word: &OsStr) -> Result<Found<'_>, Answer> {
        let bytes = word.as_bytes();
        let dashes = if bytes.starts_with(b"--") { 2 } else { 1 };
        let body = &bytes[dashes..];
        let equals = body.iter().position(|&b| b == b'=');
        let (name, attached) = match equals {
            Some(at) => (&body[..at], Some(OsString::from_vec(body[at + 1..].to_vec()))),
            None => (body, None),
        };
        let name = String::from_utf8_lossy(name);
        let mut options = self.command.get_arguments();
        if let Some(option) = options.find(|option| is_long_name(option, &name)) {
            return Ok(Found { option, attached });
        }
        let letter = name.chars().next().filter(|_| dashes == 1);
        let mut options = self.command.get_arguments();
        if let Some(option) = options.find(|o| letter.is_some() && o.get_short() == letter) {
            if name.len() == 1 {
                return Ok(Found { option, attached });
            }
            // `-n4`: only before a digit, so that a long name with a mistake stays a mistake.
            if value_count(option) == 1 && name.as_bytes()[1].is_ascii_digit() {
                let attached = OsString::from_vec(body[1..].to_vec());
                return Ok(Found { option, attached: Some(attached) });
            }
        }
        Err(self.unknown(word, &name))
    }

    /// The parser's own message, which suggests what is spelt alike.
    fn unknown(&self, word: &OsStr, name: &str) -> Answer {
        let try_it = self.command.clone().no_binary_name(true);
        match try_it.try_get_matches_from([format!("--{name}")]) {
            Err(error) => {
                let mut answer = Answer::from(error);
                if let Answer::Refusal(refusal) = &mut answer {
                    let (typed, tried) = (word.to_string_lossy(), format!("option --{name}"));
                    refusal.message =
                        refusal.message.replacen(&tried, &format!("option {typed}"), 1);
                }
                answer
            }
            Ok(_) => {
                Refusal::usage(format!("there is no option {}", word.to_string_lossy())).into()
            }
        }
    }

    fn values(
        &self,
        option: &Arg,
        attached: Option<OsString>,
        words: &[OsString],
        at: &mut usize,
        word: &OsStr,
    ) -> Result<Vec<OsString>, Answer> {
        let wanted = value_count(option);
        if wanted == 0 {
            return match attached {
                None => Ok(Vec::new()),
                Some(_) => {
                    let message = format!("{} takes no value", word.to_string_lossy());
                    Err(Refusal::usage(message).into())
                }
            };
        }
        let mut values: Vec<OsString> = attached.into_iter().collect();
        while values.len() < wanted {
            if let [only] = &values[..] {
                if let Some((name, value)) = split_at_equals(only) {
                    return Ok(vec![name, value]);
                }
            }
            let Some(value) = words.get(*at) else {
                let names = option.get_value_names().unwrap_or_default().join(" ");
                let message = format!("{} needs {names} behind it", word.to_string_lossy());
                return Err(Refusal::usage(message).into());
            };
            values.push(value.clone());
            *at += 1;
        }
        Ok(values)
    }
}

fn is_long_name(option: &Arg, name: &str) -> bool {
    option.get_long() == Some(name) || option.get_all_aliases().unwrap_or_default().contains(&name)
}

/// How many words follow an option.
fn value_count(option: &Arg) -> usize {
    if !option.get_action().takes_values() {
        return 0;
    }
    option.get_num_args().map_or(1, |range| range.min_values())
}

fn split_at_equals(word: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = word.as_bytes();
    let at = bytes.iter().position(|&b| b == b'=')?;
    let piece = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((piece(&bytes[..at]), piece(&bytes[at + 1..])))
}

/// Writes an option in the one form that leaves the parser no doubt.
fn push(target: &mut Vec<OsString>, option: &Arg, values: Vec<OsString>) {
    let name = match (option.get_long(), option.get_short()) {
        (Some(long), _) => OsString::from(format!("--{long}")),
        (None, Some(short)) => OsString::from(format!("-{short}")),
        (None, None) => return,
    };
    match &values[..] {
        [value] => {
            let mut word = name;
            word.push("=");
            word.push(value);
            target.push(word);
        }
        _ => {
            target.push(name);
            target.extend(values);
        }
    }
}

/// The lines of a configuration file as words; quotes keep spaces, # begins a comment.
fn read_file(name: &OsStr, allowed: bool) -> Result<Vec<Vec<OsString>>, Refusal> {
    let shown = name.to_string_lossy();
    if !allowed {
        let message = format!("-configfile {shown} stands in a configuration file itself");
        return Err(Refusal::usage(message));
    }
    let text = std::fs::read_to_string(name)
        .map_err(|error| Refusal::usage(format!("-configfile {shown}: {error}")))?;
    let mut parts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = split_words(line)
            .ok_or_else(|| Refusal::usage(format!("{shown}, line {number}: a quote is open")))?;
        if !words.is_empty() {
            parts.push(words);
        }
    }
    if parts.is_empty() {
        return Err(Refusal::usage(format!("-configfile {shown}: no program in it")));
    }
    Ok(parts)
}

/// Splits a line into words as a shell does, without expanding anything. None: an open quote.
fn split_words(line: &str) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().push(letters.next().unwrap_or('\\'));
            }
            (None, '#') if word.is_none() => break,
            (None, letter) if letter.is_whitespace() => {
                words.extend(word.take().map(OsString::from));
            }
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word.map(OsString::from));
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests;
