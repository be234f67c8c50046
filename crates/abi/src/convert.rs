//! Handles as integers, and what a program can ask and tell about the ABI (MPI 5.0, chapters 19
//! and 20). Conversions of statuses are in `status_access.rs`.
//!
//! Predefined handles keep their numbers. Our own have 32 bits, so an `int` holds them all (some
//! as negative numbers), and a handle never has bits above them.

use crate::decode::{bad, null_handle, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::info;
use starling_core::error::{Class, Result};
use starling_core::info::Info;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

macro_rules! integers {
    ($($handle:ident $toint:ident $fromint:ident;)*) => {$(
        /// The number of a handle.
        pub(crate) fn $toint(handle: $handle) -> c_int {
            handle.0 as c_int
        }

        /// The handle of a number.
        pub(crate) fn $fromint(number: c_int) -> $handle {
            $handle(number as u32 as usize)
        }
    )*};
}

integers! {
    MPI_Comm comm_toint comm_fromint;
    MPI_Datatype type_toint type_fromint;
    MPI_Errhandler errhandler_toint errhandler_fromint;
    MPI_File file_toint file_fromint;
    MPI_Group group_toint group_fromint;
    MPI_Info info_toint info_fromint;
    MPI_Message message_toint message_fromint;
    MPI_Op op_toint op_fromint;
    MPI_Request request_toint request_fromint;
    MPI_Session session_toint session_fromint;
    MPI_Win win_toint win_fromint;
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abi_get_version(
    _call: &Call,
    abi_major: *mut c_int,
    abi_minor: *mut c_int,
) -> Result<()> {
    require(abi_major, "abi_major")?;
    require(abi_minor, "abi_minor")?;
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *abi_major = MPI_ABI_VERSION;
        *abi_minor = MPI_ABI_SUBVERSION;
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abi_get_info(call: &Call, to: *mut MPI_Info) -> Result<()> {
    require(to, "info")?;
    let mut known = Info::default();
    for (key, size) in [
        ("mpi_aint_size", size_of::<MPI_Aint>()),
        ("mpi_count_size", size_of::<MPI_Count>()),
        ("mpi_offset_size", size_of::<MPI_Offset>()),
    ] {
        known.set(key, &size.to_string());
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { *to = info::new_handle(call, known)? };
    Ok(())
}

/// The bytes of true and of false.
type Booleans = (Vec<u8>, Vec<u8>);

/// What Fortran bindings, which are not part of the library, have told about their compiler.
#[derive(Default)]
struct Fortran {
    info: RefCell<Option<Info>>,
    /// By size of the logical.
    booleans: RefCell<HashMap<usize, Booleans>>,
}

fn fortran(call: &Call) -> Rc<Fortran> {
    call.rank.extra(Fortran::default)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abi_get_fortran_info(call: &Call, to: *mut MPI_Info) -> Result<()> {
    require(to, "info")?;
    let known = fortran(call).info.borrow().clone();
    let handle = match known {
        Some(known) => info::new_handle(call, known)?,
        None => MPI_INFO_NULL,
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *to = handle };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abi_set_fortran_info(call: &Call, info: MPI_Info) -> Result<()> {
    let Some(hints) = info::find_hints(call, info)? else {
        return Err(null_handle(Class::INFO, "MPI_INFO_NULL"));
    };
    let fortran = fortran(call);
    let mut known = fortran.info.borrow_mut();
    if known.is_some() {
        return Err(bad(Class::ABI, "the Fortran properties have been set already; set them once"));
    }
    *known = Some(hints.borrow().clone());
    Ok(())
}

fn check_logical(size: c_int, logical_true: *mut c_void, logical_false: *mut c_void) -> Result<()> {
    require(logical_true, "logical_true")?;
    require(logical_false, "logical_false")?;
    match size {
        1 | 2 | 4 | 8 | 16 => Ok(()),
        _ => Err(bad(
            Class::ARG,
            format!("the logical_size is {size}; a Fortran logical has 1, 2, 4, 8 or 16 bytes"),
        )),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abi_get_fortran_booleans(
    call: &Call,
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: *mut c_int,
) -> Result<()> {
    require(is_set, "is_set")?;
    check_logical(logical_size, logical_true, logical_false)?;
    let (fortran, size) = (fortran(call), logical_size as usize);
    let booleans = fortran.booleans.borrow();
    let found = booleans.get(&size);
    // SAFETY: pointers of the caller, not null; both values have the given size, as the lists do.
    unsafe {
        *is_set = found.is_some() as c_int;
        if let Some((yes, no)) = found {
            std::ptr::copy_nonoverlapping(yes.as_ptr(), logical_true.cast(), size);
            std::ptr::copy_nonoverlapping(no.as_ptr(), logical_false.cast(), size);
        }
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn abi_set_fortran_booleans(
    call: &Call,
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result<()> {
    check_logical(logical_size, logical_true, logical_false)?;
    let (fortran, size) = (fortran(call), logical_size as usize);
    let mut booleans = fortran.booleans.borrow_mut();
    if booleans.contains_key(&size) {
        let text = format!("the values of logicals of {size} bytes have been set already");
        return Err(bad(Class::ABI, text));
    }
    // SAFETY: pointers of the caller, not null; both values have the given size.
    let copy =
        |from: *mut c_void| unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size).to_vec() };
    booleans.insert(size, (copy(logical_true), copy(logical_false)));
    Ok(())
}
