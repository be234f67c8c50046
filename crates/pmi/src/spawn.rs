//! Starting processes in a running job: what the client asks and the server reads.
//!
//! A request is one `mcmd=spawn` per program, all of one request in a row (`totspawns`,
//! `spawnssofar`). Texts with bytes that end a line travel in hexadecimal digits under a key that
//! ends with `_hex`, which only this project's two ends know.

use crate::wire::Command;

/// Largest number of programs, arguments and pairs that a request may announce.
const ITEMS_MAX: i64 = 1 << 20;

/// One program of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The command, as the user wrote it.
    pub command: Vec<u8>,
    /// Its arguments, without its name.
    pub arguments: Vec<Vec<u8>>,
    /// How many processes run it.
    pub count: u32,
    /// Hints by key (MPI 5.0, section 11.8.4).
    pub hints: Vec<(String, Vec<u8>)>,
}

impl Program {
    /// The value of a hint.
    pub fn hint(&self, key: &str) -> Option<&[u8]> {
        self.hints.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_slice())
    }
}

/// All of a request: the programs, and values for the new job's key-value space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The programs, in the order of their ranks.
    pub programs: Vec<Program>,
    /// What the new job finds in its key-value space.
    pub values: Vec<(String, Vec<u8>)>,
}

impl Request {
    /// The lines to send.
    pub fn to_lines(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for (index, program) in self.programs.iter().enumerate() {
            let mut add = |key: &str, value: &[u8]| add_line(&mut lines, key, value);
            add("mcmd", b"spawn");
            add("nprocs", program.count.to_string().as_bytes());
            add("execname", &program.command);
            add("totspawns", self.programs.len().to_string().as_bytes());
            add("spawnssofar", (index + 1).to_string().as_bytes());
            add("argcnt", program.arguments.len().to_string().as_bytes());
            for (number, argument) in program.arguments.iter().enumerate() {
                add(&format!("arg{}", number + 1), argument);
            }
            add("preput_num", self.values.len().to_string().as_bytes());
            for (number, (key, value)) in self.values.iter().enumerate() {
                add(&format!("preput_key_{number}"), key.as_bytes());
                add(&format!("preput_val_{number}"), value);
            }
            add("info_num", program.hints.len().to_string().as_bytes());
            for (number, (key, value)) in program.hints.iter().enumerate() {
                add(&format!("info_key_{number}"), key.as_bytes());
                add(&format!("info_val_{number}"), value);
            }
            lines.extend_from_slice(b"endcmd\n");
        }
        lines
    }

    /// Adds the program of one `spawn` command; true when the request is complete.
    ///
    /// # Errors
    /// What is missing or impossible in the command.
    pub fn take(&mut self, command: &Command) -> Result<bool, String> {
        let count = number(command, "nprocs")?;
        let program = Program {
            command: text(command, "execname").ok_or("execname is missing")?,
            arguments: items(command, "argcnt")?
                .map(|n| text(command, &format!("arg{}", n + 1)).ok_or("an argument is missing"))
                .collect::<Result<_, _>>()?,
            count: u32::try_from(count).map_err(|_| format!("nprocs={count}"))?,
            hints: pairs(command, "info")?,
        };
        self.programs.push(program);
        self.values.extend(pairs(command, "preput")?);
        let total = command.number("totspawns").unwrap_or(1);
        Ok(command.number("spawnssofar").unwrap_or(total) >= total)
    }
}

fn add_line(lines: &mut Vec<u8>, key: &str, value: &[u8]) {
    let ends_line = value.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0));
    lines.extend_from_slice(key.as_bytes());
    match ends_line {
        true => {
            lines.extend_from_slice(b"_hex=");
            value.iter().for_each(|byte| lines.extend(format!("{byte:02x}").bytes()));
        }
        false => {
            lines.push(b'=');
            lines.extend_from_slice(value);
        }
    }
    lines.push(b'\n');
}

fn text(command: &Command, key: &str) -> Option<Vec<u8>> {
    if let Some(plain) = command.get(key) {
        return Some(plain.to_vec());
    }
    let digits = command.get(&format!("{key}_hex"))?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

fn number(command: &Command, key: &str) -> Result<i64, String> {
    let found = command.number(key).ok_or_else(|| format!("{key} is missing"))?;
    (0..=ITEMS_MAX).contains(&found).then_some(found).ok_or_else(|| format!("{key}={found}"))
}

/// The numbers of the items that `key` counts; none where it is missing.
fn items(command: &Command, key: &str) -> Result<std::ops::Range<i64>, String> {
    match command.get(key) {
        None => Ok(0..0),
        Some(_) => Ok(0..number(command, key)?),
    }
}

fn pairs(command: &Command, what: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    let one = |n: i64| {
        let key = text(command, &format!("{what}_key_{n}")).ok_or("a key is missing")?;
        let value = text(command, &format!("{what}_val_{n}")).ok_or("a value is missing")?;
        Ok((String::from_utf8_lossy(&key).into_owned(), value))
    };
    items(command, &format!("{what}_num"))?.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Reader;

    #[test]
    fn requests_survive_the_way() {
        let request = Request {
            programs: vec![
                Program {
                    command: b"./a b=c".to_vec(),
                    arguments: vec![
                        b"".to_vec(),
                        b" x = y ".to_vec(),
                        b"import x\nrun()\n".to_vec(),
                    ],
                    count: 3,
                    hints: vec![("wdir".into(), b"/tmp/with space".to_vec())],
                },
                Program { command: b"b".to_vec(), count: 1, ..Program::default() },
            ],
            values: vec![],
        };
        let mut reader = Reader::default();
        reader.push(&request.to_lines());
        let mut read = Request::default();
        assert_eq!(read.take(&reader.next_command().unwrap().unwrap()), Ok(false));
        assert_eq!(read.take(&reader.next_command().unwrap().unwrap()), Ok(true));
        assert_eq!(read, request);
        assert_eq!(read.programs[0].hint("wdir"), Some(&b"/tmp/with space"[..]));
        assert_eq!(read.programs[0].hint("path"), None);
    }

    #[test]
    fn what_is_missing_is_named() {
        let refuse = |lines: &[u8]| {
            let mut reader = Reader::default();
            reader.push(lines);
            Request::default().take(&reader.next_command().unwrap().unwrap()).unwrap_err()
        };
        assert!(refuse(b"mcmd=spawn\nexecname=a\nendcmd\n").contains("nprocs"));
        assert!(refuse(b"mcmd=spawn\nnprocs=-1\nexecname=a\nendcmd\n").contains("-1"));
        assert!(
            refuse(b"mcmd=spawn\nnprocs=1\nexecname=a\nargcnt=1\nendcmd\n").contains("argument")
        );
    }
}
