//! The text of PMI-1: one command per line, `cmd=name key=value key=value`, and the form of
//! several lines that begins with `mcmd=` and ends with `endcmd`.
//!
//! Called by both ends. Relies on nothing. Values are bytes: a key-value space carries whatever
//! the program put, apart from a newline.

/// Longest line accepted; a peer that sends more without a newline is not speaking PMI-1.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// What `get_maxes` answers: the longest name of a key-value space, in bytes.
pub const KVSNAME_BYTES_MAX: usize = 256;
/// What `get_maxes` answers: the longest key, in bytes.
pub const KEY_BYTES_MAX: usize = 64;
/// What `get_maxes` answers: the longest value, in bytes.
pub const VALUE_BYTES_MAX: usize = 1024;

/// Attributes whose value is everything up to the end of the line, spaces and `=` included.
const REST_OF_LINE: [&str; 4] = ["value", "val", "message", "error_msg"];

/// One command: its name and its attributes in the order they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What follows `cmd=` or `mcmd=`.
    pub name: String,
    /// The attributes, in order.
    pub attributes: Vec<(String, Vec<u8>)>,
}

impl Command {
    /// A command without attributes.
    pub fn new(name: &str) -> Command {
        Command { name: name.to_string(), attributes: Vec::new() }
    }

    /// The same command with one more attribute at its end.
    pub fn with(mut self, key: &str, value: impl AsRef<[u8]>) -> Command {
        self.attributes.push((key.to_string(), value.as_ref().to_vec()));
        self
    }

    /// The first value of attribute `key`.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_slice())
    }

    /// The first value of attribute `key` as text; None when absent or not UTF-8.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(|value| std::str::from_utf8(value).ok())
    }

    /// The first value of attribute `key` as a number.
    pub fn number(&self, key: &str) -> Option<i64> {
        self.text(key)?.trim().parse().ok()
    }

    /// The line to send, newline included. A newline inside a value becomes a space, for it
    /// would start another command.
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = format!("cmd={}", self.name).into_bytes();
        for (key, value) in &self.attributes {
            line.push(b' ');
            line.extend_from_slice(key.as_bytes());
            line.push(b'=');
            line.extend(value.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }));
        }
        line.push(b'\n');
        line
    }

    /// Reads one line, newline excluded. None when it does not begin with `cmd=`.
    pub fn parse(line: &[u8]) -> Option<Command> {
        let line = trim(line);
        let rest = line.strip_prefix(b"cmd=")?;
        let name_end = rest.iter().position(|&b| b == b' ').unwrap_or(rest.len());
        let name = std::str::from_utf8(&rest[..name_end]).ok()?.to_string();
        let mut command = Command { name, attributes: Vec::new() };
        let mut rest = &rest[name_end..];
        while let Some(word_start) = rest.iter().position(|&b| b != b' ') {
            let gap = &rest[..word_start];
            rest = &rest[word_start..];
            let word_end = rest.iter().position(|&b| b == b' ').unwrap_or(rest.len());
            let (word, after) = rest.split_at(word_end);
            match split_attribute(word) {
                Some((key, _)) if REST_OF_LINE.contains(&key) => {
                    let value = rest[key.len() + 1..].to_vec();
                    command.attributes.push((key.to_string(), value));
                    break;
                }
                Some((key, value)) => {
                    command.attributes.push((key.to_string(), value.to_vec()));
                }
                // A word that is no attribute continues a value that has spaces in it: names of
                // services are sent without any quoting.
                None => {
                    if let Some((_, value)) = command.attributes.last_mut() {
                        value.extend_from_slice(gap);
                        value.extend_from_slice(word);
                    }
                }
            }
            rest = after;
        }
        Some(command)
    }
}

/// Splits `key=value`; None unless the key is letters, digits, `_` and `-`.
fn split_attribute(word: &[u8]) -> Option<(&str, &[u8])> {
    let equals = word.iter().position(|&b| b == b'=')?;
    let key = &word[..equals];
    let plain = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'-';
    if key.is_empty() || !key.iter().all(plain) {
        return None;
    }
    Some((std::str::from_utf8(key).ok()?, &word[equals + 1..]))
}

/// Without the carriage return, NUL bytes and spaces that some clients leave at the end.
fn trim(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let [b' ' | b'\r' | 0, rest @ ..] = line {
        line = rest;
    }
    while let [rest @ .., b' ' | b'\r' | 0] = line {
        line = rest;
    }
    line
}

/// Bytes as they arrive, cut into commands.
#[derive(Debug, Default)]
pub struct Reader {
    pending: Vec<u8>,
    /// Where the search for a newline in `pending` goes on.
    searched: usize,
    /// The command of several lines that is being read.
    open: Option<Command>,
}

