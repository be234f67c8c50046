//! Control variables of the tools interface (MPI 5.0, section 15.3.6): the tunables. They are
//! read from the environment once, so none can be written.

use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::tool::{at, fails, index_of, open, put, put_text, require, SWITCH};
use starling_core::error::Result;
use starling_settings::{describe, Kind, TunableInfo};
use std::ffi::{c_char, c_int, c_void};

/// Its type, and its enumeration if it has one.
fn type_of(tunable: &TunableInfo) -> (MPI_Datatype, MPI_T_enum) {
    match tunable.kind {
        Kind::Bool => (MPI_INT, SWITCH),
        Kind::Text => (MPI_CHAR, MPI_T_ENUM_NULL),
        Kind::Int | Kind::Bytes | Kind::Nanoseconds => (MPI_UNSIGNED_LONG, MPI_T_ENUM_NULL),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_cvar_get_num(call: &Call, num_cvar: *mut c_int) -> Result<()> {
    open(call)?;
    require(num_cvar, "num_cvar")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *num_cvar = describe().len() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn t_cvar_get_info(
    call: &Call,
    cvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    scope: *mut c_int,
) -> Result<()> {
    open(call)?;
    let all = describe();
    let tunable = at(&all, cvar_index, "control variables")?;
    let (ty, items) = type_of(tunable);
    let text = format!("{} ({}: {})", tunable.doc, tunable.env, tunable.range);
    // SAFETY: as for this function.
    unsafe {
        put_text(tunable.name, name, name_len);
        put(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
        put(datatype, ty);
        put(enumtype, items);
        put_text(&text, desc, desc_len);
        put(bind, MPI_T_BIND_NO_OBJECT);
        put(scope, MPI_T_SCOPE_CONSTANT);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_cvar_get_index(
    call: &Call,
    name: *const c_char,
    cvar_index: *mut c_int,
) -> Result<()> {
    open(call)?;
    require(cvar_index, "cvar_index")?;
    let all = describe();
    // SAFETY: as for this function; the pointer is not null.
    unsafe { *cvar_index = index_of(name, all.iter().map(|t| t.name), "control variable")? };
    Ok(())
}

/// Number of elements of its type.
fn count_of(tunable: &TunableInfo) -> c_int {
    match tunable.kind {
        Kind::Text => tunable.value.len() as c_int + 1,
        _ => 1,
    }
}

/// No variable is bound to an object, so `obj_handle` does not count.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_cvar_handle_alloc(
    call: &Call,
    cvar_index: c_int,
    _obj_handle: *mut c_void,
    handle: *mut MPI_T_cvar_handle,
    count: *mut c_int,
) -> Result<()> {
    let tool = open(call)?;
    require(handle, "handle")?;
    require(count, "count")?;
    let all = describe();
    let elements = count_of(at(&all, cvar_index, "control variables")?);
    let new = tool.new_handle();
    tool.cvars.borrow_mut().insert(new, cvar_index as usize);
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *handle = MPI_T_cvar_handle(new);
        *count = elements;
    }
    Ok(())
}

/// The variable that a handle names.
fn find(call: &Call, handle: MPI_T_cvar_handle) -> Result<TunableInfo> {
    let index = open(call)?.cvars.borrow().get(&handle.0).copied();
    let index = index.ok_or_else(|| {
        let text = format!("{:#x} is not a handle of a control variable", handle.0);
        fails(MPI_T_ERR_INVALID_HANDLE, text)
    })?;
    Ok(at(&describe(), index as c_int, "control variables")?.clone())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_cvar_handle_free(call: &Call, handle: *mut MPI_T_cvar_handle) -> Result<()> {
    open(call)?;
    require(handle, "handle")?;
    // SAFETY: a pointer of the caller, not null.
    let old = unsafe { *handle };
    find(call, old)?;
    open(call)?.cvars.borrow_mut().remove(&old.0);
    // SAFETY: as above.
    unsafe { *handle = MPI_T_CVAR_HANDLE_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_cvar_read(
    call: &Call,
    handle: MPI_T_cvar_handle,
    buf: *mut c_void,
) -> Result<()> {
    let tunable = find(call, handle)?;
    require(buf, "buf")?;
    let number = tunable.number.unwrap_or(0);
    // SAFETY: the caller's memory has room for what `t_cvar_handle_alloc` said.
    unsafe {
        match tunable.kind {
            Kind::Bool => buf.cast::<c_int>().write_unaligned(number as c_int),
            Kind::Text => {
                let mut room = count_of(&tunable);
                put_text(&tunable.value, buf.cast(), &mut room);
            }
            Kind::Int | Kind::Bytes | Kind::Nanoseconds => {
                buf.cast::<u64>().write_unaligned(number);
            }
        }
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_cvar_write(
    call: &Call,
    handle: MPI_T_cvar_handle,
    _buf: *const c_void,
) -> Result<()> {
    let tunable = find(call, handle)?;
    let text = format!("{} is read when the program starts; set {}", tunable.name, tunable.env);
    Err(fails(MPI_T_ERR_CVAR_SET_NEVER, text))
}
