//! `xtask header-check`: compiles `include/mpi.h` as several dialects of C and C++ with all
//! warnings as errors, and compares each value, size, offset and prototype with the table of the
//! ABI. Needs `cc` and `c++` (or `CC` and `CXX`).
//!
//! Two programs are written to `target/header-check/`: one that is run and compares values, and
//! one that is only compiled and mentions every function through a pointer of the exact type.

use crate::header::ENUMERATIONS;
use crate::standard::{Constant, Function, Standard, Typedef};
use crate::Findings;
use std::fs;
use std::path::Path;
use std::process::Command;

const C_DIALECTS: [&str; 4] = ["c89", "c99", "c11", "gnu17"];
const CXX_DIALECTS: [&str; 3] = ["c++98", "c++11", "c++17"];
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Compiles and runs the programs; one line per thing that is wrong.
pub fn run(root: &Path) -> Findings {
    let standard = Standard::read(root)?;
    let folder = root.join("target/header-check");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let include = root.join("include");
    let mut found = Vec::new();
    let values = folder.join("values.c");
    write(&values, &values_program(&standard))?;
    let prototypes = folder.join("prototypes.c");
    write(&prototypes, &prototypes_program(&standard))?;
    let cc = std::env::var("CC").unwrap_or("cc".into());
    let cxx = std::env::var("CXX").unwrap_or("c++".into());
    for (compiler, language, dialects) in
        [(&cc, "c", &C_DIALECTS[..]), (&cxx, "c++", &CXX_DIALECTS[..])]
    {
        for dialect in dialects {
            let mut command = Command::new(compiler);
            command.arg(format!("-std={dialect}")).args(WARNINGS);
            command.args(["-fsyntax-only", "-x", language, "-I"]).arg(&include).arg(&prototypes);
            found.extend(failure(&mut command, &format!("prototypes as {dialect}"))?);
        }
    }
    let program = folder.join("values");
    let mut command = Command::new(&cc);
    command.arg("-std=c11").args(WARNINGS).arg("-I").arg(&include).arg(&values);
    found.extend(failure(command.arg("-o").arg(&program), "values")?);
    if found.is_empty() {
        found.extend(failure(&mut Command::new(&program), "values")?);
    }
    Ok(found)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs a command to its end; what it says if it fails.
fn failure(command: &mut Command, what: &str) -> Result<Option<String>, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(None);
    }
    let (out, err) = (output.stdout, output.stderr);
    let text = [String::from_utf8_lossy(&out), String::from_utf8_lossy(&err)].concat();
    Ok(Some(format!("include/mpi.h: {what}: {}\n{text}", output.status)))
}

const VALUES_HEAD: &str = r#"/* Compares the values of mpi.h with the table of the ABI. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#if MPI_VERSION != 5 || MPI_SUBVERSION != 0 || MPI_ABI_VERSION != 1
#error "the version macros have to work in the preprocessor"
#endif
_Static_assert(sizeof(MPI_Status) == 32, "MPI_Status");
_Static_assert(_Alignof(MPI_Status) == 4, "MPI_Status");
_Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0, "MPI_SOURCE");
_Static_assert(offsetof(MPI_Status, MPI_TAG) == 4, "MPI_TAG");
_Static_assert(offsetof(MPI_Status, MPI_ERROR) == 8, "MPI_ERROR");
_Static_assert(offsetof(MPI_Status, MPI_internal) == 12, "MPI_internal");
static int wrong = 0;
static void is(const char *name, long long have, long long want) {
    if (have == want) return;
    printf("%s is %lld, not %lld\n", name, have, want);
    wrong = 1;
}
static void round_trip(void) {
    MPI_Fint f[MPI_F_STATUS_SIZE];
    MPI_Status a = {1, 2, 3, {4, 5, 6, 7, 8}}, b = {0, 0, 0, {0, 0, 0, 0, 0}};
    int i;
    is("MPI_Status_c2f", MPI_Status_c2f(&a, f), MPI_SUCCESS);
    for (i = 0; i < MPI_F_STATUS_SIZE; i++) is("a Fortran status", f[i], i + 1);
    is("MPI_Status_f2c", MPI_Status_f2c(f, &b), MPI_SUCCESS);
    is("MPI_TAG", b.MPI_TAG, 2);
    is("MPI_internal", b.MPI_internal[4], 8);
}
int main(void) {
    round_trip();
"#;

fn values_program(standard: &Standard) -> String {
    let mut out = String::from(VALUES_HEAD);
    let size =
        |name: &str, size: &str| format!("    is(\"sizeof {name}\", sizeof({name}), {size});\n");
    for typedef in &standard.typedefs {
        match typedef {
            Typedef::Integer { name, ctype } => {
                out += &size(name, &format!("sizeof({ctype})"));
                push!(out, "    is(\"{name} is signed\", ({name})-1 < 0, 1);\n");
            }
            Typedef::Handle { name, .. } => out += &size(name, "sizeof(void *)"),
            Typedef::Callback(_) | Typedef::Alias { .. } => {}
        }
    }
    for (name, _) in ENUMERATIONS {
        out += &size(name, "sizeof(int)");
    }
    out += &size("MPI_Fint", "sizeof(int)");
    for constant in &standard.constants {
        out += &value(standard, constant);
    }
    out + "    return wrong;\n}\n"
}

/// The statement that compares one constant. Assigning it to a variable first makes the compiler
/// complain about a wrong type.
fn value(standard: &Standard, constant: &Constant) -> String {
    let target = standard.constants.iter().find(|other| other.name == constant.value);
    let wanted = target.unwrap_or(constant);
    let ctype = match wanted.ctype.as_deref().unwrap_or("int") {
        // These may be passed where the argument is constant.
        "int*" if wanted.name != "MPI_ERRCODES_IGNORE" => "const int *",
        ctype => ctype,
    };
    let name = &constant.name;
    let cast = if ctype == "int" { "" } else { "(intptr_t)" };
    let value = &wanted.value;
    format!("    {{ {ctype} v = {name}; is(\"{name}\", (long long){cast}v, {value}); }}\n")
}

fn prototypes_program(standard: &Standard) -> String {
    let mut out = String::from("/* Mentions each function by its exact type. */\n");
    out += "#include <mpi.h>\n";
    let mut pointer = |name: &str, function: &Function| {
        let (returns, parameters) = (&function.returns, function.c_parameters());
        push!(out, "extern {returns} (*check_{name})({parameters});\n");
        push!(out, "{returns} (*check_{name})({parameters}) = {name};\n");
    };
    for function in &standard.functions {
        pointer(&function.name, function);
        pointer(&format!("P{}", function.name), function);
    }
    for typedef in &standard.typedefs {
        match typedef {
            Typedef::Callback(function) => {
                let (name, returns) = (&function.name, &function.returns);
                push!(out, "extern {name} *check_{name};\n");
                push!(out, "{returns} own_{name}({});\n", function.c_parameters());
                push!(out, "{name} *check_{name} = own_{name};\n");
            }
            Typedef::Alias { name, target } => {
                push!(out, "extern {target} *check_{name};\n{name} *check_{name} = 0;\n");
            }
            Typedef::Integer { .. } | Typedef::Handle { .. } => {}
        }
    }
    out
}
