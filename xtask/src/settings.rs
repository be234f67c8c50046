//! Tunables and counters: from `spec/tunables.toml` and `spec/counters.toml` to
//! `crates/settings/src/generated.rs`, `docs/tunables.md` and `docs/counters.md`.
//!
//! Called by `output.rs`. A row that is wrong (an unknown type, a default outside its range) is
//! refused here, so that the generated code needs no checks at run time.

use crate::output::{self, Generated};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tunable {
    r#type: String,
    default: toml::Value,
    min: Option<u64>,
    max: Option<u64>,
    #[serde(default)]
    power_of_two: bool,
    doc: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counter {
    doc: String,
}

impl Tunable {
    fn kind(&self) -> &'static str {
        match self.r#type.as_str() {
            "int" => "Int",
            "bytes" => "Bytes",
            "nanoseconds" => "Nanoseconds",
            "bool" => "Bool",
            _ => "Text",
        }
    }

    fn field_type(&self) -> &'static str {
        match self.r#type.as_str() {
            "bool" => "bool",
            "text" => "String",
            _ => "u64",
        }
    }

    fn default(&self) -> String {
        match &self.default {
            toml::Value::Boolean(truth) => u8::from(*truth).to_string(),
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    fn range(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) if self.power_of_two => {
                format!("{min} to {max}, a power of two")
            }
            (Some(min), Some(max)) => format!("{min} to {max}"),
            _ if self.r#type == "bool" => "0 or 1".into(),
            _ => "any text".into(),
        }
    }

    fn check(&self) -> Result<(), String> {
        check_doc(&self.doc)?;
        let has_range = self.min.is_some() || self.max.is_some() || self.power_of_two;
        match (self.r#type.as_str(), &self.default) {
            ("bool", toml::Value::Boolean(_)) | ("text", toml::Value::String(_)) if has_range => {
                Err("only numbers have min, max and power_of_two".into())
            }
            ("bool", toml::Value::Boolean(_)) | ("text", toml::Value::String(_)) => Ok(()),
            ("int" | "bytes" | "nanoseconds", toml::Value::Integer(default)) => {
                let (Some(min), Some(max)) = (self.min, self.max) else {
                    return Err("min and max are missing".into());
                };
                match u64::try_from(*default) {
                    Ok(number) if number < min || number > max => {
                        Err("the default is out of range".into())
                    }
                    Ok(number) if self.power_of_two && !number.is_power_of_two() => {
                        Err("the default is not a power of two".into())
                    }
                    Ok(_) => Ok(()),
                    Err(_) => Err("the default is negative".into()),
                }
            }
            (kind, default) => Err(format!("type {kind} does not go with default {default}")),
        }
    }
}

fn check_doc(doc: &str) -> Result<(), String> {
    if doc.ends_with('.') && !doc.contains('\n') {
        return Ok(());
    }
    Err("doc has to be one line of whole sentences".into())
}

/// Every file that comes from the two tables.
pub fn generate(root: &Path) -> Result<Vec<Generated>, String> {
    let tunables: Vec<(String, Tunable)> = rows(root, "tunables")?;
    let counters: Vec<(String, Counter)> = rows(root, "counters")?;
    for (name, tunable) in &tunables {
        tunable
            .check()
            .map_err(|why| format!("spec/tunables.toml: {name}: {why}"))?;
    }
    for (name, counter) in &counters {
        check_doc(&counter.doc).map_err(|why| format!("spec/counters.toml: {name}: {why}"))?;
    }
    Ok(vec![
        Generated::rust(
            "crates/settings/src/generated.rs",
            &rust(&tunables, &counters),
        )?,
        Generated::plain("docs/tunables.md", tunables_page(&tunables)),
        Generated::plain("docs/counters.md", counters_page(&counters)),
    ])
}

/// The rows of one table in the order of the file.
fn rows<T: for<'a> Deserialize<'a>>(root: &Path, name: &str) -> Result<Vec<(String, T)>, String> {
    let path = format!("spec/{name}.toml");
    let text = std::fs::read_to_string(root.join(&path)).map_err(|e| format!("{path}: {e}"))?;
    let table: toml::Table = text.parse().map_err(|e| format!("{path}: {e}"))?;
    let mut rows = Vec::new();
    for (key, value) in table {
        let row = value
            .try_into()
            .map_err(|e| format!("{path}: {key}: {e}"))?;
        let position = text
            .lines()
            .position(|line| line.trim() == format!("[{key}]"));
        rows.push((position, key, row));
    }
    rows.sort_by_key(|row| row.0);
    Ok(rows.into_iter().map(|(_, key, row)| (key, row)).collect())
}

const RUST_HEAD: &str = "\
// Generated by xtask from spec/tunables.toml and spec/counters.toml; do not edit.
//! The fields of `Tunables` and `Counters` and the rows they are read from.

use crate::counter::Counter;
use crate::tunable::{Kind, Reader, Row};
use std::ffi::OsString;

";

