//! How a tunable gets its value: parsing, ranges, and the record of what was read.
//!
//! The generated code holds one [`Row`] per tunable and fills `Tunables` through a [`Reader`].
//! Called once per process by `lib.rs`. Nothing here can fail: a value that cannot be used is
//! remembered as a warning and the default is taken.

use crate::generated::Tunables;
use std::ffi::OsString;

/// What the value of a tunable means, and so how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain number.
    Int,
    /// A size in bytes; accepts the suffixes K, M and G (powers of 1024).
    Bytes,
    /// A time in nanoseconds; accepts the suffixes ns, us, ms and s.
    Nanoseconds,
    /// Yes or no: 1/0, true/false, yes/no, on/off.
    Bool,
    /// Any text.
    Text,
}

impl Kind {
    /// The word `spec/tunables.toml` uses for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Int => "int",
            Kind::Bytes => "bytes",
            Kind::Nanoseconds => "nanoseconds",
            Kind::Bool => "bool",
            Kind::Text => "text",
        }
    }
}

/// Where the value of a tunable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing usable was set.
    Default,
    /// Its environment variable.
    Environment,
}

/// A tunable and its value in this process, ready to be shown.
#[derive(Clone, Debug)]
pub struct TunableInfo {
    /// The name of the field in `Tunables`.
    pub name: &'static str,
    /// What the value means.
    pub kind: Kind,
    /// The value in use, written so that it can be set again.
    pub value: String,
    /// The same as a number (yes is 1, no is 0); `None` for a text.
    pub number: Option<u64>,
    /// The default, written as `value`.
    pub default: String,
    /// Where the value comes from.
    pub source: Source,
    /// The environment variable that sets it.
    pub env: &'static str,
    /// What it does, in one or two sentences.
    pub doc: &'static str,
    /// What is accepted.
    pub range: String,
}

/// A value of any kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(u64),
    Truth(bool),
    Text(String),
}

impl Value {
    fn number(&self) -> Option<u64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Truth(truth) => Some(u64::from(*truth)),
            Value::Text(_) => None,
        }
    }
}

impl From<Value> for u64 {
    fn from(value: Value) -> u64 {
        match value {
            Value::Number(number) => number,
            other => unreachable!("a number is read from a row of numbers, not {other:?}"),
        }
    }
}

impl From<Value> for bool {
    fn from(value: Value) -> bool {
        match value {
            Value::Truth(truth) => truth,
            other => unreachable!("yes or no is read from such a row, not {other:?}"),
        }
    }
}

impl From<Value> for String {
    fn from(value: Value) -> String {
        match value {
            Value::Text(text) => text,
            other => unreachable!("a text is read from a row of texts, not {other:?}"),
        }
    }
}

/// One row of `spec/tunables.toml`.
pub(crate) struct Row {
    pub name: &'static str,
    pub env: &'static str,
    pub kind: Kind,
    /// In the notation of the environment variable.
    pub default: &'static str,
    /// Inclusive; only numbers have a range.
    pub min: u64,
    pub max: u64,
    pub power_of_two: bool,
    pub doc: &'static str,
}

impl Row {
    fn range(&self) -> String {
        match self.kind {
            Kind::Bool => "0 or 1".into(),
            Kind::Text => "any text".into(),
            Kind::Int | Kind::Bytes | Kind::Nanoseconds => {
                let (min, max) = (self.show_number(self.min), self.show_number(self.max));
                let rule = if self.power_of_two { ", a power of two" } else { "" };
                format!("{min} to {max}{rule}")
            }
        }
    }

    /// The value that `text` stands for, or why it cannot be used.
    fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let number = match self.kind {
            Kind::Text => return Ok(Value::Text(text.into())),
            Kind::Bool => return parse_truth(text).map(Value::Truth),
            Kind::Int => parse_number(text, &[])?,
            Kind::Bytes => parse_number(text, BYTE_UNITS)?,
            Kind::Nanoseconds => parse_number(text, TIME_UNITS)?,
        };
        if number < self.min || number > self.max {
            return Err("out of range".into());
        }
        if self.power_of_two && !number.is_power_of_two() {
            return Err("not a power of two".into());
        }
        Ok(Value::Number(number))
    }

    fn warning(&self, text: &str, why: &str, default: &Value) -> String {
        let (env, range, default) = (self.env, self.range(), self.show(default));
        format!("{env}={text}: {why}; accepted: {range}. The default {default} is used.")
    }

    fn show(&self, value: &Value) -> String {
        match value {
            Value::Number(number) => self.show_number(*number),
            Value::Truth(truth) => u8::from(*truth).to_string(),
            Value::Text(text) => text.clone(),
        }
    }

    fn show_number(&self, number: u64) -> String {
        let units = match self.kind {
            Kind::Bytes => BYTE_UNITS,
            Kind::Nanoseconds => TIME_UNITS,
            Kind::Int | Kind::Bool | Kind::Text => &[],
        };
        let fits = |unit: &&(&str, u64)| number >= unit.1 && number.is_multiple_of(unit.1);
        match units.iter().filter(fits).max_by_key(|unit| unit.1) {
            Some((suffix, size)) => format!("{}{suffix}", number / size),
            None => number.to_string(),
        }
    }
}

