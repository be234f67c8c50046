//! Attributes and keyvals of communicators and datatypes, and the keyvals of windows (MPI 5.0,
//! section 7.7). The attributes that the library sets itself are in `attr_predefined.rs`, those of
//! windows in `attr_win.rs`.
//!
//! A key that was freed while attributes use it stays in its table until the last of them is
//! gone, because they may still be read and deleted through it (section 7.7.2).

pub(crate) use crate::attr_predefined::*;
pub(crate) use crate::attr_win::*;

use crate::decode::{bad, insert, invalid_handle, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::attr::{Attributes, Keyval, On};
use starling_core::comm::Comm;
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use starling_core::rma::Win;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// An object with attributes, as its callbacks see it.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    on: On,
    handle: usize,
}

impl Owner {
    pub fn comm(comm: &Comm) -> Owner {
        Owner { on: On::Comm, handle: comm.handle.get() as usize }
    }

    /// A communicator that is still being made.
    pub fn comm_handle(comm: MPI_Comm) -> Owner {
        Owner { on: On::Comm, handle: comm.0 }
    }

    pub fn win(win: &Win) -> Owner {
        Owner { on: On::Win, handle: win.handle.get() as usize }
    }

    fn datatype(datatype: MPI_Datatype) -> Owner {
        Owner { on: On::Datatype, handle: datatype.0 }
    }
}

/// Attributes that are not on their object yet, oldest first.
pub(crate) type Copied = Vec<(Rc<Keyval>, usize)>;

/// The value for the copy of an object; `None` if the attribute is not copied.
fn call_copy(key: &Keyval, from: Owner, value: usize) -> Result<Option<usize>> {
    match key.copy {
        0 => return Ok(None),
        1 => return Ok(Some(value)),
        _ => {}
    }
    let (id, extra) = (key.handle.get() as c_int, key.extra_state as *mut c_void);
    let (value, mut copy, mut flag) = (value as *mut c_void, std::ptr::null_mut::<c_void>(), 0);
    let out = (&raw mut copy).cast::<c_void>();
    // SAFETY: the user gave this address to MPI_*_create_keyval as a function of the type that
    // belongs to the kind of object; `out` and `flag` are ours and valid during the call.
    let code = unsafe {
        match from.on {
            On::Comm => {
                let function = MPI_Comm_copy_attr_function(key.copy).function();
                function(MPI_Comm(from.handle), id, extra, value, out, &mut flag)
            }
            On::Datatype => {
                let function = MPI_Type_copy_attr_function(key.copy).function();
                function(MPI_Datatype(from.handle), id, extra, value, out, &mut flag)
            }
            On::Win => {
                let function = MPI_Win_copy_attr_function(key.copy).function();
                function(MPI_Win(from.handle), id, extra, value, out, &mut flag)
            }
        }
    };
    match code {
        MPI_SUCCESS => Ok((flag != 0).then_some(copy as usize)),
        _ => Err(Error::from_code(code, format!("an attribute's copy callback returned {code}"))),
    }
}

fn call_delete(key: &Keyval, of: Owner, value: usize) -> Result<()> {
    if key.delete == 0 {
        return Ok(());
    }
    let (id, extra) = (key.handle.get() as c_int, key.extra_state as *mut c_void);
    let value = value as *mut c_void;
    // SAFETY: as in `call_copy`.
    let code = unsafe {
        match of.on {
            On::Comm => {
                let function = MPI_Comm_delete_attr_function(key.delete).function();
                function(MPI_Comm(of.handle), id, value, extra)
            }
            On::Datatype => {
                let function = MPI_Type_delete_attr_function(key.delete).function();
                function(MPI_Datatype(of.handle), id, value, extra)
            }
            On::Win => {
                let function = MPI_Win_delete_attr_function(key.delete).function();
                function(MPI_Win(of.handle), id, value, extra)
            }
        }
    };
    match code {
        MPI_SUCCESS => Ok(()),
        _ => Err(Error::from_code(code, format!("an attribute's delete callback returned {code}"))),
    }
}

/// Calls the copy callbacks of all attributes in the order in which they were set. If one fails,
/// what has been copied for `into` is deleted again.
pub(crate) fn copy(
    call: &Call,
    attributes: &Attributes,
    from: Owner,
    into: Owner,
) -> Result<Copied> {
    let mut copied = Copied::new();
    for (key, value) in attributes.all() {
        match call_copy(&key, from, value) {
            Ok(None) => {}
            Ok(Some(value)) => copied.push((key, value)),
            Err(error) => {
                for (key, value) in copied.into_iter().rev() {
                    // The copy callback's error is the one that counts.
                    let _ = call_delete(&key, into, value);
                    release(call, key);
                }
                return Err(error);
            }
        }
    }
    Ok(copied)
}

