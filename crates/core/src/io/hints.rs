//! Hints for files (MPI 5.0, section 14.2.8): which are known, what they mean, what is reported
//! back. Unknown ones, and values that make no sense, are ignored.

use crate::info::Info;

/// Whether a collective access goes through aggregators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Buffering {
    /// When pieces of several processes are small and lie between each other.
    #[default]
    Automatic,
    /// Always.
    Enable,
    /// Never.
    Disable,
}

/// The hints in force. Those with words are the same on all processes: rank 0's.
#[derive(Clone, Debug)]
pub struct Hints {
    /// `cb_nodes`: processes that access the file for all.
    pub cb_nodes: u64,
    /// `cb_buffer_size`: bytes that such a process moves at once.
    pub cb_buffer_size: u64,
    /// `collective_buffering` and `romio_cb_read`.
    pub cb_read: Buffering,
    /// `collective_buffering` and `romio_cb_write`.
    pub cb_write: Buffering,
    /// `striping_unit`: processes get parts of the file that begin at multiples of it.
    pub striping_unit: u64,
    /// `file_perm`: permissions of a new file, octal.
    pub permissions: Option<u32>,
    /// What is only kept and reported.
    noted: Info,
}

const NOTED: [&str; 11] = [
    "access_style",
    "cb_block_size",
    "chunked",
    "chunked_item",
    "chunked_size",
    "file_perm",
    "filename",
    "io_node_list",
    "nb_proc",
    "num_io_nodes",
    "striping_factor",
];

/// Aggregators at most, unless a hint says otherwise.
const NODES_DEFAULT: u64 = 8;
const BUFFER_DEFAULT: u64 = 16 << 20;
/// So that a window of an aggregator is never tiny nor larger than memory.
const BUFFER_LIMITS: (u64, u64) = (4096, 1 << 30);

impl Hints {
    /// What holds without hints, for `size` processes.
    pub fn new(size: u32) -> Hints {
        Hints {
            cb_nodes: NODES_DEFAULT.min(size as u64),
            cb_buffer_size: BUFFER_DEFAULT,
            cb_read: Buffering::Automatic,
            cb_write: Buffering::Automatic,
            striping_unit: 0,
            permissions: None,
            noted: Info::default(),
        }
    }

    /// Takes over what `info` asks for.
    pub fn apply(&mut self, info: &Info, size: u32) {
        let number = |key: &str| info.get(key)?.trim().parse::<u64>().ok();
        if let Some(n) = number("cb_nodes").filter(|n| *n > 0) {
            self.cb_nodes = n.min(size as u64);
        }
        if let Some(n) = number("cb_buffer_size").filter(|n| *n > 0) {
            self.cb_buffer_size = n.clamp(BUFFER_LIMITS.0, BUFFER_LIMITS.1);
        }
        if let Some(n) = number("striping_unit").filter(|n| *n <= 1 << 40) {
            self.striping_unit = n;
        }
        let permissions = info.get("file_perm").map(|p| u32::from_str_radix(p.trim(), 8));
        if let Some(Ok(permissions)) = permissions {
            self.permissions = Some(permissions & 0o777);
        }
        match info.get("collective_buffering") {
            Some("true") => (self.cb_read, self.cb_write) = (Buffering::Enable, Buffering::Enable),
            Some("false") => {
                (self.cb_read, self.cb_write) = (Buffering::Disable, Buffering::Disable)
            }
            _ => {}
        }
        self.cb_read = info.get("romio_cb_read").and_then(buffering).unwrap_or(self.cb_read);
        self.cb_write = info.get("romio_cb_write").and_then(buffering).unwrap_or(self.cb_write);
        for key in NOTED {
            if let Some(value) = info.get(key) {
                self.noted.set(key, value);
            }
        }
    }

    /// All hints in force.
    pub fn report(&self) -> Info {
        let mut info = self.noted.clone();
        info.set("cb_buffer_size", &self.cb_buffer_size.to_string());
        info.set("cb_nodes", &self.cb_nodes.to_string());
        info.set("romio_cb_read", name(self.cb_read));
        info.set("romio_cb_write", name(self.cb_write));
        let whole = match (self.cb_read, self.cb_write) {
            (Buffering::Disable, Buffering::Disable) => "false",
            _ => "true",
        };
        info.set("collective_buffering", whole);
        if self.striping_unit > 0 {
            info.set("striping_unit", &self.striping_unit.to_string());
        }
        info
    }

    /// What has to be the same everywhere.
    pub(super) fn words(&self) -> [u64; 5] {
        let number = |b: Buffering| b as u64;
        let (read, write) = (number(self.cb_read), number(self.cb_write));
        [self.cb_nodes, self.cb_buffer_size, read, write, self.striping_unit]
    }

    /// Takes rank 0's words over.
    pub(super) fn set_words(&mut self, words: [u64; 5]) {
        let kinds = [Buffering::Automatic, Buffering::Enable, Buffering::Disable];
        let kind = |n: u64| kinds.into_iter().find(|k| *k as u64 == n).unwrap_or_default();
        let [nodes, buffer, read, write, unit] = words;
        (self.cb_nodes, self.cb_buffer_size, self.striping_unit) = (nodes, buffer, unit);
        (self.cb_read, self.cb_write) = (kind(read), kind(write));
    }
}

fn buffering(value: &str) -> Option<Buffering> {
    Some(match value {
        "automatic" => Buffering::Automatic,
        "enable" => Buffering::Enable,
        "disable" => Buffering::Disable,
        _ => return None,
    })
}

fn name(buffering: Buffering) -> &'static str {
    match buffering {
        Buffering::Automatic => "automatic",
        Buffering::Enable => "enable",
        Buffering::Disable => "disable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_values_are_taken_and_reported_others_ignored() {
        let mut hints = Hints::new(4);
        let mut info = Info::default();
        let given = [
            ("cb_nodes", "100"),
            ("cb_buffer_size", "1048576"),
            ("romio_cb_write", "enable"),
            ("romio_cb_read", "sometimes"),
            ("access_style", "write_once"),
            ("no_such_hint", "1"),
        ];
        given.iter().for_each(|(key, value)| info.set(key, value));
        hints.apply(&info, 4);
        let report = hints.report();
        assert_eq!(report.get("cb_nodes"), Some("4"));
        assert_eq!(report.get("cb_buffer_size"), Some("1048576"));
        assert_eq!(report.get("romio_cb_write"), Some("enable"));
        assert_eq!(report.get("romio_cb_read"), Some("automatic"));
        assert_eq!(report.get("access_style"), Some("write_once"));
        assert_eq!(report.get("no_such_hint"), None);
        let mut other = Hints::new(4);
        other.set_words(hints.words());
        assert_eq!(other.words(), hints.words());
    }
}