const BYTE_UNITS: &[(&str, u64)] = &[("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
const TIME_UNITS: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

fn parse_truth(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err("neither yes nor no".into()),
    }
}

/// Reads digits and, if `units` is not empty, one of its suffixes in either case.
fn parse_number(text: &str, units: &[(&str, u64)]) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    if digits.is_empty() {
        return Err("not a number".into());
    }
    let number: u64 = digits.parse().map_err(|_| "out of range".to_string())?;
    let suffix = suffix.trim_start();
    if suffix.is_empty() {
        return Ok(number);
    }
    match units.iter().find(|unit| unit.0.eq_ignore_ascii_case(suffix)) {
        Some((_, size)) => number.checked_mul(*size).ok_or_else(|| "out of range".into()),
        None => Err(format!("unknown suffix '{suffix}'")),
    }
}

/// Reads the rows one after another and keeps what `describe` and `warnings` show.
pub(crate) struct Reader<L> {
    lookup: L,
    infos: Vec<TunableInfo>,
    warnings: Vec<String>,
}

impl<L: Fn(&str) -> Option<OsString>> Reader<L> {
    /// The value of one tunable: its variable's, or the default if that is unset or unusable.
    pub fn value<T: From<Value>>(&mut self, row: &Row) -> T {
        let default = match row.parse(row.default) {
            Ok(value) => value,
            Err(why) => unreachable!("xtask checked the default of {}: {why}", row.name),
        };
        let (value, source) = match (self.lookup)(row.env) {
            None => (default.clone(), Source::Default),
            Some(text) => match row.parse(&text.to_string_lossy()) {
                Ok(value) => (value, Source::Environment),
                Err(why) => {
                    let text = text.to_string_lossy();
                    self.warnings.push(row.warning(&text, &why, &default));
                    (default.clone(), Source::Default)
                }
            },
        };
        self.infos.push(TunableInfo {
            name: row.name,
            kind: row.kind,
            value: row.show(&value),
            number: value.number(),
            default: row.show(&default),
            source,
            env: row.env,
            doc: row.doc,
            range: row.range(),
        });
        value.into()
    }
}

/// Everything that was read.
pub(crate) struct Settings {
    pub tunables: Tunables,
    pub infos: Vec<TunableInfo>,
    pub warnings: Vec<String>,
}

impl Settings {
    /// Reads all tunables; `lookup` gives the value of an environment variable.
    pub fn read(lookup: impl Fn(&str) -> Option<OsString>) -> Settings {
        let mut reader = Reader { lookup, infos: Vec::new(), warnings: Vec::new() };
        let tunables = Tunables::read(&mut reader);
        Settings { tunables, infos: reader.infos, warnings: reader.warnings }
    }
}

impl Default for Tunables {
    /// All defaults, whatever the environment says. For tests.
    fn default() -> Tunables {
        Settings::read(|_| None).tunables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: Kind, default: &'static str, min: u64, max: u64) -> Row {
        let (name, env, doc) = ("limit", "STARLING_LIMIT", "A limit.");
        Row { name, env, kind, default, min, max, power_of_two: false, doc }
    }

    /// The value, its source and the warnings when the variable of `row` is set to `text`.
    fn set<T: From<Value>>(row: &Row, text: &str) -> (T, Source, Vec<String>) {
        let lookup = |name: &str| (name == row.env).then(|| text.into());
        let mut reader = Reader { lookup, infos: Vec::new(), warnings: Vec::new() };
        let value = reader.value(row);
        (value, reader.infos[0].source, reader.warnings)
    }

    fn number(row: &Row, text: &str) -> Option<u64> {
        let (value, source, warnings) = set::<u64>(row, text);
        assert_eq!(source == Source::Default, !warnings.is_empty(), "{text}: {warnings:?}");
        (source == Source::Environment).then_some(value)
    }

    #[test]
    fn sizes_take_binary_suffixes() {
        let row = row(Kind::Bytes, "8K", 1, 4 << 30);
        assert_eq!(number(&row, "12345"), Some(12345));
        assert_eq!(number(&row, "64K"), Some(65536));
        assert_eq!(number(&row, " 2 m "), Some(2 << 20));
        assert_eq!(number(&row, "4G"), Some(4 << 30));
        for bad in ["", "K", "1.5K", "-1", "64KB", "5G", "0", "99999999999999999999G", "1s"] {
            assert_eq!(number(&row, bad), None, "{bad:?} must be refused");
        }
    }

