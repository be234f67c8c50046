//! `starling info`: version, machine, what the kernel allows, tunables and counters.
//!
//! Called by `main`. Gathers everything as JSON and writes that as text when JSON is not wanted,
//! so both show the same.

use crate::environment;
use crate::hosts::this_host;
use crate::os::probe;
use crate::plan::usable_cores;
use serde_json::{json, Value};
use starling_topology::{process, Level, Topology};
use std::fmt::Write;
use std::path::Path;

/// The report, as text or as JSON.
pub fn report(as_json: bool) -> String {
    let facts = gather();
    match as_json {
        true => format!("{facts:#}\n"),
        false => text(&facts),
    }
}

fn gather() -> Value {
    let topology = Topology::discover();
    let parts = |level| topology.parts(level).len();
    let path = |path: Option<std::path::PathBuf>| path.map(|p| p.display().to_string());
    let tunables: Vec<Value> = starling_settings::describe()
        .iter()
        .map(|tunable| {
            let source = match tunable.source {
                starling_settings::Source::Default => "default",
                starling_settings::Source::Environment => "environment",
            };
            json!({
                "name": tunable.name, "value": tunable.value, "default": tunable.default,
                "source": source, "variable": tunable.env, "accepted": tunable.range,
                "doc": tunable.doc,
            })
        })
        .collect();
    let counters = starling_settings::Counters::default();
    let counters: Vec<Value> = counters
        .list()
        .iter()
        .map(|(name, doc, value)| json!({ "name": name, "value": value, "doc": doc }))
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "prefix": path(environment::prefix()),
        "library_folder": path(environment::library_folder()),
        "host": this_host(),
        "machine": {
            "sockets": parts(Level::Package),
            "numa_domains": parts(Level::Numa),
            "l3_caches": parts(Level::L3),
            "cores": parts(Level::Core),
            "cpus": topology.cpus().len(),
            "cpu_list": topology.all().to_string(),
            "cpu_quota": process::cpu_quota(Path::new("/sys/fs/cgroup")),
            "default_ranks": usable_cores(&topology),
        },
        "kernel": {
            "release": probe::kernel_release(),
            "cross_memory_copy": shown(probe::cross_memory_copy()),
            "membarrier": shown(probe::membarrier()),
        },
        "tunables": tunables,
        "counters": counters,
        "warnings": starling_settings::warnings(),
    })
}

fn shown(probed: Result<(), String>) -> String {
    match probed {
        Ok(()) => "yes".to_string(),
        Err(why) => format!("no: {why}"),
    }
}

fn text(facts: &Value) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_string(),
        other => other.to_string(),
    };
    let mut text = format!("Starling MPI {}\n", word(&facts["version"]));
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:18} {value}");
    };
    let (machine, kernel) = (&facts["machine"], &facts["kernel"]);
    line("prefix", word(&facts["prefix"]));
    line("library", word(&facts["library_folder"]));
    line("host", word(&facts["host"]));
    line("kernel", word(&kernel["release"]));
    let count = |name: &str, noun: &str| {
        let number = machine[name].as_u64().unwrap_or(0);
        format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
    };
    let parts = [
        count("sockets", "socket"),
        count("numa_domains", "NUMA domain"),
        count("l3_caches", "L3 cache"),
        count("cores", "core"),
        count("cpus", "CPU"),
    ];
    line("machine", parts.join(", "));
    line("usable CPUs", word(&machine["cpu_list"]));
    line("CPU quota", word(&machine["cpu_quota"]));
    line("ranks by default", word(&machine["default_ranks"]));
    line("cross-memory copy", word(&kernel["cross_memory_copy"]));
    line("membarrier", word(&kernel["membarrier"]));
    text += "\nTunables (environment variable, value, where it comes from)\n";
    for tunable in facts["tunables"].as_array().into_iter().flatten() {
        let [variable, value, source] =
            ["variable", "value", "source"].map(|name| word(&tunable[name]));
        let _ = writeln!(text, "  {variable:34} {value:10} {source}");
        let _ = writeln!(
            text,
            "      {} Accepted: {}.",
            word(&tunable["doc"]),
            word(&tunable["accepted"])
        );
    }
    text +=
        "\nCounters (value in this process, which is no rank; STARLING_REPORT_COUNTERS=1 prints \
             those of a job when it ends)\n";
    for counter in facts["counters"].as_array().into_iter().flatten() {
        let (name, doc) = (word(&counter["name"]), word(&counter["doc"]));
        let _ = writeln!(text, "  {name:34} {:<10} {doc}", counter["value"].as_u64().unwrap_or(0));
    }
    for warning in facts["warnings"].as_array().into_iter().flatten() {
        let _ = writeln!(text, "\nwarning: {}", word(warning));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json_show_the_same() {
        let facts: Value = serde_json::from_str(&report(true)).unwrap();
        let text = report(false);
        assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
        assert!(facts["machine"]["cpus"].as_u64().unwrap() > 0);
        let tunables = facts["tunables"].as_array().unwrap();
        assert!(!tunables.is_empty());
        for tunable in tunables {
            assert!(text.contains(tunable["variable"].as_str().unwrap()));
        }
        for counter in facts["counters"].as_array().unwrap() {
            assert!(text.contains(counter["name"].as_str().unwrap()));
        }
        for name in ["cross_memory_copy", "membarrier"] {
            let probed = facts["kernel"][name].as_str().unwrap();
            assert!(probed == "yes" || probed.starts_with("no: "), "{probed}");
        }
    }
}
