//! The tools interface (MPI 5.0, chapter 15): opening it, its handles, enumerations and texts.
//! Control variables are in `tool_cvar.rs`, performance variables in `tool_pvar.rs`, categories
//! in `tool_category.rs`, events in `tool_event.rs`; all are bodies of this chapter, re-exported
//! here. Errors only return a code, they never call an error handler (`report.rs`).

pub(crate) use crate::tool_category::*;
pub(crate) use crate::tool_cvar::*;
pub(crate) use crate::tool_event::*;
pub(crate) use crate::tool_pvar::*;

use crate::decode::Extra;
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::text;
use starling_core::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, CStr};
use std::rc::Rc;

/// What a rank's tools have open. Handles of all kinds come from one counter, so that one of
/// another kind is recognised.
pub(crate) struct Tool {
    users: Cell<u32>,
    next: Cell<usize>,
    /// Control variables: handle to index.
    pub cvars: RefCell<HashMap<usize, usize>>,
    /// Sessions of performance variables, each with its handles: handle to index.
    pub sessions: RefCell<HashMap<usize, HashMap<usize, usize>>>,
}

impl Tool {
    /// A number for a handle.
    pub fn new_handle(&self) -> usize {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }
}

fn state(call: &Call) -> Rc<Tool> {
    call.rank.extra(|| Tool {
        users: Cell::new(0),
        next: Cell::new(0x1000),
        cvars: RefCell::default(),
        sessions: RefCell::default(),
    })
}

/// An error with a code of this chapter.
#[cold]
pub(crate) fn fails(code: c_int, text: impl Into<String>) -> Error {
    Error::from_code(code, text)
}

/// The open interface.
pub(crate) fn open(call: &Call) -> Result<Rc<Tool>> {
    let tool = state(call);
    match tool.users.get() {
        0 => Err(fails(MPI_T_ERR_NOT_INITIALIZED, "call MPI_T_init_thread first")),
        _ => Ok(tool),
    }
}

/// An error about an index.
pub(crate) fn bad_index(what: &str, index: c_int, number: usize) -> Error {
    let text = format!("the index is {index}, but there are {number} {what}, from 0");
    fails(MPI_T_ERR_INVALID_INDEX, text)
}

/// The element that the caller's index names.
pub(crate) fn at<'a, T>(list: &'a [T], index: c_int, what: &str) -> Result<&'a T> {
    let found = usize::try_from(index).ok().and_then(|i| list.get(i));
    found.ok_or_else(|| bad_index(what, index, list.len()))
}

/// An output of the caller that must be there.
pub(crate) fn require<T>(pointer: *const T, name: &str) -> Result<()> {
    match pointer.is_null() {
        false => Ok(()),
        true => Err(fails(MPI_T_ERR_INVALID, format!("the argument {name} is a null pointer"))),
    }
}

/// Gives a value to a caller that wants it.
///
/// # Safety
/// `to` is null or a pointer of the caller.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's contract.
        unsafe { to.write(value) };
    }
}

/// Gives a text to a caller, cut to its room; the length becomes what is needed with the final
/// zero (section 15.3.3). Without a length there is nothing to give.
///
/// # Safety
/// `len` is null or a pointer of the caller; `to` is null or has `*len` bytes.
pub(crate) unsafe fn put_text(text: &str, to: *mut c_char, len: *mut c_int) {
    if len.is_null() {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe {
        if !to.is_null() && *len > 0 {
            text::put(text, to, *len as usize);
        }
        *len = text.len() as c_int + 1;
    }
}

/// The number of the variable that the caller names.
///
/// # Safety
/// `name` is null or a C string.
pub(crate) unsafe fn index_of<'a>(
    name: *const c_char,
    mut names: impl Iterator<Item = &'a str>,
    what: &str,
) -> Result<c_int> {
    require(name, "name")?;
    // SAFETY: not null, so a C string.
    let wanted = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let index = names.position(|known| known == wanted);
    index
        .map(|i| i as c_int)
        .ok_or_else(|| fails(MPI_T_ERR_INVALID_NAME, format!("there is no {what} \"{wanted}\"")))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_init_thread(
    call: &Call,
    required: c_int,
    provided: *mut c_int,
) -> Result<()> {
    require(provided, "provided")?;
    let tool = state(call);
    tool.users.set(tool.users.get() + 1);
    if required == MPI_THREAD_MULTIPLE {
        call.rank.lock.enable();
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *provided = required.clamp(MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE) };
    Ok(())
}

/// The last call takes all handles away.
///
/// # Safety
/// None needed; unsafe to have the type of its siblings.
pub(crate) unsafe fn t_finalize(call: &Call) -> Result<()> {
    let tool = open(call)?;
    tool.users.set(tool.users.get() - 1);
    if tool.users.get() == 0 {
        tool.cvars.borrow_mut().clear();
        tool.sessions.borrow_mut().clear();
        close_events(call);
    }
    Ok(())
}

/// The enumeration of variables that are on or off.
pub(crate) const SWITCH: MPI_T_enum = MPI_T_enum(0x800);
const SWITCH_ITEMS: [&str; 2] = ["off", "on"];

fn check_enum(enumtype: MPI_T_enum) -> Result<()> {
    match enumtype == SWITCH {
        true => Ok(()),
        false => Err(fails(
            MPI_T_ERR_INVALID_HANDLE,
            format!("{:#x} is not a handle of an enumeration", enumtype.0),
        )),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_enum_get_info(
    call: &Call,
    enumtype: MPI_T_enum,
    num: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> Result<()> {
    open(call)?;
    check_enum(enumtype)?;
    // SAFETY: as for this function.
    unsafe {
        put(num, SWITCH_ITEMS.len() as c_int);
        put_text("switch", name, name_len);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_enum_get_item(
    call: &Call,
    enumtype: MPI_T_enum,
    index: c_int,
    value: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> Result<()> {
    open(call)?;
    check_enum(enumtype)?;
    let item = at(&SWITCH_ITEMS, index, "items")?;
    // SAFETY: as for this function.
    unsafe {
        put(value, index);
        put_text(item, name, name_len);
    }
    Ok(())
}
