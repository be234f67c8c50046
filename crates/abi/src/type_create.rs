//! The constructors of derived datatypes (MPI 5.0, section 5.1). The engine checks the arguments;
//! here they are read from the caller's arrays, and the new type gets its handle.

use crate::datatype::{new_handle, note_large, refused};
use crate::decode::{bad, require};
use crate::entry::Call;
use crate::generated::types::*;
use crate::ints::IntArray;
use starling_core::error::{Class, Error, Result};
use starling_datatype::{Datatype, Distribution, Order, TypeError};
use std::ffi::c_int;
use std::rc::Rc;

/// Gives a new type to the caller.
///
/// # Safety
/// `newtype` points to a handle of the caller.
unsafe fn give(
    call: &Call,
    built: std::result::Result<Rc<Datatype>, TypeError>,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    let ty = built.map_err(refused)?;
    note_large(call, &ty);
    let handle = new_handle(call, ty)?;
    // SAFETY: the caller's contract.
    unsafe { *newtype = handle };
    Ok(())
}

/// A number of array elements.
fn length(value: i64, name: &str, class: Class) -> Result<usize> {
    usize::try_from(value)
        .map_err(|_| bad(class, format!("{name} is {value}; it must not be negative")))
}

/// Room for `n` elements that the caller says it has.
fn room<T>(n: usize, name: &str) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(|_| {
        let text = format!("{name} has {n} elements, which do not fit in memory");
        bad(Class::NO_MEM, text)
    })?;
    Ok(values)
}

/// The `n` elements of an array.
fn read(array: IntArray, n: usize, name: &str) -> Result<Vec<i64>> {
    if n > 0 && array.is_null() {
        return Err(bad(Class::ARG, format!("{name} is a null pointer")));
    }
    let mut values = room(n, name)?;
    values.extend((0..n).map(|i| array.get(i)));
    Ok(values)
}

/// The `n` elements of an array that is `int` in every variant.
///
/// # Safety
/// `array` is null or has that many elements.
unsafe fn read_int(array: *const c_int, n: usize, name: &str) -> Result<Vec<i64>> {
    // SAFETY: the caller's contract.
    read(unsafe { IntArray::i32(array) }, n, name)
}

fn order_of(order: c_int) -> Result<Order> {
    Order::from_abi_value(order).ok_or_else(|| {
        let text = format!("order is {order}; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN");
        bad(Class::ARG, text)
    })
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_contiguous(
    call: &Call,
    count: i64,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let old = call.datatype(oldtype)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Datatype::contiguous(count, &old), newtype) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_vector(
    call: &Call,
    count: i64,
    blocklength: i64,
    stride: i64,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let old = call.datatype(oldtype)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Datatype::vector(count, blocklength, stride, &old), newtype) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_hvector(
    call: &Call,
    count: i64,
    blocklength: i64,
    stride: i64,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let old = call.datatype(oldtype)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Datatype::hvector(count, blocklength, stride, &old), newtype) }
}

macro_rules! indexed {
    ($($body:ident, $construct:ident;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $body(
            call: &Call,
            count: i64,
            array_of_blocklengths: IntArray,
            array_of_displacements: IntArray,
            oldtype: MPI_Datatype,
            newtype: *mut MPI_Datatype,
        ) -> Result<()> {
            require(newtype, "newtype")?;
            let n = length(count, "count", Class::COUNT)?;
            let lengths = read(array_of_blocklengths, n, "array_of_blocklengths")?;
            let places = read(array_of_displacements, n, "array_of_displacements")?;
            let old = call.datatype(oldtype)?;
            // SAFETY: a pointer of the caller, not null.
            unsafe { give(call, Datatype::$construct(&lengths, &places, &old), newtype) }
        }
    )* };
}

indexed! {
    type_indexed, indexed;
    type_create_hindexed, hindexed;
}

