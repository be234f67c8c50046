//! Datatypes (MPI 5.0, chapter 5): commit, free, duplicate, names, addresses. Constructors are in
//! `type_create.rs`, predefined types without a name in `type_unnamed.rs`, sizes, bounds and
//! contents in `type_query.rs`; all are bodies of this chapter, re-exported here.

pub(crate) use crate::type_create::*;
pub(crate) use crate::type_query::*;
pub(crate) use crate::type_unnamed::*;

use crate::attr;
use crate::decode::{bad, insert, invalid_handle, narrow, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::text;
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use starling_core::rank::Rank;
use starling_datatype::{Datatype, ErrorKind, TypeError};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;

/// The names that the user gave to types, by handle.
#[derive(Default)]
struct Names(RefCell<HashMap<u32, String>>);

fn names(rank: &Rank) -> Rc<Names> {
    rank.extra(Names::default)
}

/// The name of a type, if it has one (section 7.8).
fn name(call: &Call, datatype: MPI_Datatype) -> Option<String> {
    let given = names(call.rank).0.borrow().get(&narrow(datatype.0)).cloned();
    given.or_else(|| {
        let predefined = call.rank.predefined_datatype(narrow(datatype.0))?;
        predefined.as_basic().map(|basic| basic.name().to_string())
    })
}

/// A type's name for messages, or its handle.
pub(crate) fn title(call: &Call, datatype: MPI_Datatype) -> String {
    let unnamed = || format!("the datatype with the handle {:#x}", datatype.0);
    name(call, datatype).filter(|name| !name.is_empty()).unwrap_or_else(unnamed)
}

/// Whether MPI made it: then it needs no commit and cannot be freed.
pub(crate) fn is_predefined(ty: &Datatype) -> bool {
    ty.as_basic().is_some() || is_unnamed(ty)
}

/// An error of the engine's constructors.
#[cold]
pub(crate) fn refused(error: TypeError) -> Error {
    let class = match error.kind {
        ErrorKind::Count => Class::COUNT,
        ErrorKind::Argument => Class::ARG,
        ErrorKind::Dimension => Class::DIMS,
        ErrorKind::Type => Class::TYPE,
        ErrorKind::TooLarge => Class::VALUE_TOO_LARGE,
        ErrorKind::TooDeep => Class::NO_MEM,
    };
    bad(class, error.message)
}

/// Gives a type a handle.
pub(crate) fn new_handle(call: &Call, ty: Rc<Datatype>) -> Result<MPI_Datatype> {
    let handle = insert(&call.rank.datatypes, ty, "datatypes")?;
    Ok(MPI_Datatype(handle as usize))
}

pub(crate) fn aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

pub(crate) fn aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_address(
    _call: &Call,
    location: *const c_void,
    address: *mut MPI_Aint,
) -> Result<()> {
    require(address, "address")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *address = location as MPI_Aint };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_commit(call: &Call, datatype: *mut MPI_Datatype) -> Result<()> {
    require(datatype, "datatype")?;
    // SAFETY: a pointer of the caller, not null.
    call.datatype(unsafe { *datatype })?.set_committed();
    Ok(())
}

/// Whoever still uses the type keeps it (section 5.1.9): only the handle goes.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_free(call: &Call, datatype: *mut MPI_Datatype) -> Result<()> {
    require(datatype, "datatype")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *datatype };
    let ty = call.datatype(handle)?;
    if is_predefined(&ty) {
        let text = format!("{} is predefined and can not be freed", title(call, handle));
        return Err(bad(Class::TYPE, text));
    }
    attr::delete_type(call, handle)?;
    forget(call, handle)?;
    // SAFETY: as above.
    unsafe { *datatype = MPI_DATATYPE_NULL };
    Ok(())
}

/// Takes the handle out of the table; a callback may have done it already.
fn forget(call: &Call, datatype: MPI_Datatype) -> Result<()> {
    let handle = narrow(datatype.0);
    names(call.rank).0.borrow_mut().remove(&handle);
    let removed = call.rank.datatypes.borrow_mut().remove(handle);
    let removed =
        removed.map_err(|why| invalid_handle(Class::TYPE, Kind::Datatype, datatype.0, why));
    removed.map(drop)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_dup(
    call: &Call,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let ty = call.datatype(oldtype)?;
    let copy = new_handle(call, Datatype::dup(&ty).map_err(refused)?)?;
    if let Err(error) = attr::copy_type(call, oldtype, copy) {
        // What was copied before the failure goes too; its callbacks can only fail likewise.
        let _ = attr::delete_type(call, copy);
        forget(call, copy)?;
        return Err(error);
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *newtype = copy };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_set_name(
    call: &Call,
    datatype: MPI_Datatype,
    type_name: *const c_char,
) -> Result<()> {
    require(type_name, "type_name")?;
    call.datatype(datatype)?;
    // SAFETY: a C string of the caller.
    let name = unsafe { text::name(type_name, MPI_MAX_OBJECT_NAME as usize) };
    names(call.rank).0.borrow_mut().insert(narrow(datatype.0), name);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_name(
    call: &Call,
    datatype: MPI_Datatype,
    type_name: *mut c_char,
    resultlen: *mut c_int,
) -> Result<()> {
    require(type_name, "type_name")?;
    require(resultlen, "resultlen")?;
    let name = match datatype {
        MPI_DATATYPE_NULL => "MPI_DATATYPE_NULL".to_string(),
        _ => {
            call.datatype(datatype)?;
            name(call, datatype).unwrap_or_default()
        }
    };
    // SAFETY: the standard asks the caller for that much room; names are shorter.
    unsafe {
        text::put(&name, type_name, MPI_MAX_OBJECT_NAME as usize);
        *resultlen = name.len() as c_int;
    }
    Ok(())
}
