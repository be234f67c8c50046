//! What a datatype looks like and how it was made (MPI 5.0, sections 5.1.7 to 5.1.13).

use crate::datatype::{new_handle, predefined_handle};
use crate::decode::{bad, require, Extra};
use crate::entry::Call;
use crate::generated::types::*;
use crate::ints::IntPtr;
use starling_core::error::{Class, Result};
use starling_core::rank::Rank;
use starling_datatype::{Combiner, Contents, Datatype};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::rc::{Rc, Weak};

/// The types made by large-count constructors, whose contents are counts (section 5.1.13). A weak
/// reference keeps an address from being used again while it is a key.
#[derive(Default)]
struct Large {
    types: RefCell<HashMap<*const Datatype, Weak<Datatype>>>,
    /// Dead ones are thrown out when there are this many.
    sweep_at: Cell<usize>,
}

fn large(rank: &Rank) -> Rc<Large> {
    rank.extra(Large::default)
}

/// Whether the procedure being called is a large-count variant.
fn is_large_call(call: &Call) -> bool {
    call.function.name.ends_with("_c")
}

/// Remembers a new type if a large-count constructor makes it.
pub(crate) fn note_large(call: &Call, ty: &Rc<Datatype>) {
    if !is_large_call(call) {
        return;
    }
    let large = large(call.rank);
    let mut types = large.types.borrow_mut();
    if types.len() >= large.sweep_at.get() {
        types.retain(|_, ty| ty.strong_count() > 0);
        large.sweep_at.set(64.max(2 * types.len()));
    }
    types.insert(Rc::as_ptr(ty), Rc::downgrade(ty));
}

fn is_large(call: &Call, ty: &Rc<Datatype>) -> bool {
    large(call.rank).types.borrow().contains_key(&Rc::as_ptr(ty))
}