macro_rules! blocks {
    ($($body:ident, $construct:ident;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        pub(crate) unsafe fn $body(
            call: &Call,
            count: i64,
            blocklength: i64,
            array_of_displacements: IntArray,
            oldtype: MPI_Datatype,
            newtype: *mut MPI_Datatype,
        ) -> Result<()> {
            require(newtype, "newtype")?;
            let n = length(count, "count", Class::COUNT)?;
            let places = read(array_of_displacements, n, "array_of_displacements")?;
            let old = call.datatype(oldtype)?;
            // SAFETY: a pointer of the caller, not null.
            unsafe { give(call, Datatype::$construct(blocklength, &places, &old), newtype) }
        }
    )* };
}

blocks! {
    type_create_indexed_block, indexed_block;
    type_create_hindexed_block, hindexed_block;
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_struct(
    call: &Call,
    count: i64,
    array_of_blocklengths: IntArray,
    array_of_displacements: IntArray,
    array_of_types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let n = length(count, "count", Class::COUNT)?;
    let lengths = read(array_of_blocklengths, n, "array_of_blocklengths")?;
    let places = read(array_of_displacements, n, "array_of_displacements")?;
    if n > 0 {
        require(array_of_types, "array_of_types")?;
    }
    let mut types = room(n, "array_of_types")?;
    for i in 0..n {
        // SAFETY: an array of the caller, not null, with `count` elements.
        let handle = unsafe { array_of_types.add(i).read_unaligned() };
        types.push(call.datatype(handle).map_err(|error| in_array(i, &error))?);
    }
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Datatype::structured(&lengths, &places, &types), newtype) }
}

#[cold]
fn in_array(i: usize, error: &Error) -> Error {
    bad(error.class(), format!("array_of_types[{i}]: {}", error.text()))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_resized(
    call: &Call,
    oldtype: MPI_Datatype,
    lb: i64,
    extent: i64,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let old = call.datatype(oldtype)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Datatype::resized(lb, extent, &old), newtype) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn type_create_subarray(
    call: &Call,
    ndims: c_int,
    array_of_sizes: IntArray,
    array_of_subsizes: IntArray,
    array_of_starts: IntArray,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let n = length(ndims.into(), "ndims", Class::DIMS)?;
    let sizes = read(array_of_sizes, n, "array_of_sizes")?;
    let parts = read(array_of_subsizes, n, "array_of_subsizes")?;
    let starts = read(array_of_starts, n, "array_of_starts")?;
    let order = order_of(order)?;
    let old = call.datatype(oldtype)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, Datatype::subarray(&sizes, &parts, &starts, order, &old), newtype) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn type_create_darray(
    call: &Call,
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: IntArray,
    array_of_distribs: *const c_int,
    array_of_dargs: *const c_int,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let n = length(ndims.into(), "ndims", Class::DIMS)?;
    let global = read(array_of_gsizes, n, "array_of_gsizes")?;
    // SAFETY: arrays of the caller.
    let (distribs, dargs, grid) = unsafe {
        (
            read_int(array_of_distribs, n, "array_of_distribs")?,
            read_int(array_of_dargs, n, "array_of_dargs")?,
            read_int(array_of_psizes, n, "array_of_psizes")?,
        )
    };
    let distribs = distribs.iter().enumerate().map(|(i, value)| distribution(i, *value));
    let distribs = distribs.collect::<Result<Vec<_>>>()?;
    let order = order_of(order)?;
    let old = call.datatype(oldtype)?;
    let (size, rank) = (size.into(), rank.into());
    let built = Datatype::darray(size, rank, &global, &distribs, &dargs, &grid, order, &old);
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, built, newtype) }
}

fn distribution(i: usize, value: i64) -> Result<Distribution> {
    let known = i32::try_from(value).ok().and_then(Distribution::from_abi_value);
    known.ok_or_else(|| {
        let text = format!(
            "array_of_distribs[{i}] is {value}; it must be MPI_DISTRIBUTE_NONE, \
             MPI_DISTRIBUTE_BLOCK or MPI_DISTRIBUTE_CYCLIC"
        );
        bad(Class::ARG, text)
    })
}
