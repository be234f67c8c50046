//! Error classes, codes and strings, predefined and added by the user (MPI 5.0, sections 9.4 and
//! 9.5): bodies of the chapter `errhandler`.

use crate::attr::update_last_used_code;
use crate::decode::{bad, require};
use crate::entry::Call;
use crate::env::put_text;
use crate::generated::constants::*;
use crate::report;
use crate::text;
use starling_core::errhandler::UserError;
use starling_core::error::{Class, Result};
use std::ffi::{c_char, c_int};

macro_rules! classes {
    ($($class:ident $text:literal)*) => {
        /// Every predefined error class: number, name, and what it means.
        const CLASSES: &[(c_int, &str, &str)] = &[$(($class, stringify!($class), $text)),*];
    };
}

classes! {
    MPI_SUCCESS "no error"
    MPI_ERR_BUFFER "a buffer is missing or cannot be used"
    MPI_ERR_COUNT "a count is negative or too large"
    MPI_ERR_TYPE "a datatype is not valid or not committed"
    MPI_ERR_TAG "a tag is outside of the allowed range"
    MPI_ERR_COMM "a communicator is not valid, or not of the needed kind"
    MPI_ERR_RANK "a rank is not one of the group"
    MPI_ERR_REQUEST "a request is not valid"
    MPI_ERR_ROOT "the root is not a rank of the group"
    MPI_ERR_GROUP "a group is not valid"
    MPI_ERR_OP "an operation is not valid, or not defined for the datatype"
    MPI_ERR_TOPOLOGY "the communicator has no topology, or not one of the needed kind"
    MPI_ERR_DIMS "a number of dimensions or the size of one is not valid"
    MPI_ERR_ARG "an argument is not valid"
    MPI_ERR_UNKNOWN "an error of an unknown kind"
    MPI_ERR_TRUNCATE "a message is longer than the memory that receives it"
    MPI_ERR_OTHER "an error that has no class of its own"
    MPI_ERR_INTERN "an error inside the MPI library"
    MPI_ERR_PENDING "the request is neither complete nor failed yet"
    MPI_ERR_IN_STATUS "the error code is in the status"
    MPI_ERR_ACCESS "the file may not be accessed"
    MPI_ERR_AMODE "the access mode of a file is not valid"
    MPI_ERR_ASSERT "an assertion is not valid"
    MPI_ERR_BAD_FILE "the name of a file is not valid"
    MPI_ERR_BASE "an address was not returned by MPI_Alloc_mem"
    MPI_ERR_CONVERSION "a user's data conversion function failed"
    MPI_ERR_DISP "a displacement is not valid"
    MPI_ERR_DUP_DATAREP "a data representation of this name exists already"
    MPI_ERR_FILE_EXISTS "the file exists already"
    MPI_ERR_FILE_IN_USE "the file is in use by a process"
    MPI_ERR_FILE "a file handle is not valid"
    MPI_ERR_INFO_KEY "an info key is empty or too long"
    MPI_ERR_INFO_NOKEY "the info object has no such key"
    MPI_ERR_INFO_VALUE "an info value is too long"
    MPI_ERR_INFO "an info object is not valid"
    MPI_ERR_IO "input or output failed"
    MPI_ERR_KEYVAL "an attribute key is not valid"
    MPI_ERR_LOCKTYPE "a lock type is not valid"
    MPI_ERR_NAME "a service name is not published"
    MPI_ERR_NO_MEM "there is not enough memory"
    MPI_ERR_NOT_SAME "an argument of a collective is not the same on all processes"
    MPI_ERR_NO_SPACE "there is no space left on the device"
    MPI_ERR_NO_SUCH_FILE "the file does not exist"
    MPI_ERR_PORT "a port name is not valid"
    MPI_ERR_QUOTA "the quota is used up"
    MPI_ERR_READ_ONLY "the file or file system is read-only"
    MPI_ERR_RMA_ATTACH "memory cannot be attached to the window"
    MPI_ERR_RMA_CONFLICT "accesses to a window conflict"
    MPI_ERR_RMA_RANGE "the target memory is not part of the window"
    MPI_ERR_RMA_SHARED "memory cannot be shared by the group"
    MPI_ERR_RMA_SYNC "the synchronisation of a window is wrong"
    MPI_ERR_SERVICE "a service name cannot be published or unpublished"
    MPI_ERR_SIZE "a size is not valid"
    MPI_ERR_SPAWN "processes cannot be started"
    MPI_ERR_UNSUPPORTED_DATAREP "the data representation is not supported"
    MPI_ERR_UNSUPPORTED_OPERATION "the operation is not supported"
    MPI_ERR_WIN "a window is not valid"
    MPI_ERR_RMA_FLAVOR "the window is not of the needed flavor"
    MPI_ERR_PROC_ABORTED "a process that takes part has aborted"
    MPI_ERR_VALUE_TOO_LARGE "a value is too large to be represented"
    MPI_ERR_SESSION "a session is not valid"
    MPI_ERR_ERRHANDLER "an error handler is not valid"
    MPI_ERR_ABI "a property of the ABI cannot be set, or has been set already"
    MPI_T_ERR_CANNOT_INIT "the tools interface cannot be initialised"
    MPI_T_ERR_NOT_ACCESSIBLE "the tools interface does not give access to it"
    MPI_T_ERR_NOT_INITIALIZED "the tools interface is not initialised"
    MPI_T_ERR_NOT_SUPPORTED "the tools interface does not support it"
    MPI_T_ERR_MEMORY "there is not enough memory for the tools interface"
    MPI_T_ERR_INVALID "the use of the tools interface is not valid"
    MPI_T_ERR_INVALID_INDEX "an index of the tools interface is not valid"
    MPI_T_ERR_INVALID_ITEM "an item of the tools interface is not valid"
    MPI_T_ERR_INVALID_SESSION "a session of the tools interface is not valid"
    MPI_T_ERR_INVALID_HANDLE "a handle of the tools interface is not valid"
    MPI_T_ERR_INVALID_NAME "a name of the tools interface is not valid"
    MPI_T_ERR_OUT_OF_HANDLES "the tools interface has no handles left"
    MPI_T_ERR_OUT_OF_SESSIONS "the tools interface has no sessions left"
    MPI_T_ERR_CVAR_SET_NOT_NOW "the control variable cannot be set now"
    MPI_T_ERR_CVAR_SET_NEVER "the control variable can never be set"
    MPI_T_ERR_PVAR_NO_WRITE "the performance variable cannot be written"
    MPI_T_ERR_PVAR_NO_STARTSTOP "the performance variable cannot be started or stopped"
    MPI_T_ERR_PVAR_NO_ATOMIC "the performance variable cannot be read and reset in one step"
    MPI_ERR_LASTCODE "the last predefined error code"
}