fn require_int(pointer: IntPtr, name: &str) -> Result<()> {
    match pointer.is_null() {
        false => Ok(()),
        true => Err(bad(Class::ARG, format!("the argument {name} is a null pointer"))),
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_size(call: &Call, datatype: MPI_Datatype, size: IntPtr) -> Result<()> {
    require_int(size, "size")?;
    size.set(call.datatype(datatype)?.size());
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_size_x(
    call: &Call,
    datatype: MPI_Datatype,
    size: *mut MPI_Count,
) -> Result<()> {
    // SAFETY: a pointer of the caller.
    unsafe { type_size(call, datatype, IntPtr::i64(size)) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_extent(
    call: &Call,
    datatype: MPI_Datatype,
    lb: IntPtr,
    extent: IntPtr,
) -> Result<()> {
    require_int(lb, "lb")?;
    require_int(extent, "extent")?;
    let ty = call.datatype(datatype)?;
    lb.set(ty.lb());
    extent.set(ty.extent());
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_extent_x(
    call: &Call,
    datatype: MPI_Datatype,
    lb: *mut MPI_Count,
    extent: *mut MPI_Count,
) -> Result<()> {
    // SAFETY: pointers of the caller.
    unsafe { type_get_extent(call, datatype, IntPtr::i64(lb), IntPtr::i64(extent)) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_true_extent(
    call: &Call,
    datatype: MPI_Datatype,
    true_lb: IntPtr,
    true_extent: IntPtr,
) -> Result<()> {
    require_int(true_lb, "true_lb")?;
    require_int(true_extent, "true_extent")?;
    let ty = call.datatype(datatype)?;
    true_lb.set(ty.true_lb());
    true_extent.set(ty.true_extent());
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_true_extent_x(
    call: &Call,
    datatype: MPI_Datatype,
    true_lb: *mut MPI_Count,
    true_extent: *mut MPI_Count,
) -> Result<()> {
    // SAFETY: pointers of the caller.
    unsafe { type_get_true_extent(call, datatype, IntPtr::i64(true_lb), IntPtr::i64(true_extent)) }
}

/// The arguments a type was made with, as the procedure being called can return them.
fn contents(call: &Call, ty: &Rc<Datatype>) -> Result<Contents> {
    let contents = ty.combiner().contents(is_large(call, ty));
    if contents.large_counts.is_empty() || is_large_call(call) {
        return Ok(contents);
    }
    let name = call.function.name;
    let text = format!(
        "the datatype was made by a large-count procedure, whose arguments {name} can not return; \
         call {name}_c"
    );
    Err(bad(Class::TYPE, text))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_envelope(
    call: &Call,
    datatype: MPI_Datatype,
    num_integers: IntPtr,
    num_addresses: IntPtr,
    num_large_counts: IntPtr,
    num_datatypes: IntPtr,
    combiner: *mut c_int,
) -> Result<()> {
    require_int(num_integers, "num_integers")?;
    require_int(num_addresses, "num_addresses")?;
    require_int(num_datatypes, "num_datatypes")?;
    require(combiner, "combiner")?;
    if is_large_call(call) {
        require_int(num_large_counts, "num_large_counts")?;
    }
    let ty = call.datatype(datatype)?;
    let contents = contents(call, &ty)?;
    num_integers.set(contents.integers.len() as i64);
    num_addresses.set(contents.addresses.len() as i64);
    if !num_large_counts.is_null() {
        num_large_counts.set(contents.large_counts.len() as i64);
    }
    num_datatypes.set(contents.datatypes.len() as i64);
    // SAFETY: a pointer of the caller, not null.
    unsafe { *combiner = ty.combiner().abi_value() };
    Ok(())
}

/// Refuses arrays that are too short or missing.
fn check_room(what: &str, has: usize, max: i64, is_null: bool) -> Result<()> {
    if max < has as i64 {
        let text = format!(
            "max_{what} is {max}, but there are {has}; ask MPI_Type_get_envelope for the numbers"
        );
        return Err(bad(Class::ARG, text));
    }
    if has > 0 && is_null {
        return Err(bad(Class::ARG, format!("array_of_{what} is a null pointer")));
    }
    Ok(())
}

/// Derived inner types come back under new handles, which the caller frees.
///
/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn type_get_contents(
    call: &Call,
    datatype: MPI_Datatype,
    max_integers: i64,
    max_addresses: i64,
    max_large_counts: i64,
    max_datatypes: i64,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut MPI_Aint,
    array_of_large_counts: IntPtr,
    array_of_datatypes: *mut MPI_Datatype,
) -> Result<()> {
    let ty = call.datatype(datatype)?;
    if let Combiner::Named(basic) = ty.combiner() {
        let text = format!("{} is predefined and has no contents", basic.name());
        return Err(bad(Class::TYPE, text));
    }
    let contents = contents(call, &ty)?;
    let Contents { integers, addresses, large_counts, datatypes } = &contents;
    check_room("integers", integers.len(), max_integers, array_of_integers.is_null())?;
    check_room("addresses", addresses.len(), max_addresses, array_of_addresses.is_null())?;
    let no_array = array_of_large_counts.is_null();
    check_room("large_counts", large_counts.len(), max_large_counts, no_array)?;
    check_room("datatypes", datatypes.len(), max_datatypes, array_of_datatypes.is_null())?;
    // SAFETY: arrays of the caller, as long as it said, which is long enough.
    unsafe {
        for (i, value) in integers.iter().enumerate() {
            // They were `int` when the type was made.
            array_of_integers.add(i).write_unaligned(*value as c_int);
        }
        for (i, value) in addresses.iter().enumerate() {
            array_of_addresses.add(i).write_unaligned(*value as MPI_Aint);
        }
        for (i, inner) in datatypes.iter().enumerate() {
            let handle = match predefined_handle(call, inner)? {
                Some(handle) => handle,
                None => new_handle(call, inner.clone())?,
            };
            array_of_datatypes.add(i).write_unaligned(handle);
        }
    }
    for (i, value) in large_counts.iter().enumerate() {
        array_of_large_counts.set_at(i, *value);
    }
    Ok(())
}
