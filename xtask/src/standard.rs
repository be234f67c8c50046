//! The standard as data: reads `spec/mpi-5.0-abi.json`, `spec/mpi-4.1-procedures.json` and
//! `spec/functions.toml` into the types that all generators of C and Rust work on.
//!
//! The C declarations stand in the JSON as text. They use a small part of C, so they are split
//! here into types and names, and anything that does not look as expected is an error.

use crate::Findings;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Path of the table of the ABI.
pub const ABI: &str = "spec/mpi-5.0-abi.json";
/// Path of the table of kinds and directions.
pub const KINDS: &str = "spec/mpi-4.1-procedures.json";
/// Path of our own table: chapter and status of each procedure.
pub const FUNCTIONS: &str = "spec/functions.toml";

/// Everything the tables say.
pub struct Standard {
    /// The name of the shared library inside the file.
    pub soname: String,
    pub constants: Vec<Constant>,
    pub typedefs: Vec<Typedef>,
    /// All exports, large-count twins included, in the order of the table.
    pub functions: Vec<Function>,
    /// Our own table, checked to name every procedure once.
    pub procedures: Vec<Procedure>,
}

/// A constant of the ABI.
pub struct Constant {
    pub name: String,
    /// The C type, where the table gives one.
    pub ctype: Option<String>,
    /// A number, or the name of another constant.
    pub value: String,
}

impl Constant {
    /// Whether the value is the name of another constant.
    pub fn is_alias(&self) -> bool {
        self.value.starts_with("MPI_")
    }
}

/// A named type of the ABI.
pub enum Typedef {
    /// `MPI_Aint` and its like; the C type stands in the table.
    Integer { name: String, ctype: String },
    /// A pointer to a structure nobody defines.
    Handle { name: String, tag: String },
    /// A function type.
    Callback(Function),
    /// Another name of a type.
    Alias { name: String, target: String },
}

/// A C function or function type.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub returns: String,
    pub parameters: Vec<Parameter>,
    /// Whether `...` follows the parameters.
    pub variadic: bool,
}

impl Function {
    /// The parameter list as C text.
    pub fn c_parameters(&self) -> String {
        let mut texts: Vec<&str> = self.parameters.iter().map(|p| p.text.as_str()).collect();
        if self.variadic {
            texts.push("...");
        }
        if texts.is_empty() {
            texts.push("void");
        }
        texts.join(", ")
    }

    /// Whether the result is an error code (and not a value).
    pub fn returns_error_code(&self) -> bool {
        self.returns == "int" && !self.name.ends_with("_toint")
    }
}

/// One parameter of a C function.
#[derive(Clone)]
pub struct Parameter {
    pub name: String,
    /// The type without the name: `const int[]`, `MPI_Request *`.
    pub ctype: String,
    /// As it is declared: `const int counts[]`.
    pub text: String,
}

/// One row of `spec/functions.toml` with the C functions it stands for.
pub struct Procedure {
    pub name: String,
    pub chapter: String,
    pub done: bool,
    pub any_time: bool,
    pub plain: Function,
    pub large: Option<Function>,
    /// Names of the parameters that are read and written (from the table of kinds).
    pub inout: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    chapter: String,
    status: String,
    #[serde(default)]
    any_time: bool,
}

impl Standard {
    /// Reads and checks the tables.
    pub fn read(root: &Path) -> Result<Standard, String> {
        let abi: Value = parse_json(root, ABI)?;
        let kinds: Value = parse_json(root, KINDS)?;
        let soname = text(&abi["soname"], "soname")?.to_string();
        let constants = read_constants(&abi)?;
        let typedefs = read_typedefs(&abi)?;
        let mut functions = Vec::new();
        for (name, entry) in object(&abi["functions"], "functions")? {
            functions.push(read_function(name, entry)?);
        }
        let path = root.join(FUNCTIONS);
        let text = std::fs::read_to_string(path).map_err(|e| format!("{FUNCTIONS}: {e}"))?;
        let procedures = read_procedures(&text, &functions, &kinds)
            .map_err(|why| format!("{FUNCTIONS}: {why}"))?;
        Ok(Standard { soname, constants, typedefs, functions, procedures })
    }