fn predefined(code: c_int) -> Option<(&'static str, &'static str)> {
    CLASSES.iter().find(|(number, ..)| *number == code).map(|(_, name, text)| (*name, *text))
}

/// The words for a code: for a predefined one its name and meaning, and what the last error said
/// if that had this code; for one that the user added the user's string.
pub(crate) fn describe(call: &Call, code: c_int) -> String {
    if let Some(added) = call.rank.user_errors.borrow().codes.get(&code) {
        return added.text.clone();
    }
    let Some((name, meaning)) = predefined(code) else {
        return format!("{code} is neither an error code of MPI nor one that was added");
    };
    let last = report::last_error(call);
    let last = last.0.borrow();
    match last.as_ref() {
        Some((function, error)) if error.code() == code => {
            format!("{name}: {meaning}: {function}: {error}")
        }
        _ => format!("{name}: {meaning}"),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn error_string(
    call: &Call,
    errorcode: c_int,
    string: *mut c_char,
    resultlen: *mut c_int,
) -> Result<()> {
    require(string, "string")?;
    require(resultlen, "resultlen")?;
    let text = describe(call, errorcode);
    // SAFETY: the standard asks the caller for that much room.
    unsafe { *resultlen = put_text(&text, string, MPI_MAX_ERROR_STRING as usize) as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn error_class(
    call: &Call,
    errorcode: c_int,
    errorclass: *mut c_int,
) -> Result<()> {
    require(errorclass, "errorclass")?;
    let class = class_of(call, errorcode).unwrap_or(MPI_ERR_UNKNOWN);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errorclass = class };
    Ok(())
}

/// The class of a code; `None` if it is no code.
fn class_of(call: &Call, code: c_int) -> Option<c_int> {
    if predefined(code).is_some() {
        return Some(code);
    }
    call.rank.user_errors.borrow().codes.get(&code).map(|added| added.class.unwrap_or(code))
}

/// Adds a class, or a code of `class`; returns its number.
fn add(call: &Call, class: Option<c_int>) -> Result<c_int> {
    let mut errors = call.rank.user_errors.borrow_mut();
    let Some(number) = errors.last.max(MPI_ERR_LASTCODE).checked_add(1) else {
        return Err(bad(Class::NO_MEM, "all numbers for error classes and codes are used up"));
    };
    errors.codes.insert(number, UserError { class, text: String::new() });
    errors.last = number;
    drop(errors);
    update_last_used_code(call);
    Ok(number)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn add_error_class(call: &Call, errorclass: *mut c_int) -> Result<()> {
    require(errorclass, "errorclass")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errorclass = add(call, None)? };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn add_error_code(
    call: &Call,
    errorclass: c_int,
    errorcode: *mut c_int,
) -> Result<()> {
    require(errorcode, "errorcode")?;
    if class_of(call, errorclass) != Some(errorclass) {
        return Err(bad(Class::ARG, format!("{errorclass} is not an error class")));
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *errorcode = add(call, Some(errorclass))? };
    Ok(())
}

/// Sets the string of a class or code that the user added.
fn set_text(call: &Call, code: c_int, text: String) -> Result<()> {
    match call.rank.user_errors.borrow_mut().codes.get_mut(&code) {
        Some(added) => {
            added.text = text;
            Ok(())
        }
        None => Err(not_added(code, "class or code")),
    }
}

fn not_added(code: c_int, what: &str) -> starling_core::error::Error {
    bad(Class::ARG, format!("{code} is not an error {what} that this program has added"))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn add_error_string(
    call: &Call,
    errorcode: c_int,
    string: *const c_char,
) -> Result<()> {
    require(string, "string")?;
    // SAFETY: a C string of the caller, not null.
    let text = unsafe { text::name(string, MPI_MAX_ERROR_STRING as usize) };
    set_text(call, errorcode, text)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn remove_error_string(call: &Call, errorcode: c_int) -> Result<()> {
    set_text(call, errorcode, String::new())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn remove_error_class(call: &Call, errorclass: c_int) -> Result<()> {
    let errors = call.rank.user_errors.borrow();
    let codes = &errors.codes;
    if codes.get(&errorclass).is_none_or(|added| added.class.is_some()) {
        return Err(not_added(errorclass, "class"));
    }
    if let Some((code, _)) = codes.iter().find(|(_, added)| added.class == Some(errorclass)) {
        let text =
            format!("the error class {errorclass} still has the code {code}; remove it first");
        return Err(bad(Class::ARG, text));
    }
    check_no_string(errorclass, &codes[&errorclass].text)?;
    drop(errors);
    remove(call, errorclass);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn remove_error_code(call: &Call, errorcode: c_int) -> Result<()> {
    let errors = call.rank.user_errors.borrow();
    let codes = &errors.codes;
    if codes.get(&errorcode).is_none_or(|added| added.class.is_none()) {
        return Err(not_added(errorcode, "code"));
    }
    check_no_string(errorcode, &codes[&errorcode].text)?;
    drop(errors);
    remove(call, errorcode);
    Ok(())
}

/// What still has a string can not be removed (section 9.5).
fn check_no_string(number: c_int, text: &str) -> Result<()> {
    match text.is_empty() {
        true => Ok(()),
        false => {
            let what = format!("{number} still has the error string \"{text}\"");
            Err(bad(Class::ARG, format!("{what}; call MPI_Remove_error_string first")))
        }
    }
}

fn remove(call: &Call, number: c_int) {
    let mut errors = call.rank.user_errors.borrow_mut();
    errors.codes.remove(&number);
    errors.last = errors.codes.last_key_value().map_or(0, |(last, _)| *last);
    drop(errors);
    update_last_used_code(call);
}
