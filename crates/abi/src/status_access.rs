//! What a status says, and setting it (MPI 5.0, sections 3.2.5, 5.1.11 and 13.3): bodies of the
//! chapter `request`.

use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::ints::IntPtr;
use crate::status;
use starling_core::error::{Class, Result};
use starling_datatype::{Datatype, Elements};
use std::ffi::c_int;

fn require_count(count: IntPtr) -> Result<()> {
    match count.is_null() {
        true => Err(bad(Class::ARG, "the argument count is a null pointer")),
        false => Ok(()),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_count(
    call: &Call,
    of: *const MPI_Status,
    datatype: MPI_Datatype,
    count: IntPtr,
) -> Result<()> {
    require(of, "status")?;
    require_count(count)?;
    let ty = call.datatype(datatype)?;
    // SAFETY: a status of the caller, not null.
    let bytes = unsafe { status::bytes(of) };
    let size = ty.size() as u64;
    count.set(match (bytes, size) {
        (0, _) => 0,
        (_, 0) => MPI_UNDEFINED as i64,
        (bytes, size) if bytes % size == 0 => (bytes / size) as i64,
        _ => MPI_UNDEFINED as i64,
    });
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_elements(
    call: &Call,
    of: *const MPI_Status,
    datatype: MPI_Datatype,
    count: IntPtr,
) -> Result<()> {
    require(of, "status")?;
    require_count(count)?;
    let ty = call.datatype(datatype)?;
    // SAFETY: a status of the caller, not null.
    let bytes = unsafe { status::bytes(of) };
    count.set(match ty.elements(bytes as i64) {
        Elements::Whole(n) => n,
        Elements::Partial(_) => MPI_UNDEFINED as i64,
    });
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn get_elements_x(
    call: &Call,
    of: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { get_elements(call, of, datatype, IntPtr::i64(count)) }
}

/// Packed bytes of the first `count` basic elements of a message of type `ty`.
fn bytes_of_elements(ty: &Datatype, count: i64) -> u64 {
    let each = ty.signature_count().max(1);
    let mut bytes = (count / each * ty.size()) as u64;
    let mut rest = (count % each) as u64;
    for (basic, n) in ty.signature_runs() {
        bytes += basic.size() as u64 * rest.min(n);
        rest -= rest.min(n);
    }
    bytes
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn status_set_elements(
    call: &Call,
    of: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: i64,
) -> Result<()> {
    require(of, "status")?;
    let ty = call.datatype(datatype)?;
    if count < 0 {
        return Err(bad(Class::COUNT, format!("the number of elements is {count}")));
    }
    // SAFETY: a status of the caller, not null.
    unsafe { status::set_bytes(of, bytes_of_elements(&ty, count)) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn status_set_elements_x(
    call: &Call,
    of: *mut MPI_Status,
    datatype: MPI_Datatype,
    count: MPI_Count,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { status_set_elements(call, of, datatype, count) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn status_set_cancelled(
    _call: &Call,
    of: *mut MPI_Status,
    flag: c_int,
) -> Result<()> {
    require(of, "status")?;
    // SAFETY: a status of the caller, not null.
    unsafe { status::set_cancelled(of, flag != 0) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn test_cancelled(
    _call: &Call,
    of: *const MPI_Status,
    flag: *mut c_int,
) -> Result<()> {
    require(of, "status")?;
    require(flag, "flag")?;
    // SAFETY: pointers of the caller, not null.
    unsafe { *flag = status::is_cancelled(of) as c_int };
    Ok(())
}

macro_rules! fields {
    ($($get:ident, $set:ident, $field:ident, $name:literal;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $get(
            _call: &Call,
            of: *const MPI_Status,
            value: *mut c_int,
        ) -> Result<()> {
            require(of, "status")?;
            require(value, $name)?;
            // SAFETY: pointers of the caller, not null.
            unsafe { *value = (*of).$field };
            Ok(())
        }

        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $set(
            _call: &Call,
            of: *mut MPI_Status,
            value: c_int,
        ) -> Result<()> {
            require(of, "status")?;
            // SAFETY: a status of the caller, not null.
            unsafe { (*of).$field = value };
            Ok(())
        }
    )* };
}

fields! {
    status_get_source, status_set_source, MPI_SOURCE, "source";
    status_get_tag, status_set_tag, MPI_TAG, "tag";
    status_get_error, status_set_error, MPI_ERROR, "error";
}