/// Deletes all attributes, newest first. Where a callback fails, its attribute and the older ones
/// stay.
pub(crate) fn delete_each(call: &Call, attributes: &Attributes, of: Owner) -> Result<()> {
    // The callbacks may set and delete attributes themselves.
    while let Some((key, value)) = attributes.all().pop() {
        call_delete(&key, of, value)?;
        attributes.remove(&key);
        release(call, key);
    }
    Ok(())
}

/// Lets go of a key; one that was freed goes for good with its last attribute.
fn release(call: &Call, key: Rc<Keyval>) {
    // Two references are the table's and ours.
    if key.freed.get() && Rc::strong_count(&key) == 2 {
        call.rank.keyvals.borrow_mut().remove(key.handle.get()).ok();
    }
}

/// Deletes all attributes of a communicator, newest first, calling their delete callbacks.
pub(crate) fn delete_all(call: &Call, comm: &Comm) -> Result<()> {
    delete_each(call, &comm.attributes, Owner::comm(comm))
}

/// The attributes of datatypes, by handle; datatypes themselves know nothing of them.
#[derive(Default)]
struct OfTypes(RefCell<HashMap<usize, Rc<Attributes>>>);

fn of_type(call: &Call, datatype: MPI_Datatype) -> Rc<Attributes> {
    let all = call.rank.extra(OfTypes::default);
    let mut all = all.0.borrow_mut();
    all.entry(datatype.0).or_default().clone()
}

/// Copies the attributes of a datatype (`MPI_Type_dup`); on an error `to` has none.
pub(crate) fn copy_type(call: &Call, from: MPI_Datatype, to: MPI_Datatype) -> Result<()> {
    let all = call.rank.extra(OfTypes::default);
    let Some(attributes) = all.0.borrow().get(&from.0).cloned() else { return Ok(()) };
    let copied = copy(call, &attributes, Owner::datatype(from), Owner::datatype(to))?;
    let target = of_type(call, to);
    for (key, value) in copied {
        target.set(&key, value);
    }
    Ok(())
}

/// Deletes the attributes of a datatype (`MPI_Type_free`); on an error the type has to stay.
pub(crate) fn delete_type(call: &Call, of: MPI_Datatype) -> Result<()> {
    let all = call.rank.extra(OfTypes::default);
    let Some(attributes) = all.0.borrow().get(&of.0).cloned() else { return Ok(()) };
    delete_each(call, &attributes, Owner::datatype(of))?;
    all.0.borrow_mut().remove(&of.0);
    Ok(())
}

fn create(
    call: &Call,
    on: On,
    (copy, delete): (usize, usize),
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    require(keyval, "keyval")?;
    let extra_state = extra_state as usize;
    let (handle, freed) = (Cell::new(0), Cell::new(false));
    let key = Rc::new(Keyval { on, copy, delete, extra_state, handle, freed });
    let handle = insert(&call.rank.keyvals, key.clone(), "attribute keys")?;
    key.handle.set(handle);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *keyval = handle as c_int };
    Ok(())
}

fn noun(on: On) -> &'static str {
    match on {
        On::Comm => "communicators",
        On::Datatype => "datatypes",
        On::Win => "windows",
    }
}

/// The key that the user made for this kind of object.
pub(crate) fn key(call: &Call, keyval: c_int, on: On) -> Result<Rc<Keyval>> {
    if keyval == MPI_KEYVAL_INVALID {
        return Err(bad(Class::KEYVAL, "the key is MPI_KEYVAL_INVALID; create one first"));
    }
    if is_predefined(keyval) || is_predefined_for_windows(keyval) {
        let text = format!("the key {keyval} is predefined; its attribute can only be read");
        return Err(bad(Class::KEYVAL, text));
    }
    let found = call.rank.keyvals.borrow().get(keyval as u32).cloned();
    let key = found
        .map_err(|why| invalid_handle(Class::KEYVAL, Kind::Keyval, keyval as u32 as usize, why))?;
    if key.on != on {
        let text = format!("the key was made for {}, not for {}", noun(key.on), noun(on));
        return Err(bad(Class::KEYVAL, text));
    }
    Ok(key)
}

/// Nothing refers to the key by its handle from now on, except the attributes that use it.
fn free(call: &Call, keyval: *mut c_int, on: On) -> Result<()> {
    require(keyval, "keyval")?;
    // SAFETY: a pointer of the caller, not null.
    let key = key(call, unsafe { *keyval }, on)?;
    key.freed.set(true);
    release(call, key);
    // SAFETY: as above.
    unsafe { *keyval = MPI_KEYVAL_INVALID };
    Ok(())
}

pub(crate) fn set(
    call: &Call,
    attributes: &Attributes,
    of: Owner,
    keyval: c_int,
    value: *mut c_void,
) -> Result<()> {
    let key = key(call, keyval, of.on)?;
    if let Some(old) = attributes.get(&key) {
        call_delete(&key, of, old)?;
    }
    attributes.set(&key, value as usize);
    Ok(())
}

