//! Predefined types found by what they can hold: Fortran's by precision and range (MPI 5.0,
//! section 19.1.9), pairs by value and index (section 6.9.4). Those without a name get a handle at
//! the first use and keep it, so that the same question has the same answer.

use crate::datatype::{new_handle, refused};
use crate::decode::{bad, require, Extra};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::error::{Class, Result};
use starling_datatype::{Basic, Combiner, Datatype};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;
use std::rc::Rc;

/// What an unnamed type was asked for with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Real(Option<i32>, Option<i32>),
    Complex(Option<i32>, Option<i32>),
    Integer(i32),
    Pair(Basic, Basic),
}

impl Key {
    fn of(ty: &Datatype) -> Option<Key> {
        match ty.combiner() {
            Combiner::F90Real { precision, range } => Some(Key::Real(*precision, *range)),
            Combiner::F90Complex { precision, range } => Some(Key::Complex(*precision, *range)),
            Combiner::F90Integer { range } => Some(Key::Integer(*range)),
            Combiner::ValueIndex { .. } => ty.pair().map(|(value, index)| Key::Pair(value, index)),
            _ => None,
        }
    }
}

/// The handles given out so far.
#[derive(Default)]
struct Unnamed(RefCell<HashMap<Key, MPI_Datatype>>);

/// Whether it is a predefined type without a name.
pub(crate) fn is_unnamed(ty: &Datatype) -> bool {
    Key::of(ty).is_some()
}

/// The handle of a predefined type: the ABI's, or ours; `None` for derived types.
pub(crate) fn predefined_handle(call: &Call, ty: &Rc<Datatype>) -> Result<Option<MPI_Datatype>> {
    if let Some(basic) = ty.as_basic() {
        return Ok(Some(MPI_Datatype(basic.abi_value() as usize)));
    }
    let Some(key) = Key::of(ty) else { return Ok(None) };
    let unnamed = call.rank.extra(Unnamed::default);
    let known = unnamed.0.borrow().get(&key).copied();
    let handle = match known {
        Some(handle) => handle,
        None => new_handle(call, ty.clone())?,
    };
    unnamed.0.borrow_mut().insert(key, handle);
    Ok(Some(handle))
}

/// Gives the handle of a predefined type to the caller.
///
/// # Safety
/// `to` points to a handle of the caller.
unsafe fn give(call: &Call, ty: Rc<Datatype>, to: *mut MPI_Datatype) -> Result<()> {
    let handle = predefined_handle(call, &ty)?.expect("only called for predefined types");
    // SAFETY: the caller's contract.
    unsafe { *to = handle };
    Ok(())
}

fn given(value: c_int) -> Option<i32> {
    (value != MPI_UNDEFINED).then_some(value)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_f90_real(
    call: &Call,
    p: c_int,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let ty = Datatype::f90_real(given(p), given(r)).map_err(refused)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, ty, newtype) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_f90_complex(
    call: &Call,
    p: c_int,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let ty = Datatype::f90_complex(given(p), given(r)).map_err(refused)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, ty, newtype) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_create_f90_integer(
    call: &Call,
    r: c_int,
    newtype: *mut MPI_Datatype,
) -> Result<()> {
    require(newtype, "newtype")?;
    let ty = Datatype::f90_integer(r).map_err(refused)?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { give(call, ty, newtype) }
}

/// `MPI_DATATYPE_NULL` says that there is no such pair.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_get_value_index(
    call: &Call,
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: *mut MPI_Datatype,
) -> Result<()> {
    require(pair_type, "pair_type")?;
    let (value, index) = (call.datatype(value_type)?, call.datatype(index_type)?);
    // SAFETY: a pointer of the caller, not null.
    unsafe {
        match Datatype::value_index(&value, &index).and_then(|pair| pair.as_basic()) {
            Some(pair) => {
                *pair_type = MPI_Datatype(pair.abi_value() as usize);
                Ok(())
            }
            None => {
                *pair_type = MPI_DATATYPE_NULL;
                Ok(())
            }
        }
    }
}

const LOGICALS: [Basic; 5] =
    [Basic::Logical1, Basic::Logical2, Basic::Logical4, Basic::Logical8, Basic::Logical16];
const INTEGERS: [Basic; 5] =
    [Basic::Integer1, Basic::Integer2, Basic::Integer4, Basic::Integer8, Basic::Integer16];
const REALS: [Basic; 4] = [Basic::Real2, Basic::Real4, Basic::Real8, Basic::Real16];
const COMPLEXES: [Basic; 4] =
    [Basic::Complex4, Basic::Complex8, Basic::Complex16, Basic::Complex32];

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn type_match_size(
    _call: &Call,
    typeclass: c_int,
    size: c_int,
    datatype: *mut MPI_Datatype,
) -> Result<()> {
    require(datatype, "datatype")?;
    let (noun, candidates): (&str, &[Basic]) = match typeclass {
        MPI_TYPECLASS_INTEGER => ("integer", &INTEGERS),
        MPI_TYPECLASS_REAL => ("real", &REALS),
        MPI_TYPECLASS_COMPLEX => ("complex", &COMPLEXES),
        MPIX_TYPECLASS_LOGICAL => ("logical", &LOGICALS),
        _ => {
            let text = format!(
                "typeclass is {typeclass}; it must be MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL \
                 or MPI_TYPECLASS_COMPLEX"
            );
            return Err(bad(Class::ARG, text));
        }
    };
    let found = candidates.iter().find(|basic| basic.size() as i64 == i64::from(size));
    let Some(basic) = found else {
        let sizes: Vec<String> = candidates.iter().map(|b| b.size().to_string()).collect();
        let text = format!("there is no {noun} type of {size} bytes, but of {}", sizes.join(", "));
        return Err(bad(Class::ARG, text));
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *datatype = MPI_Datatype(basic.abi_value() as usize) };
    Ok(())
}