    #[test]
    fn times_take_unit_suffixes() {
        let row = row(Kind::Nanoseconds, "20us", 0, 1_000_000_000);
        assert_eq!(number(&row, "7"), Some(7));
        assert_eq!(number(&row, "7ns"), Some(7));
        assert_eq!(number(&row, "15us"), Some(15_000));
        assert_eq!(number(&row, "3ms"), Some(3_000_000));
        assert_eq!(number(&row, "1s"), Some(1_000_000_000));
        for bad in ["2s", "1m", "1K", "us", "18446744073709551616"] {
            assert_eq!(number(&row, bad), None, "{bad:?} must be refused");
        }
    }

    #[test]
    fn plain_numbers_take_no_suffix() {
        let row = row(Kind::Int, "64", 8, 1024);
        assert_eq!(number(&row, "8"), Some(8));
        assert_eq!(number(&row, "1024"), Some(1024));
        for bad in ["7", "1025", "1K", "0x10", "many"] {
            assert_eq!(number(&row, bad), None, "{bad:?} must be refused");
        }
    }

    #[test]
    fn a_power_of_two_can_be_required() {
        let row = Row { power_of_two: true, ..row(Kind::Int, "64", 0, 1024) };
        assert_eq!(number(&row, "128"), Some(128));
        assert_eq!(number(&row, "100"), None);
        assert_eq!(number(&row, "0"), None);
        assert!(row.range().contains("power of two"));
    }

    #[test]
    fn truth_has_four_spellings() {
        let row = row(Kind::Bool, "1", 0, 0);
        for (text, want) in [("0", false), ("False", false), ("no", false), ("OFF", false)] {
            assert_eq!(set::<bool>(&row, text).0, want, "{text}");
        }
        let row = Row { default: "0", ..row };
        for text in ["1", "true", "YES", "on"] {
            assert!(set::<bool>(&row, text).0, "{text}");
        }
        let (value, source, warnings) = set::<bool>(&row, "maybe");
        assert_eq!((value, source, warnings.len()), (false, Source::Default, 1));
    }

    #[test]
    fn text_is_taken_as_it_is() {
        let row = row(Kind::Text, "ring", 0, 0);
        assert_eq!(set::<String>(&row, "a=b,c").0, "a=b,c");
    }

    #[test]
    fn a_warning_names_variable_value_and_range() {
        let row = row(Kind::Bytes, "8K", 1024, 1 << 20);
        let (value, _, warnings) = set::<u64>(&row, "2M");
        assert_eq!(value, 8192);
        assert_eq!(
            warnings,
            ["STARLING_LIMIT=2M: out of range; accepted: 1K to 1M. The default 8K is used."]
        );
    }

    #[test]
    fn what_is_shown_can_be_set_again() {
        let row = row(Kind::Nanoseconds, "20us", 0, u64::MAX);
        for value in [0, 1, 999, 1000, 1500, 20_000, 3_000_000, 2_000_000_000, u64::MAX] {
            assert_eq!(row.parse(&row.show_number(value)), Ok(Value::Number(value)));
        }
    }

    #[test]
    fn every_tunable_is_read_from_its_own_variable() {
        let defaults = Settings::read(|_| None);
        assert!(defaults.warnings.is_empty());
        assert!(defaults.infos.iter().all(|info| info.source == Source::Default));
        for info in &defaults.infos {
            let lookup = |name: &str| (name == info.env).then(|| info.default.clone().into());
            let read = Settings::read(lookup);
            let from_environment: Vec<_> =
                read.infos.iter().filter(|i| i.source == Source::Environment).collect();
            assert_eq!(from_environment.len(), 1, "{}", info.env);
            assert_eq!(from_environment[0].name, info.name);
            assert_eq!(info.env, format!("STARLING_{}", info.name.to_uppercase()));
        }
    }

    #[test]
    fn fields_get_the_values_of_their_rows() {
        let read = Settings::read(|name| match name {
            "STARLING_SPIN_NS" => Some("3us".into()),
            "STARLING_CMA" => Some("off".into()),
            "STARLING_RING_SLOTS" => Some("100".into()),
            _ => None,
        });
        assert_eq!(read.tunables.spin_ns, 3000);
        assert!(!read.tunables.cma);
        assert_eq!(read.tunables.ring_slots, Tunables::default().ring_slots);
        let number = |name| read.infos.iter().find(|i| i.name == name).and_then(|i| i.number);
        assert_eq!((number("spin_ns"), number("cma")), (Some(3000), Some(0)));
        assert_eq!(read.warnings.len(), 1);
        assert!(read.warnings[0].starts_with("STARLING_RING_SLOTS=100: not a power of two"));
    }
}