pub(crate) fn delete(call: &Call, attributes: &Attributes, of: Owner, keyval: c_int) -> Result<()> {
    let key = key(call, keyval, of.on)?;
    let Some(value) = attributes.get(&key) else {
        return Err(bad(Class::KEYVAL, "the object has no attribute under this key"));
    };
    call_delete(&key, of, value)?;
    attributes.remove(&key);
    release(call, key);
    Ok(())
}

/// Gives the caller a value and whether there is one.
///
/// # Safety
/// The pointers are those of the C caller.
pub(crate) unsafe fn give(value: Option<usize>, to: *mut c_void, flag: *mut c_int) -> Result<()> {
    require(to, "attribute_val")?;
    require(flag, "flag")?;
    // SAFETY: pointers of the caller, not null; `to` is the address of a pointer.
    unsafe {
        *flag = value.is_some() as c_int;
        if let Some(value) = value {
            to.cast::<usize>().write_unaligned(value);
        }
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_create_keyval(
    call: &Call,
    copy: MPI_Comm_copy_attr_function,
    delete: MPI_Comm_delete_attr_function,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    create(call, On::Comm, (copy.0, delete.0), keyval, extra_state)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_keyval(
    call: &Call,
    copy: MPI_Type_copy_attr_function,
    delete: MPI_Type_delete_attr_function,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    create(call, On::Datatype, (copy.0, delete.0), keyval, extra_state)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_create_keyval(
    call: &Call,
    copy: MPI_Win_copy_attr_function,
    delete: MPI_Win_delete_attr_function,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    create(call, On::Win, (copy.0, delete.0), keyval, extra_state)
}

/// The old name of `MPI_Comm_create_keyval`.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn keyval_create(
    call: &Call,
    copy: MPI_Copy_function,
    delete: MPI_Delete_function,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    create(call, On::Comm, (copy.0, delete.0), keyval, extra_state)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_free_keyval(call: &Call, keyval: *mut c_int) -> Result<()> {
    free(call, keyval, On::Comm)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_free_keyval(call: &Call, keyval: *mut c_int) -> Result<()> {
    free(call, keyval, On::Datatype)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_free_keyval(call: &Call, keyval: *mut c_int) -> Result<()> {
    free(call, keyval, On::Win)
}

/// The old name of `MPI_Comm_free_keyval`.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn keyval_free(call: &Call, keyval: *mut c_int) -> Result<()> {
    free(call, keyval, On::Comm)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_set_attr(
    call: &Call,
    comm: MPI_Comm,
    keyval: c_int,
    value: *mut c_void,
) -> Result<()> {
    let comm = call.comm(comm)?;
    set(call, &comm.attributes, Owner::comm(&comm), keyval, value)
}

/// The old name of `MPI_Comm_set_attr`.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn attr_put(
    call: &Call,
    comm: MPI_Comm,
    keyval: c_int,
    value: *mut c_void,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { comm_set_attr(call, comm, keyval, value) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_set_attr(
    call: &Call,
    datatype: MPI_Datatype,
    keyval: c_int,
    value: *mut c_void,
) -> Result<()> {
    call.datatype(datatype)?;
    set(call, &of_type(call, datatype), Owner::datatype(datatype), keyval, value)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_get_attr(
    call: &Call,
    comm: MPI_Comm,
    keyval: c_int,
    value: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    let comm = call.comm(comm)?;
    let found = match is_predefined(keyval) {
        true => predefined_value(call, keyval),
        false => comm.attributes.get(&key(call, keyval, On::Comm)?),
    };
    // SAFETY: as for this function.
    unsafe { give(found, value, flag) }
}

/// The old name of `MPI_Comm_get_attr`.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn attr_get(
    call: &Call,
    comm: MPI_Comm,
    keyval: c_int,
    value: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { comm_get_attr(call, comm, keyval, value, flag) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_attr(
    call: &Call,
    datatype: MPI_Datatype,
    keyval: c_int,
    value: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    call.datatype(datatype)?;
    let found = of_type(call, datatype).get(&key(call, keyval, On::Datatype)?);
    // SAFETY: as for this function.
    unsafe { give(found, value, flag) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_delete_attr(call: &Call, comm: MPI_Comm, keyval: c_int) -> Result<()> {
    let comm = call.comm(comm)?;
    delete(call, &comm.attributes, Owner::comm(&comm), keyval)
}

/// The old name of `MPI_Comm_delete_attr`.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn attr_delete(call: &Call, comm: MPI_Comm, keyval: c_int) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { comm_delete_attr(call, comm, keyval) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_delete_attr(
    call: &Call,
    datatype: MPI_Datatype,
    keyval: c_int,
) -> Result<()> {
    call.datatype(datatype)?;
    delete(call, &of_type(call, datatype), Owner::datatype(datatype), keyval)
}
