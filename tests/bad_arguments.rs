//! Nothing crashes on a bad argument: every exported function is called with null, garbage and
//! stale handles, bad integers, and null, zeroed and garbage pointers, in child processes, none of
//! which may die by a signal, hang, or exit.
//!
//! The C program is generated here from the prototypes in `spec/mpi-5.0-abi.json`; its fixed part
//! is `tests/c/bad_arguments.h`. One test per group of functions. To look at one function:
//! `target/launched/starling/bad_arguments/calls MPI_Send` (BAD_ARGUMENTS_LOUD=1 shows the errors).

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use starling_tests::{job, place, program, Tools};

/// Groups of functions; each is one test.
const PARTS: usize = 16;

/// Time limit of a group.
const LIMIT: Duration = Duration::from_secs(240);

/// Block as they should when their arguments are good: they get no valid handle.
const WAITS: &[&str] = &[
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Intercomm_create",
    "MPI_Mprobe",
    "MPI_Mrecv",
    "MPI_Probe",
    "MPI_Recv",
    "MPI_Rsend",
    "MPI_Send",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Ssend",
];

/// Change or end the process as a whole: an exit is fine, a crash is not.
const ALONE: &[&str] = &["MPI_Abort", "MPI_Finalize", "MPI_Session_finalize"];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(arguments.test_threads.unwrap_or(2).min(2));
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(why) => {
            eprintln!("bad-argument tests cannot run: {why}");
            return ExitCode::FAILURE;
        }
    };
    let is_oracle = tools.is_oracle;
    let program = if is_oracle { Ok(PathBuf::new()) } else { build(&tools) };
    let program = match program {
        Ok(program) => program,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let trials = (0..PARTS)
        .map(|part| {
            let program = program.clone();
            let name = format!("bad_arguments/{part}_of_{PARTS}");
            Trial::test(name, move || test(&program, part)).with_ignored_flag(is_oracle)
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn test(program: &Path, part: usize) -> Result<(), Failed> {
    let mut command = Command::new(program);
    command.arg(format!("{part}/{PARTS}"));
    let outcome = job::run(command, LIMIT)?;
    if outcome.code() == 0 && outcome.survivors.is_empty() {
        return Ok(());
    }
    Err(outcome.report("calls with bad arguments went wrong").into())
}

/// Writes the program, when it differs from what is there, and compiles it.
fn build(tools: &Tools) -> Result<PathBuf, String> {
    let dir = tools.build_dir().join("bad_arguments");
    let source = dir.join("calls.c");
    let text = generate(&place::repository().join("spec/mpi-5.0-abi.json"))?;
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    if fs::read_to_string(&source).ok().as_deref() != Some(&text) {
        fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    }
    let cflags = ["-Wno-discarded-qualifiers".to_owned()];
    program::compile(&source, &dir, &cflags, tools)
}

/// The C program: one function per exported function, and their table.
fn generate(spec: &Path) -> Result<String, String> {
    let text = fs::read_to_string(spec).map_err(|e| format!("{}: {e}", spec.display()))?;
    let spec: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let functions = spec["functions"].as_object().ok_or("the spec has no functions")?;
    let mut calls = String::from("#include \"bad_arguments.h\"\n\n");
    let mut table = String::from("static const Function functions[] = {\n");
    for (name, prototype) in functions {
        let parameters = prototype["params"].as_array().map(Vec::as_slice).unwrap_or_default();
        let arguments: Result<Vec<String>, String> = parameters
            .iter()
            .filter_map(Value::as_str)
            .filter(|p| !matches!(*p, "void" | "..."))
            .enumerate()
            .map(|(at, p)| argument(at, p).ok_or_else(|| format!("{name}: unknown type in `{p}`")))
            .collect();
        let arguments = arguments?.join(", ");
        let _ = writeln!(
            calls,
            "static void call_{name}(void)\n{{\n    {}{name}({arguments});\n}}\n",
            result(prototype["return"].as_str().unwrap_or("int"))
        );
        let stem = name.strip_suffix("_c").unwrap_or(name);
        let waits = i32::from(WAITS.contains(&stem));
        let alone = i32::from(ALONE.contains(&name.as_str()));
        let _ = writeln!(table, "    {{\"{name}\", call_{name}, {waits}, {alone}}},");
    }
    table.push_str("};\n\nint main(int argc, char **argv)\n{\n");
    table
        .push_str("    return run(functions, sizeof functions / sizeof *functions, argc, argv);\n");
    table.push_str("}\n");
    Ok(calls + &table)
}

/// What stands before a call whose result is not used.
fn result(returned: &str) -> &'static str {
    if returned == "void" {
        ""
    } else {
        "(void)"
    }
}

/// The C expression for parameter number `at`, declared as `parameter`.
fn argument(at: usize, parameter: &str) -> Option<String> {
    let is_pointer = parameter.contains('*') || parameter.contains('[');
    // `const int level` -> `int`; the last word is the name.
    let mut words: Vec<&str> = parameter.split_whitespace().collect();
    words.pop();
    let base = words.iter().copied().find(|w| *w != "const")?;
    if base.contains("function") {
        return Some("F()".to_owned());
    }
    if parameter.contains("**")
        || (base == "char" && parameter.contains('[') && is_array(parameter))
    {
        return Some(format!("S({at})"));
    }
    if is_pointer && parameter.starts_with("const") && parameter.contains("counts") {
        return Some(format!("N({at})"));
    }
    if is_pointer {
        return Some(format!("P({at})"));
    }
    let kind = match base {
        "int" => return Some("(int)I(0x7fffffff)".to_owned()),
        "MPI_Count" | "MPI_Aint" | "MPI_Offset" => {
            return Some(format!("({base})I(0x7fffffffffffffff)"));
        }
        "MPI_T_cb_safety" => return Some(format!("({base})I(0x7fffffff)")),
        "MPI_Comm" => "COMM",
        "MPI_Group" => "GROUP",
        "MPI_Datatype" => "TYPE",
        "MPI_Op" => "OP",
        "MPI_Info" => "INFO",
        "MPI_Errhandler" => "ERRHANDLER",
        "MPI_Request" => "REQUEST",
        "MPI_Message" => "MESSAGE",
        "MPI_Win" => "WIN",
        "MPI_File" => "FILES",
        "MPI_Session" => "SESSION",
        _ if base.starts_with("MPI_T_") => "TOOL",
        _ => return None,
    };
    Some(format!("({base})H({kind})"))
}

/// Whether a `char` parameter is an array of strings and not one string.
fn is_array(parameter: &str) -> bool {
    parameter.contains('*')
}