    /// The names of all function types.
    pub fn callbacks(&self) -> BTreeSet<&str> {
        self.typedefs
            .iter()
            .filter_map(|typedef| match typedef {
                Typedef::Callback(function) => Some(function.name.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// One line per table of the standard that differs from the copy in the folder `STARLING_STANDARD`
/// (or `../shared/standard`); none if there is no such folder.
pub fn differences(root: &Path) -> Findings {
    let folder = match std::env::var_os("STARLING_STANDARD") {
        Some(folder) => folder.into(),
        None => root.join("../shared/standard"),
    };
    let mut found = Vec::new();
    for path in [ABI, KINDS] {
        let name = path.trim_start_matches("spec/");
        let Ok(published) = std::fs::read(folder.join(name)) else {
            continue;
        };
        let own = std::fs::read(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        if own != published {
            found.push(format!("{path}:1: differs from {}", folder.join(name).display()));
        }
    }
    Ok(found)
}

fn parse_json(root: &Path, path: &str) -> Result<Value, String> {
    let text = std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a serde_json::Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{ABI}: {what} is not an object"))
}

fn text<'a>(value: &'a Value, what: &str) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("{ABI}: {what} is not a text"))
}

fn read_constants(abi: &Value) -> Result<Vec<Constant>, String> {
    let mut constants = Vec::new();
    for (name, entry) in object(&abi["constants"], "constants")? {
        constants.push(Constant {
            name: name.clone(),
            ctype: entry["type"].as_str().map(String::from),
            value: text(&entry["value"], name)?.into(),
        });
    }
    Ok(constants)
}

fn read_typedefs(abi: &Value) -> Result<Vec<Typedef>, String> {
    let integers = object(&abi["integer_types"], "integer_types")?;
    let entries = abi["callback_and_handle_typedefs"].as_array();
    let mut typedefs = Vec::new();
    for entry in entries.ok_or("the list of typedefs is missing")? {
        let entry = text(entry, "a typedef")?;
        typedefs.push(read_typedef(entry, integers)?);
    }
    Ok(typedefs)
}

fn read_typedef(entry: &str, integers: &serde_json::Map<String, Value>) -> Result<Typedef, String> {
    if let Some((head, parameters)) = entry.split_once(")(") {
        let (returns, name) = head.split_once('(').ok_or_else(|| format!("odd type: {entry}"))?;
        let list = parameters.strip_suffix(')').ok_or_else(|| format!("odd type: {entry}"))?;
        let declarations: Vec<&str> = list.split(',').map(str::trim).collect();
        return Ok(Typedef::Callback(function(name, returns.trim(), &declarations)?));
    }
    let (target, name) = entry.rsplit_once(' ').ok_or_else(|| format!("odd type: {entry}"))?;
    let (target, name) = (target.trim().to_string(), name.to_string());
    if let Some(tag) = target.strip_prefix("struct ") {
        let tag = tag.trim_end_matches('*').trim().to_string();
        return Ok(Typedef::Handle { name, tag });
    }
    match integers.get(&name) {
        Some(ctype) => Ok(Typedef::Integer { ctype: text(ctype, &name)?.into(), name }),
        None => Ok(Typedef::Alias { name, target }),
    }
}

fn read_function(name: &str, entry: &Value) -> Result<Function, String> {
    let returns = text(&entry["return"], name)?;
    let list = entry["params"].as_array().ok_or_else(|| format!("{name} has no parameters"))?;
    let declarations: Result<Vec<&str>, String> = list.iter().map(|p| text(p, name)).collect();
    function(name, returns, &declarations?)
}

fn function(name: &str, returns: &str, declarations: &[&str]) -> Result<Function, String> {
    let variadic = declarations.last() == Some(&"...");
    let fixed = &declarations[..declarations.len() - usize::from(variadic)];
    let parameters: Result<Vec<Parameter>, String> = fixed
        .iter()
        .map(|text| parameter(text).ok_or_else(|| format!("{ABI}: {name}: odd '{text}'")))
        .collect();
    Ok(Function { name: name.into(), returns: returns.into(), parameters: parameters?, variadic })
}

/// Splits a declaration into type and name.
fn parameter(text: &str) -> Option<Parameter> {
    let text = text.trim();
    let brackets = text.find('[').unwrap_or(text.len());
    let (front, arrays) = text.split_at(brackets);
    let front = front.trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = front.rfind(|c| !is_name(c))? + 1;
    let (ctype, name) = front.split_at(start);
    let ctype = format!("{}{arrays}", ctype.trim());
    (!name.is_empty()).then(|| Parameter { name: name.into(), ctype, text: text.into() })
}

fn read_procedures(
    table: &str,
    functions: &[Function],
    kinds: &Value,
) -> Result<Vec<Procedure>, String> {
    let rows: BTreeMap<String, Row> = toml::from_str(table).map_err(|e| e.to_string())?;
    let by_name: BTreeMap<&str, &Function> =
        functions.iter().map(|f| (f.name.as_str(), f)).collect();
    let is_twin = |name: &str| name.strip_suffix("_c").is_some_and(|n| by_name.contains_key(n));
    for name in by_name.keys().filter(|name| !is_twin(name)) {
        if !rows.contains_key(*name) {
            return Err(format!("{name} is missing"));
        }
    }
    let mut procedures = Vec::new();
    for (name, row) in rows {
        let plain = match by_name.get(name.as_str()) {
            Some(function) if !is_twin(&name) => (*function).clone(),
            _ => return Err(format!("{name} is no procedure of the standard")),
        };
        if !matches!(row.status.as_str(), "done" | "unsupported") {
            return Err(format!("{name}: status {} is unknown", row.status));
        }
        if !row.chapter.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            return Err(format!("{name}: chapter {:?} is no module name", row.chapter));
        }
        let large = by_name.get(format!("{name}_c").as_str()).map(|f| (*f).clone());
        let inout = inout(&kinds["procedures"][&name]);
        let (done, any_time, chapter) = (row.status == "done", row.any_time, row.chapter);
        procedures.push(Procedure { name, chapter, done, any_time, plain, large, inout });
    }
    Ok(procedures)
}

fn inout(procedure: &Value) -> BTreeSet<String> {
    let list = procedure["kinds"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter(|kind| kind["dir"] == "inout")
        .filter_map(|kind| kind["name"].as_str().map(String::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (String, String) {
        let parameter = parameter(text).expect(text);
        (parameter.ctype, parameter.name)
    }

    #[test]
    fn declarations_are_split_into_type_and_name() {
        for (text, ctype, name) in [
            ("int count", "int", "count"),
            ("const void *buf", "const void *", "buf"),
            ("const int counts[]", "const int[]", "counts"),
            ("char ***argv", "char ***", "argv"),
            ("char **array_of_argv[]", "char **[]", "array_of_argv"),
            ("int ranges[][3]", "int[][3]", "ranges"),
            ("const char *string", "const char *", "string"),
        ] {
            assert_eq!(split(text), (ctype.to_string(), name.to_string()));
        }
        assert!(parameter("int").is_none());
        assert!(parameter("").is_none());
    }

    #[test]
    fn the_tables_are_complete() {
        let standard = Standard::read(&crate::root()).expect("the tables of the repository");
        assert_eq!(standard.functions.len(), 664);
        assert_eq!(standard.constants.len(), 365);
        let exports: usize =
            standard.procedures.iter().map(|p| 1 + usize::from(p.large.is_some())).sum();
        assert_eq!(exports, 664, "every export belongs to one procedure");
        assert!(standard.callbacks().contains("MPI_User_function_c"));
        let free = standard.procedures.iter().find(|p| p.name == "MPI_Comm_free");
        assert!(free.expect("MPI_Comm_free").inout.contains("comm"));
    }

    #[test]
    fn a_wrong_table_is_refused() {
        let send = function("MPI_Send", "int", &["int count"]).expect("a function");
        let twin = function("MPI_Send_c", "int", &["MPI_Count count"]).expect("a function");
        let functions = [send, twin];
        let read =
            |table: &str| read_procedures(table, &functions, &Value::Null).map(|list| list.len());
        let good = "MPI_Send = { chapter = 'p2p', status = 'done' }\n";
        assert_eq!(read(good), Ok(1));
        for (bad, part) in [
            (String::new(), "MPI_Send is missing"),
            (format!("{good}MPI_Sent = {{ chapter = 'p2p', status = 'done' }}"), "no procedure"),
            (format!("{good}MPI_Send_c = {{ chapter = 'p2p', status = 'done' }}"), "no procedure"),
            (format!("{good}{good}"), "duplicate"),
            (good.replace("done", "nearly"), "unknown"),
            (good.replace("p2p", "P 2 P"), "no module name"),
            (good.replace("status", "stat"), "unknown field"),
        ] {
            let error = read(&bad).expect_err(&bad);
            assert!(error.contains(part), "{error}");
        }
    }
}