fn rust(tunables: &[(String, Tunable)], counters: &[(String, Counter)]) -> String {
    let mut out = String::from(RUST_HEAD);
    out += "/// Every setting of the library; one value per process.\n";
    out += "#[derive(Clone, Debug)]\npub struct Tunables {\n";
    for (name, row) in tunables {
        push!(out, "{}///\n", output::doc_comment(&row.doc));
        push!(
            out,
            "/// `{}`, {}; default {}.\n",
            env(name),
            row.range(),
            row.default()
        );
        push!(out, "pub {name}: {},\n", row.field_type());
    }
    out += "}\n\nimpl Tunables {\n";
    out += "    /// Fills every field from its row.\n";
    out += "    pub(crate) fn read<L>(reader: &mut Reader<L>) -> Tunables\n";
    out += "    where L: Fn(&str) -> Option<OsString> {\n        Tunables {\n";
    for (index, (name, _)) in tunables.iter().enumerate() {
        push!(out, "{name}: reader.value(&ROWS[{index}]),\n");
    }
    out += "        }\n    }\n}\n\nstatic ROWS: &[Row] = &[\n";
    for (name, row) in tunables {
        let (kind, default, power_of_two) = (row.kind(), row.default(), row.power_of_two);
        let (min, max) = (row.min.unwrap_or(0), row.max.unwrap_or(0));
        let doc = output::string_literal(&row.doc);
        push!(out, "Row {{ name: {name:?}, env: {:?}, ", env(name));
        push!(
            out,
            "kind: Kind::{kind}, default: {default:?}, min: {min}, max: {max}, "
        );
        push!(out, "power_of_two: {power_of_two}, doc: {doc} }},\n");
    }
    out += "];\n\n/// Every counter of a rank; the rank's thread is the only writer.\n";
    out += "#[derive(Debug, Default)]\npub struct Counters {\n";
    for (name, row) in counters {
        push!(
            out,
            "{}pub {name}: Counter,\n",
            output::doc_comment(&row.doc)
        );
    }
    out += "}\n\nimpl Counters {\n";
    out += "/// Name, meaning and count of every counter, in the order of the table.\n";
    out += "pub fn list(&self) -> Vec<(&'static str, &'static str, u64)> {\nvec![\n";
    for (name, row) in counters {
        push!(
            out,
            "({name:?}, {}, self.{name}.get()),\n",
            output::string_literal(&row.doc)
        );
    }
    out += "]\n}\n}\n";
    out
}

fn env(name: &str) -> String {
    format!("STARLING_{}", name.to_uppercase())
}

fn tunables_page(tunables: &[(String, Tunable)]) -> String {
    let mut out =
        String::from("<!-- Generated by xtask from spec/tunables.toml; do not edit. -->\n");
    out += "# Tunables\n\n";
    out +=
        "Set the environment variable before the program starts. Sizes accept the suffixes K, M\n";
    out +=
        "and G (powers of 1024), times ns, us, ms and s (plain numbers are nanoseconds), yes and\n";
    out += "no can be written 1/0, true/false, yes/no or on/off. A value that cannot be used is\n";
    out += "reported, and the default stays. `starling info` shows the values in use.\n\n";
    out += "| variable | type | default | accepted | what it does |\n|---|---|---|---|---|\n";
    for (name, row) in tunables {
        let (kind, default, range) = (&row.r#type, row.default(), row.range());
        push!(
            out,
            "| `{}` | {kind} | {default} | {range} | {} |\n",
            env(name),
            row.doc
        );
    }
    out
}

fn counters_page(counters: &[(String, Counter)]) -> String {
    let mut out =
        String::from("<!-- Generated by xtask from spec/counters.toml; do not edit. -->\n");
    out += "# Counters\n\n";
    out += "Each rank counts for itself, from its start.\n\n";
    out += "| counter | counts |\n|---|---|\n";
    for (name, row) in counters {
        push!(out, "| `{name}` | {} |\n", row.doc);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tunable(text: &str) -> Result<(), String> {
        let row: Tunable = toml::from_str(text).map_err(|e| e.to_string())?;
        row.check()
    }

    #[test]
    fn good_rows_pass() {
        tunable("type='int'\ndefault=3\nmin=1\nmax=3\ndoc='A.'").expect("a number");
        tunable("type='bool'\ndefault=true\ndoc='A.'").expect("a truth value");
        tunable("type='text'\ndefault='x'\ndoc='A.'").expect("a text");
    }

    #[test]
    fn bad_rows_are_refused() {
        for (text, part) in [
            (
                "type='int'\ndefault=4\nmin=1\nmax=3\ndoc='A.'",
                "out of range",
            ),
            ("type='int'\ndefault=-4\nmin=1\nmax=3\ndoc='A.'", "negative"),
            (
                "type='int'\ndefault=3\nmin=1\nmax=3\npower_of_two=true\ndoc='A.'",
                "power of two",
            ),
            ("type='int'\ndefault=3\ndoc='A.'", "missing"),
            (
                "type='integer'\ndefault=3\nmin=1\nmax=3\ndoc='A.'",
                "does not go",
            ),
            ("type='bool'\ndefault=1\ndoc='A.'", "does not go"),
            ("type='bool'\ndefault=true\nmax=1\ndoc='A.'", "only numbers"),
            ("type='bool'\ndefault=true\ndoc='A'", "sentences"),
            (
                "type='bool'\ndefault=true\ndoc='A.'\nenv='X'",
                "unknown field",
            ),
        ] {
            let error = tunable(text).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}