/// What was wrong with a peer's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The beginning of the line, printable.
    pub line: String,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a PMI-1 command: \"{}\"", self.line)
    }
}

impl std::error::Error for Malformed {}

impl Reader {
    /// Adds bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next whole command, or None when more bytes are needed.
    ///
    /// # Errors
    /// When a line is not PMI-1 or is longer than [`LINE_BYTES_MAX`].
    pub fn next_command(&mut self) -> Result<Option<Command>, Malformed> {
        loop {
            let newline = self.pending[self.searched..].iter().position(|&b| b == b'\n');
            let Some(at) = newline.map(|n| n + self.searched) else {
                self.searched = self.pending.len();
                if self.pending.len() > LINE_BYTES_MAX {
                    return Err(malformed(&self.pending));
                }
                return Ok(None);
            };
            let line: Vec<u8> = self.pending.drain(..=at).collect();
            self.searched = 0;
            let line = &line[..line.len() - 1];
            if let Some(command) = self.take_line(line)? {
                return Ok(Some(command));
            }
        }
    }

    fn take_line(&mut self, line: &[u8]) -> Result<Option<Command>, Malformed> {
        if let Some(open) = &mut self.open {
            if trim(line) == b"endcmd" {
                return Ok(self.open.take());
            }
            let (key, value) = split_attribute(line).ok_or_else(|| malformed(line))?;
            open.attributes.push((key.to_string(), value.to_vec()));
            return Ok(None);
        }
        if let Some(name) = trim(line).strip_prefix(b"mcmd=") {
            let name = std::str::from_utf8(name).map_err(|_| malformed(line))?;
            self.open = Some(Command::new(name));
            return Ok(None);
        }
        if trim(line).is_empty() {
            return Ok(None);
        }
        Command::parse(line).map(Some).ok_or_else(|| malformed(line))
    }
}

fn malformed(line: &[u8]) -> Malformed {
    let head = &line[..line.len().min(80)];
    Malformed { line: head.escape_ascii().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_back() {
        let line = b"cmd=init pmi_version=1 pmi_subversion=1\n";
        let command = Command::parse(&line[..line.len() - 1]).unwrap();
        assert_eq!(command.name, "init");
        assert_eq!(command.number("pmi_version"), Some(1));
        assert_eq!(command.to_line(), line);
    }

    #[test]
    fn values_with_spaces_and_equals_signs() {
        let command = Command::parse(b"cmd=publish_name service=my  svc port=tag#0$c#").unwrap();
        assert_eq!(command.text("service"), Some("my  svc"));
        assert_eq!(command.text("port"), Some("tag#0$c#"));
        let command = Command::parse(b"cmd=put kvsname=k key=a value=x y=z  w").unwrap();
        assert_eq!(command.text("value"), Some("x y=z  w"));
        assert_eq!(command.get("y"), None);
        let command = Command::parse(b"cmd=put kvsname=k key=a value=").unwrap();
        assert_eq!(command.get("value"), Some(&b""[..]));
    }

    #[test]
    fn a_newline_in_a_value_cannot_start_a_command() {
        let line = Command::new("put").with("value", b"a\ncmd=abort").to_line();
        assert_eq!(line.iter().filter(|&&b| b == b'\n').count(), 1);
    }

    #[test]
    fn commands_arrive_in_any_pieces() {
        let stream = b"cmd=get_maxes\nmcmd=spawn\nnprocs=2\narg1=a b=c\nendcmd\ncmd=finalize\n";
        for piece in 1..stream.len() {
            let mut reader = Reader::default();
            let mut names = Vec::new();
            for bytes in stream.chunks(piece) {
                reader.push(bytes);
                while let Some(command) = reader.next_command().unwrap() {
                    if command.name == "spawn" {
                        assert_eq!(command.number("nprocs"), Some(2));
                        assert_eq!(command.text("arg1"), Some("a b=c"));
                    }
                    names.push(command.name);
                }
            }
            assert_eq!(names, ["get_maxes", "spawn", "finalize"], "pieces of {piece}");
        }
    }

    #[test]
    fn rubbish_is_refused_and_named() {
        let mut reader = Reader::default();
        reader.push(b"GET / HTTP/1.1\n");
        let error = reader.next_command().unwrap_err();
        assert!(error.to_string().contains("GET / HTTP/1.1"), "{error}");
        let mut reader = Reader::default();
        reader.push(&vec![b'x'; LINE_BYTES_MAX + 1]);
        assert!(reader.next_command().is_err());
    }
}
