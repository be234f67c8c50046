//! Starting processes (MPI 5.0, section 11.8): bodies of the chapter `dynamic`.
//!
//! All arguments before `root` count at the root only; an error there is everybody's. Either all
//! processes are started or none, so the error codes are all the same.

use crate::comm_create::start;
use crate::decode::{bad, require};
use crate::dynamic::{give_between, root_of};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::{info, text};
use starling_core::comm::Comm;
use starling_core::dynamic::{self, Program};
use starling_core::error::{Class, Result};
use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

/// A C string as bytes.
///
/// # Safety
/// `from` is null or points to a C string.
unsafe fn bytes_of(from: *const c_char, what: &str) -> Result<Vec<u8>> {
    require(from, what)?;
    // SAFETY: not null, so a C string.
    Ok(unsafe { text::bytes(from, usize::MAX) }.to_vec())
}

/// The arguments of a program; a null pointer stands for none.
///
/// # Safety
/// `argv` is null or an array of C strings with a null pointer at its end.
unsafe fn arguments_of(argv: *mut *mut c_char) -> Vec<Vec<u8>> {
    let mut arguments = Vec::new();
    if argv.is_null() {
        return arguments;
    }
    loop {
        // SAFETY: the null pointer at the end has not been passed.
        let argument = unsafe { *argv.add(arguments.len()) };
        if argument.is_null() {
            return arguments;
        }
        // SAFETY: an element of the array is a C string.
        arguments.push(unsafe { text::bytes(argument, usize::MAX) }.to_vec());
    }
}

/// One program with its hints. Where the hints name no folder, it runs in ours.
///
/// # Safety
/// The arguments are those of the C caller.
unsafe fn program_of(
    call: &Call,
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    hints: MPI_Info,
) -> Result<Program> {
    let count = u32::try_from(maxprocs).map_err(|_| {
        bad(Class::ARG, format!("maxprocs is {maxprocs}; it is the number of processes to start"))
    })?;
    // SAFETY: as for this function.
    let (command, arguments) = unsafe { (bytes_of(command, "command")?, arguments_of(argv)) };
    let mut program = Program { command, arguments, count, hints: Vec::new() };
    let ours = std::env::current_dir().unwrap_or_default();
    let mut folder = ours.clone();
    if let Some(hints) = info::find_hints(call, hints)? {
        let hints = hints.borrow();
        for key in (0..hints.len()).filter_map(|i| hints.key(i)) {
            let value = hints.get(key).unwrap_or("");
            match key {
                "wdir" => folder = ours.join(Path::new(value)),
                _ => program.hints.push((key.to_string(), value.as_bytes().to_vec())),
            }
        }
    }
    program.hints.push(("wdir".into(), folder.as_os_str().as_bytes().to_vec()));
    Ok(program)
}

/// Starts the programs and gives the intercommunicator and the error codes to the caller.
///
/// # Safety
/// The pointers are those of the C caller; `programs` is there at the root.
unsafe fn spawn(
    call: &Call,
    local: &Rc<Comm>,
    root: u32,
    programs: Option<Result<Vec<Program>>>,
    intercomm: *mut MPI_Comm,
    errcodes: *mut c_int,
) -> Result<()> {
    let programs = programs.map(|programs| {
        let programs = programs?;
        match programs.iter().any(|program| program.count > 0) {
            true => Ok(programs),
            false => Err(bad(Class::ARG, "maxprocs is 0; no process is to be started")),
        }
    });
    let wanted = match &programs {
        Some(Ok(programs)) => programs.iter().map(|program| program.count as usize).sum(),
        _ => 0,
    };
    let made = call.rank.block_on(dynamic::spawn(start(call, local), root, programs))?;
    let (count, code) = match &made {
        // Only the root gives a number, so that of the processes is taken.
        Ok(comm) => (comm.peers().size() as usize, MPI_SUCCESS),
        Err(error) => (wanted, error.code()),
    };
    if !errcodes.is_null() {
        // SAFETY: the standard asks the caller for a code per process.
        unsafe { std::slice::from_raw_parts_mut(errcodes, count) }.fill(code);
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { give_between(call, made?, local, intercomm) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn comm_spawn(
    call: &Call,
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> Result<()> {
    require(intercomm, "intercomm")?;
    let local = call.intra_comm(comm)?;
    let root = root_of(&local, root)?;
    let programs = (local.rank == root).then(|| {
        // SAFETY: as for this function; they count at the root.
        unsafe { program_of(call, command, argv, maxprocs, hints) }.map(|program| vec![program])
    });
    // SAFETY: as for this function.
    unsafe { spawn(call, &local, root, programs, intercomm, array_of_errcodes) }
}

/// The programs of the arrays.
///
/// # Safety
/// The arguments are those of the C caller.
unsafe fn programs_of(
    call: &Call,
    count: c_int,
    commands: *mut *mut c_char,
    argvs: *mut *mut *mut c_char,
    maxprocs: *const c_int,
    hints: *const MPI_Info,
) -> Result<Vec<Program>> {
    if count < 1 {
        let text = format!("count is {count}; it is the number of programs, at least 1");
        return Err(bad(Class::ARG, text));
    }
    require(commands, "array_of_commands")?;
    require(maxprocs, "array_of_maxprocs")?;
    require(hints, "array_of_info")?;
    let one = |i: usize| {
        // SAFETY: the arrays have `count` elements, except that `argvs` may be null.
        unsafe {
            let argv = if argvs.is_null() { MPI_ARGV_NULL } else { *argvs.add(i) };
            program_of(call, *commands.add(i), argv, *maxprocs.add(i), *hints.add(i))
        }
    };
    (0..count as usize).map(one).collect()
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn comm_spawn_multiple(
    call: &Call,
    count: c_int,
    array_of_commands: *mut *mut c_char,
    array_of_argv: *mut *mut *mut c_char,
    array_of_maxprocs: *const c_int,
    array_of_info: *const MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    array_of_errcodes: *mut c_int,
) -> Result<()> {
    require(intercomm, "intercomm")?;
    let local = call.intra_comm(comm)?;
    let root = root_of(&local, root)?;
    let programs = (local.rank == root).then(|| {
        let (commands, argvs, maxprocs) = (array_of_commands, array_of_argv, array_of_maxprocs);
        // SAFETY: as for this function; they count at the root.
        unsafe { programs_of(call, count, commands, argvs, maxprocs, array_of_info) }
    });
    // SAFETY: as for this function.
    unsafe { spawn(call, &local, root, programs, intercomm, array_of_errcodes) }
}
