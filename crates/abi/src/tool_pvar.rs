//! Performance variables of the tools interface (MPI 5.0, section 15.3.7): the rank's counters.
//! They count all the time and belong to the library, so they can be read and nothing else.

use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::tool::{at, fails, index_of, open, put, put_text, require};
use starling_core::error::{Error, Result};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_get_num(call: &Call, num_pvar: *mut c_int) -> Result<()> {
    open(call)?;
    require(num_pvar, "num_pvar")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *num_pvar = call.rank.counters.list().len() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn t_pvar_get_info(
    call: &Call,
    pvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    var_class: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    readonly: *mut c_int,
    continuous: *mut c_int,
    atomic: *mut c_int,
) -> Result<()> {
    open(call)?;
    let all = call.rank.counters.list();
    let (counter, doc, _) = at(&all, pvar_index, "performance variables")?;
    // SAFETY: as for this function.
    unsafe {
        put_text(counter, name, name_len);
        put(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
        put(var_class, MPI_T_PVAR_CLASS_COUNTER);
        put(datatype, MPI_UNSIGNED_LONG);
        put(enumtype, MPI_T_ENUM_NULL);
        put_text(doc, desc, desc_len);
        put(bind, MPI_T_BIND_NO_OBJECT);
        put(readonly, 1);
        put(continuous, 1);
        put(atomic, 0);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_get_index(
    call: &Call,
    name: *const c_char,
    var_class: c_int,
    pvar_index: *mut c_int,
) -> Result<()> {
    open(call)?;
    require(pvar_index, "pvar_index")?;
    let all = call.rank.counters.list();
    let of_class = var_class == MPI_T_PVAR_CLASS_COUNTER;
    let names = all.iter().filter(|_| of_class).map(|row| row.0);
    // SAFETY: as for this function; the pointer is not null.
    unsafe { *pvar_index = index_of(name, names, "performance variable of this class")? };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_session_create(
    call: &Call,
    session: *mut MPI_T_pvar_session,
) -> Result<()> {
    let tool = open(call)?;
    require(session, "session")?;
    let new = tool.new_handle();
    tool.sessions.borrow_mut().insert(new, HashMap::new());
    // SAFETY: a pointer of the caller, not null.
    unsafe { *session = MPI_T_pvar_session(new) };
    Ok(())
}

fn no_session(session: MPI_T_pvar_session) -> Error {
    let text = format!("{:#x} is not a session of performance variables", session.0);
    fails(MPI_T_ERR_INVALID_SESSION, text)
}

/// Its handles go with it.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_session_free(
    call: &Call,
    session: *mut MPI_T_pvar_session,
) -> Result<()> {
    let tool = open(call)?;
    require(session, "session")?;
    // SAFETY: a pointer of the caller, not null.
    let old = unsafe { *session };
    tool.sessions.borrow_mut().remove(&old.0).ok_or_else(|| no_session(old))?;
    // SAFETY: as above.
    unsafe { *session = MPI_T_PVAR_SESSION_NULL };
    Ok(())
}

/// Looks at the handles of a session.
fn with_handles<R>(
    call: &Call,
    session: MPI_T_pvar_session,
    look: impl FnOnce(&mut HashMap<usize, usize>) -> Result<R>,
) -> Result<R> {
    let tool = open(call)?;
    let mut sessions = tool.sessions.borrow_mut();
    look(sessions.get_mut(&session.0).ok_or_else(|| no_session(session))?)
}

/// No variable is bound to an object, so `obj_handle` does not count.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_handle_alloc(
    call: &Call,
    session: MPI_T_pvar_session,
    pvar_index: c_int,
    _obj_handle: *mut c_void,
    handle: *mut MPI_T_pvar_handle,
    count: *mut c_int,
) -> Result<()> {
    let tool = open(call)?;
    require(handle, "handle")?;
    require(count, "count")?;
    at(&call.rank.counters.list(), pvar_index, "performance variables")?;
    let new = tool.new_handle();
    with_handles(call, session, |handles| {
        handles.insert(new, pvar_index as usize);
        Ok(())
    })?;
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *handle = MPI_T_pvar_handle(new);
        *count = 1;
    }
    Ok(())
}

/// The variable that a handle of a session names.
fn find(call: &Call, session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result<usize> {
    with_handles(call, session, |handles| {
        handles.get(&handle.0).copied().ok_or_else(|| {
            let text = format!("{:#x} is not a handle of this session", handle.0);
            fails(MPI_T_ERR_INVALID_HANDLE, text)
        })
    })
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_handle_free(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: *mut MPI_T_pvar_handle,
) -> Result<()> {
    open(call)?;
    require(handle, "handle")?;
    // SAFETY: a pointer of the caller, not null.
    let old = unsafe { *handle };
    find(call, session, old)?;
    with_handles(call, session, |handles| {
        handles.remove(&old.0);
        Ok(())
    })?;
    // SAFETY: as above.
    unsafe { *handle = MPI_T_PVAR_HANDLE_NULL };
    Ok(())
}

/// What cannot be done with one variable of the library; with all variables at once
/// (`MPI_T_PVAR_ALL_HANDLES`) it only concerns those that allow it, of which there are none.
fn refuse(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    code: c_int,
    text: &str,
) -> Result<()> {
    if handle == MPI_T_PVAR_ALL_HANDLES {
        return with_handles(call, session, |_| Ok(()));
    }
    find(call, session, handle)?;
    Err(fails(code, text))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_start(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> Result<()> {
    let text = "the variable always counts, it cannot be started";
    refuse(call, session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, text)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_stop(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> Result<()> {
    let text = "the variable always counts, it cannot be stopped";
    refuse(call, session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, text)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_read(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    buf: *mut c_void,
) -> Result<()> {
    let index = find(call, session, handle)?;
    require(buf, "buf")?;
    let value = call.rank.counters.list()[index].2;
    // SAFETY: the caller's memory has room for one value.
    unsafe { buf.cast::<u64>().write_unaligned(value) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_write(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    _buf: *const c_void,
) -> Result<()> {
    find(call, session, handle)?;
    Err(fails(MPI_T_ERR_PVAR_NO_WRITE, "the variable can only be read"))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_reset(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
) -> Result<()> {
    let text = "the variable can only be read; remember a value and subtract it";
    refuse(call, session, handle, MPI_T_ERR_PVAR_NO_WRITE, text)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_pvar_readreset(
    call: &Call,
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    _buf: *mut c_void,
) -> Result<()> {
    find(call, session, handle)?;
    Err(fails(MPI_T_ERR_PVAR_NO_ATOMIC, "the variable can only be read, not be reset with it"))
}
