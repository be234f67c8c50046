//! Info objects (MPI 5.0, chapter 10), and `MPI_INFO_ENV` (section 11.2.1).
//!
//! Keys and values are UTF-8; an object that a handle names lies in the rank's table. The
//! environment object is made anew at each use and cannot be changed.

use crate::decode::{bad, insert, invalid_handle, look_up, narrow, null_handle, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::text;
use starling_core::bootstrap;
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use starling_core::info::Info;
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::rc::Rc;

/// The info object of a handle.
pub(crate) fn find(call: &Call, info: MPI_Info) -> Result<Rc<RefCell<Info>>> {
    match info {
        MPI_INFO_NULL => Err(null_handle(Class::INFO, "MPI_INFO_NULL")),
        MPI_INFO_ENV => Ok(Rc::new(RefCell::new(environment(call, own_arguments())))),
        _ => look_up(&call.rank.infos.borrow(), info.0, Kind::Info, Class::INFO),
    }
}

/// The same where `MPI_INFO_NULL` says that there are no hints.
pub(crate) fn find_hints(call: &Call, info: MPI_Info) -> Result<Option<Rc<RefCell<Info>>>> {
    match info {
        MPI_INFO_NULL => Ok(None),
        _ => find(call, info).map(Some),
    }
}

/// Gives a new info object a handle.
pub(crate) fn new_handle(call: &Call, info: Info) -> Result<MPI_Info> {
    let handle = insert(&call.rank.infos, Rc::new(RefCell::new(info)), "info objects")?;
    Ok(MPI_Info(handle as usize))
}

fn find_to_change(call: &Call, info: MPI_Info) -> Result<Rc<RefCell<Info>>> {
    refuse_environment(info)?;
    find(call, info)
}

fn refuse_environment(info: MPI_Info) -> Result<()> {
    match info {
        MPI_INFO_ENV => {
            let text = "MPI_INFO_ENV is read-only; change a copy that MPI_Info_dup makes";
            Err(bad(Class::INFO, text))
        }
        _ => Ok(()),
    }
}

fn own_arguments() -> Vec<String> {
    std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// What is known of how this process was started. The keys `soft`, `file` and `thread_level`
/// stand for wishes that our launcher has no words for.
fn environment(call: &Call, arguments: Vec<String>) -> Info {
    let mut info = Info::default();
    let mut set = |key: &str, value: &str| {
        info.set(key, text::prefix(value, MPI_MAX_INFO_VAL as usize - 1));
    };
    if let Some((command, rest)) = arguments.split_first() {
        set("command", command);
        set("argv", &rest.join(" "));
    }
    if let Some(node) = call.rank.try_node() {
        set("maxprocs", &node.size.to_string());
    }
    set("host", &bootstrap::host_name());
    set("arch", std::env::consts::ARCH);
    if let Ok(folder) = std::env::current_dir() {
        set("wdir", &folder.to_string_lossy());
    }
    info
}

/// A key of the caller.
///
/// # Safety
/// `key` is null or points to a C string.
unsafe fn key_of(key: *const c_char) -> Result<String> {
    // SAFETY: the caller's contract.
    unsafe { limited(key, "key", Class::INFO_KEY, MPI_MAX_INFO_KEY as usize) }.and_then(|key| {
        match key.is_empty() {
            true => Err(bad(Class::INFO_KEY, "the key is empty; a key has at least one character")),
            false => Ok(key),
        }
    })
}

/// A text of the caller of which `room` bytes with the final zero are allowed.
///
/// # Safety
/// `from` is null or points to a C string.
unsafe fn limited(from: *const c_char, what: &str, class: Class, room: usize) -> Result<String> {
    if from.is_null() {
        return Err(bad(class, format!("the {what} is a null pointer")));
    }
    // SAFETY: not null, so a C string.
    let bytes = unsafe { text::bytes(from, room) };
    if bytes.len() >= room {
        let most = room - 1;
        let text = format!("the {what} is longer than {most} characters (MPI_MAX_INFO_*, minus 1)");
        return Err(bad(class, text));
    }
    std::str::from_utf8(bytes).map(str::to_string).map_err(|_| {
        let shown = String::from_utf8_lossy(bytes);
        bad(class, format!("the {what} \"{shown}\" is not UTF-8; convert it first"))
    })
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_create(call: &Call, info: *mut MPI_Info) -> Result<()> {
    require(info, "info")?;
    let new = new_handle(call, Info::default())?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *info = new };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_create_env(
    call: &Call,
    argc: c_int,
    argv: *mut *mut c_char,
    info: *mut MPI_Info,
) -> Result<()> {
    require(info, "info")?;
    if argc < 0 {
        let text = format!("argc is {argc}; pass main's, or 0 and a null pointer");
        return Err(bad(Class::ARG, text));
    }
    let mut arguments = Vec::new();
    if !argv.is_null() {
        for i in 0..argc as usize {
            // SAFETY: argv has argc elements, and it ends with a null pointer.
            let argument = unsafe { *argv.add(i) };
            if argument.is_null() {
                break;
            }
            // SAFETY: an element of argv is a C string.
            let bytes = unsafe { text::bytes(argument, usize::MAX) };
            arguments.push(String::from_utf8_lossy(bytes).into_owned());
        }
    }
    if arguments.is_empty() {
        arguments = own_arguments();
    }
    let new = new_handle(call, environment(call, arguments))?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *info = new };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_dup(call: &Call, info: MPI_Info, newinfo: *mut MPI_Info) -> Result<()> {
    require(newinfo, "newinfo")?;
    let copy = find(call, info)?.borrow().clone();
    let new = new_handle(call, copy)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *newinfo = new };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_free(call: &Call, info: *mut MPI_Info) -> Result<()> {
    require(info, "info")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *info };
    if handle == MPI_INFO_NULL {
        return Err(null_handle(Class::INFO, "MPI_INFO_NULL"));
    }
    if handle == MPI_INFO_ENV {
        return Err(bad(Class::INFO, "MPI_INFO_ENV is predefined and can not be freed"));
    }
    let removed = call.rank.infos.borrow_mut().remove(narrow(handle.0));
    removed.map_err(|why| invalid_handle(Class::INFO, Kind::Info, handle.0, why))?;
    // SAFETY: as above.
    unsafe { *info = MPI_INFO_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_set(
    call: &Call,
    info: MPI_Info,
    key: *const c_char,
    value: *const c_char,
) -> Result<()> {
    let info = find_to_change(call, info)?;
    // SAFETY: C strings of the caller.
    let (key, value) = unsafe {
        let key = key_of(key)?;
        (key, limited(value, "value", Class::INFO_VALUE, MPI_MAX_INFO_VAL as usize)?)
    };
    info.borrow_mut().set(&key, &value);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_delete(call: &Call, info: MPI_Info, key: *const c_char) -> Result<()> {
    let info = find_to_change(call, info)?;
    // SAFETY: a C string of the caller.
    let key = unsafe { key_of(key) }?;
    let deleted = info.borrow_mut().delete(&key);
    match deleted {
        true => Ok(()),
        false => Err(bad(Class::INFO_NOKEY, format!("the info object has no key \"{key}\""))),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_get_nkeys(call: &Call, info: MPI_Info, nkeys: *mut c_int) -> Result<()> {
    require(nkeys, "nkeys")?;
    let number = find(call, info)?.borrow().len();
    // SAFETY: a pointer of the caller, not null.
    unsafe { *nkeys = number as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_get_nthkey(
    call: &Call,
    info: MPI_Info,
    n: c_int,
    key: *mut c_char,
) -> Result<()> {
    require(key, "key")?;
    let info = find(call, info)?;
    let info = info.borrow();
    let found = usize::try_from(n).ok().and_then(|n| info.key(n));
    let found = found.ok_or_else(|| wrong_number(n, info.len()))?;
    // SAFETY: the standard asks the caller for that much room.
    unsafe { text::put(found, key, MPI_MAX_INFO_KEY as usize) };
    Ok(())
}

fn wrong_number(n: c_int, keys: usize) -> Error {
    let text = match keys {
        0 => format!("n is {n}, but the info object has no keys"),
        _ => format!("n is {n}, but the keys have the numbers 0 to {}", keys - 1),
    };
    bad(Class::ARG, text)
}

/// The value under the caller's key.
///
/// # Safety
/// `key` is null or points to a C string.
unsafe fn value_of(call: &Call, info: MPI_Info, key: *const c_char) -> Result<Option<String>> {
    let info = find(call, info)?;
    // SAFETY: the caller's contract.
    let key = unsafe { key_of(key) }?;
    let value = info.borrow().get(&key).map(str::to_string);
    Ok(value)
}

/// The length counts no final zero (section 10).
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_get(
    call: &Call,
    info: MPI_Info,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> Result<()> {
    require(value, "value")?;
    require(flag, "flag")?;
    if valuelen < 0 {
        let text = format!("valuelen is {valuelen}; it is the size of value minus 1, at least 0");
        return Err(bad(Class::ARG, text));
    }
    // SAFETY: C strings of the caller, which gives room for valuelen + 1 bytes.
    unsafe {
        let found = value_of(call, info, key)?;
        if let Some(found) = &found {
            text::put(found, value, valuelen as usize + 1);
        }
        *flag = found.is_some() as c_int;
    }
    Ok(())
}

/// The length counts the final zero, in and out; 0 only asks for it (section 10).
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_get_string(
    call: &Call,
    info: MPI_Info,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> Result<()> {
    require(buflen, "buflen")?;
    require(flag, "flag")?;
    // SAFETY: pointers of the caller, not null; `value` has room for that many bytes.
    unsafe {
        let room = *buflen;
        match room {
            ..0 => {
                let text = format!("buflen is {room}; it is the size of value, or 0");
                return Err(bad(Class::ARG, text));
            }
            0 => {}
            _ => require(value, "value")?,
        }
        let found = value_of(call, info, key)?;
        if let Some(found) = &found {
            if room > 0 {
                text::put(found, value, room as usize);
            }
            *buflen = found.len() as c_int + 1;
        }
        *flag = found.is_some() as c_int;
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn info_get_valuelen(
    call: &Call,
    info: MPI_Info,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> Result<()> {
    require(valuelen, "valuelen")?;
    require(flag, "flag")?;
    // SAFETY: pointers of the caller, not null.
    unsafe {
        let found = value_of(call, info, key)?;
        if let Some(found) = &found {
            *valuelen = found.len() as c_int;
        }
        *flag = found.is_some() as c_int;
    }
    Ok(())
}
