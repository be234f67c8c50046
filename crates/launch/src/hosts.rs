//! Names of hosts and files of them. This version runs on one node, so the only question is
//! whether a name means this host, and how many slots it is said to have.
//!
//! Called by `plan`.

use crate::cli::usage::Refusal;
use std::path::Path;

/// The name of this host.
pub fn this_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "localhost".to_string(),
        name => name.to_string(),
    }
}

/// A host and its slots, None when they were not given.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    slots: Option<u32>,
}

/// The slots that lists (`h1,h2:4`) and a file give this host together; None when none of them
/// gives a number.
///
/// # Errors
/// When an entry cannot be read or names another host.
pub fn slots(lists: &[String], file: Option<&Path>, this: &str) -> Result<Option<u32>, Refusal> {
    let mut entries = Vec::new();
    for list in lists {
        for text in list.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            entries.push(entry(text).ok_or_else(|| {
                Refusal::usage(format!("--host {list}: \"{text}\" is not HOST or HOST:SLOTS"))
            })?);
        }
    }
    if let Some(file) = file {
        entries.extend(read_file(file)?);
    }
    for entry in &entries {
        if !is_this_host(&entry.name, this) {
            let message = format!(
                "host \"{}\" is not this host ({this}); this version runs on one node",
                entry.name
            );
            return Err(Refusal::usage(message));
        }
    }
    let given: Vec<u32> = entries.iter().filter_map(|entry| entry.slots).collect();
    Ok((!given.is_empty())
        .then(|| given.iter().fold(0u32, |sum, &slots| sum.saturating_add(slots))))
}

fn read_file(path: &Path) -> Result<Vec<Entry>, Refusal> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Refusal::usage(format!("host file {shown}: {error}")))?;
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(host) = words.next() else { continue };
        let wrong = || Refusal::usage(format!("host file {shown}, line {number}: \"{line}\""));
        let mut host = entry(host).ok_or_else(wrong)?;
        for word in words {
            // Other words (max_slots, binding, user) are for launchers on several nodes.
            if let Some(slots) = word.strip_prefix("slots=") {
                host.slots = Some(slots.parse().map_err(|_| wrong())?);
            }
        }
        entries.push(host);
    }
    Ok(entries)
}

/// Reads `HOST` or `HOST:SLOTS`; an IPv6 address has its colons inside brackets or no slots.
fn entry(text: &str) -> Option<Entry> {
    let plain = |name: &str, slots| Some(Entry { name: name.to_string(), slots });
    if let Some(rest) = text.strip_prefix('[') {
        let (name, after) = rest.split_once(']')?;
        return match after.strip_prefix(':') {
            Some(slots) => plain(name, Some(slots.parse().ok()?)),
            None if after.is_empty() => plain(name, None),
            None => None,
        };
    }
    match text.split_once(':') {
        Some((_, slots)) if slots.contains(':') => plain(text, None),
        Some((name, slots)) if !name.is_empty() => plain(name, Some(slots.parse().ok()?)),
        Some(_) => None,
        None => plain(text, None),
    }
}

fn is_this_host(name: &str, this: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let known = ["localhost", "127.0.0.1", "::1", "localhost.localdomain"];
    let numeric = name.parse::<std::net::IpAddr>().is_ok();
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
        || !numeric && short(name) == short(this)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Result<Option<u32>, Refusal> {
        slots(&[text.to_string()], None, "node7.example.org")
    }

    #[test]
    fn names_of_this_host() {
        let names = ["localhost", "127.0.0.1", "::1", "[::1]", "node7", "NODE7.example.org"];
        for name in names {
            assert_eq!(list(name), Ok(None), "{name}");
        }
        assert_eq!(list("localhost:4,node7:2"), Ok(Some(6)));
        assert_eq!(list("[::1]:3"), Ok(Some(3)));
        assert_eq!(slots(&[], None, "h"), Ok(None));
    }

    #[test]
    fn other_hosts_and_rubbish_are_refused() {
        for (text, part) in
            [("node8", "node8"), ("localhost,10.0.0.1", "10.0.0.1"), ("localhost:x", "localhost:x")]
        {
            let refusal = list(text).unwrap_err();
            assert!(refusal.message.contains(part), "{refusal}");
            assert_eq!(refusal.exit_code, 2);
        }
        assert!(list("node8").unwrap_err().message.contains("one node"));
    }

    #[test]
    fn host_files() {
        let path = std::env::temp_dir().join(format!("starling-hosts-{}", std::process::id()));
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            slots(&[], Some(&path), "node7")
        };
        let text = "# all of it\nlocalhost:4 # four\n\nnode7 slots=3 max_slots=9\nlocalhost\n";
        assert_eq!(read(text), Ok(Some(7)));
        assert_eq!(read("localhost\n"), Ok(None));
        assert!(read("localhost slots=many\n").unwrap_err().message.contains("line 1"));
        assert!(read("elsewhere:4\n").unwrap_err().message.contains("elsewhere"));
        std::fs::remove_file(&path).unwrap();
        assert!(slots(&[], Some(&path), "node7").unwrap_err().message.contains("starling-hosts"));
    }
}
