//! Cutting a rank's output into whole lines.
//!
//! Called by `output`. Knows no descriptors: bytes in, bytes out.

/// A line longer than this passes in pieces of about this size, which other lines may come
/// between; without a limit one rank could fill the launcher's memory.
pub const LINE_BYTES_MAX: usize = 8 << 20;

/// One stream of one rank.
#[derive(Debug, Default)]
pub struct Lines {
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
    /// What every line begins with.
    prefix: Vec<u8>,
    /// Whether a part of the current line has been handed on.
    inside: bool,
}

impl Lines {
    /// Lines that begin with `prefix`.
    pub fn new(prefix: Vec<u8>) -> Lines {
        Lines { prefix, ..Lines::default() }
    }

    /// Takes bytes as they come and hands on the lines that are whole.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match bytes.iter().rposition(|&b| b == b'\n') {
            None => self.partial.extend_from_slice(bytes),
            Some(last) => {
                let (whole, rest) = bytes.split_at(last + 1);
                self.hand_on(whole, out);
                self.partial.extend_from_slice(rest);
            }
        }
        if self.partial.len() > LINE_BYTES_MAX {
            self.flush(out);
        }
    }

    /// Whether a part of a line waits for its end.
    pub fn has_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Hands on the part of a line that is there.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if self.has_partial() {
            self.hand_on(&[], out);
        }
    }

    /// The partial line and the bytes behind it, with prefixes.
    fn hand_on(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let partial = std::mem::take(&mut self.partial);
        if self.prefix.is_empty() {
            out.extend_from_slice(&partial);
            out.extend_from_slice(bytes);
        } else {
            // A partial line has no newline in it: it is the beginning of the first line.
            let mut begin = partial;
            let mut lines = bytes.split_inclusive(|&b| b == b'\n');
            begin.extend_from_slice(lines.next().unwrap_or_default());
            for line in std::iter::once(&begin[..]).chain(lines) {
                if !self.inside {
                    out.extend_from_slice(&self.prefix);
                }
                out.extend_from_slice(line);
                self.inside = !line.ends_with(b"\n");
            }
        }
        self.inside = out.last().is_some_and(|&b| b != b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that comes out, with `|` after each hand-over.
    fn run(prefix: &str, pieces: &[&str]) -> String {
        let mut lines = Lines::new(prefix.as_bytes().to_vec());
        let mut shown = String::new();
        for piece in pieces {
            let mut out = Vec::new();
            lines.push(piece.as_bytes(), &mut out);
            shown += &format!("{}|", String::from_utf8(out).unwrap());
        }
        let mut out = Vec::new();
        lines.flush(&mut out);
        shown + &String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_whole_lines_are_handed_on() {
        assert_eq!(run("", &["a", "b\nc", "\n", "\nd\ne"]), "|ab\n|c\n|\nd\n|e");
        assert_eq!(run("", &["", "x\n"]), "|x\n|");
    }

    #[test]
    fn every_line_begins_with_the_prefix() {
        assert_eq!(run("[3] ", &["a\nb", "c\n\nd"]), "[3] a\n|[3] bc\n[3] \n|[3] d");
    }

    #[test]
    fn a_flushed_part_gets_no_second_prefix() {
        let mut lines = Lines::new(b"> ".to_vec());
        let mut out = Vec::new();
        lines.push(b"name: ", &mut out);
        lines.flush(&mut out);
        lines.push(b"x\ny\n", &mut out);
        assert_eq!(out, b"> name: x\n> y\n");
    }

    #[test]
    fn bytes_are_kept_whatever_they_are() {
        let bytes: Vec<u8> = (0..100_000u32).map(|i| (i * 7 % 256) as u8).collect();
        for piece in [1, 7, 4096, 70_000] {
            let (mut lines, mut out) = (Lines::default(), Vec::new());
            bytes.chunks(piece).for_each(|chunk| lines.push(chunk, &mut out));
            lines.flush(&mut out);
            assert!(out == bytes, "pieces of {piece}");
        }
    }

    #[test]
    fn an_endless_line_passes_in_pieces() {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        let chunk = vec![b'x'; 1 << 20];
        (0..20).for_each(|_| lines.push(&chunk, &mut out));
        assert!(out.len() > LINE_BYTES_MAX && lines.partial.len() <= LINE_BYTES_MAX);
        lines.flush(&mut out);
        assert_eq!(out.len(), 20 << 20);
    }
}
