//! Accumulates (MPI 5.0, sections 12.3.4 and 12.3.5): bodies of the chapter `rma`.

use crate::datatype;
use crate::decode::{bad, narrow, require};
use crate::entry::Call;
use crate::generated::constants::MPI_OP_NULL;
use crate::generated::types::*;
use crate::rma::{complete_request, shape, target};
use starling_core::buffer::Data;
use starling_core::error::{Class, Result};
use starling_core::rma::{Accumulate, Element, Win};
use starling_datatype::{Datatype, Group};
use starling_op::Op;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// A buffer argument: address, count, datatype.
type Argument = (*const c_void, i64, MPI_Datatype);

/// The target's arguments: rank, displacement, count, datatype.
type Target = (c_int, MPI_Aint, i64, MPI_Datatype);

/// The operation of a handle; only predefined ones can be used.
fn operation(op: MPI_Op) -> Result<Op> {
    Op::from_abi_value(narrow(op.0)).ok_or_else(|| {
        let what = if op == MPI_OP_NULL { "MPI_OP_NULL" } else { "not predefined" };
        let text = format!("the operation is {what}; accumulates take predefined ones (12.3.4)");
        bad(Class::OP, text)
    })
}

/// All accumulates with and without results.
///
/// # Safety
/// The arguments are those of the C caller.
unsafe fn combine(
    call: &Call,
    origin: Argument,
    result: Option<Argument>,
    there: Target,
    op: MPI_Op,
    win: MPI_Win,
    passive: bool,
) -> Result<()> {
    let win = call.win(win)?;
    let (rank, disp, count, datatype) = there;
    let rank = target(&win, rank)?;
    let op = operation(op)?;
    let shape = shape(call, count, datatype)?;
    let data = |(addr, count, datatype): Argument| call.data(addr, count, datatype);
    // Section 12.3.4: with MPI_NO_OP the arguments of the origin are ignored.
    let origin = if op == Op::NoOp { None } else { Some(data(origin)?) };
    let result = result.map(data).transpose()?;
    if shape.bytes() == 0 && origin.as_ref().is_none_or(|o| o.bytes() == 0) {
        return match rank {
            Some(target) => win.enter(call.rank, target, passive),
            None => Ok(()),
        };
    }
    let element = Element::of(call.rank, op, &shape.ty)?;
    for (data, whose) in [(&origin, "origin"), (&result, "result")] {
        if let Some(data) = data {
            element.require_same(&data.ty, whose)?;
        }
    }
    let Some(target) = rank else { return Ok(()) };
    win.enter(call.rank, target, passive)?;
    let there = win.target(target, disp as i64, shape)?;
    let what = Accumulate {
        element: &element,
        origin: origin.as_ref(),
        result: result.as_ref(),
        there: &there,
    };
    // SAFETY: the caller's buffers; synchronised by the user (section 12.7).
    unsafe { win.accumulate(call.rank, target, &what) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn accumulate(
    call: &Call,
    origin_addr: *const c_void,
    origin_count: i64,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: i64,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<()> {
    let origin = (origin_addr, origin_count, origin_datatype);
    let there = (target_rank, target_disp, target_count, target_datatype);
    // SAFETY: as for this function.
    unsafe { combine(call, origin, None, there, op, win, false) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn raccumulate(
    call: &Call,
    origin_addr: *const c_void,
    origin_count: i64,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: i64,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let origin = (origin_addr, origin_count, origin_datatype);
    let there = (target_rank, target_disp, target_count, target_datatype);
    // SAFETY: as for this function.
    unsafe {
        combine(call, origin, None, there, op, win, true)?;
        complete_request(call, request)
    }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn get_accumulate(
    call: &Call,
    origin_addr: *const c_void,
    origin_count: i64,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: i64,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: i64,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<()> {
    let origin = (origin_addr, origin_count, origin_datatype);
    let result = (result_addr.cast_const(), result_count, result_datatype);
    let there = (target_rank, target_disp, target_count, target_datatype);
    // SAFETY: as for this function.
    unsafe { combine(call, origin, Some(result), there, op, win, false) }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn rget_accumulate(
    call: &Call,
    origin_addr: *const c_void,
    origin_count: i64,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: i64,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: i64,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result<()> {
    require(request, "request")?;
    let origin = (origin_addr, origin_count, origin_datatype);
    let result = (result_addr.cast_const(), result_count, result_datatype);
    let there = (target_rank, target_disp, target_count, target_datatype);
    // SAFETY: as for this function.
    unsafe {
        combine(call, origin, Some(result), there, op, win, true)?;
        complete_request(call, request)
    }
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn fetch_and_op(
    call: &Call,
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> Result<()> {
    let ty = call.datatype(datatype)?;
    if !datatype::is_predefined(&ty) {
        let text = "MPI_Fetch_and_op takes predefined datatypes only; use MPI_Get_accumulate";
        return Err(bad(Class::TYPE, text));
    }
    let origin = (origin_addr, 1, datatype);
    let result = (result_addr.cast_const(), 1, datatype);
    let there = (target_rank, target_disp, 1, datatype);
    // SAFETY: as for this function.
    unsafe { combine(call, origin, Some(result), there, op, win, false) }
}

/// The types that can be compared and swapped (section 12.3.4).
fn require_comparable(ty: &Datatype) -> Result<()> {
    use Group::{Byte, CInteger, FortranInteger, Logical, MultiLanguage};
    let group = ty.as_basic().map(|basic| basic.group());
    match group {
        Some(CInteger | FortranInteger | Logical | MultiLanguage | Byte) => Ok(()),
        _ => {
            let text = "MPI_Compare_and_swap takes predefined integer, logical, multi-language \
                        and byte types only (section 12.3.4)";
            Err(bad(Class::TYPE, text))
        }
    }
}

/// One element for an operation that takes no counts.
fn one(call: &Call, addr: *const c_void, datatype: MPI_Datatype) -> Result<*const u8> {
    call.data(addr, 1, datatype).map(|data| data.addr.cast_const())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn compare_and_swap(
    call: &Call,
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> Result<()> {
    let win: Rc<Win> = call.win(win)?;
    let rank = target(&win, target_rank)?;
    let there: Data = shape(call, 1, datatype)?;
    require_comparable(&there.ty)?;
    let values = [one(call, origin_addr, datatype)?, one(call, compare_addr, datatype)?];
    let old = one(call, result_addr, datatype)?.cast_mut();
    let Some(target) = rank else { return Ok(()) };
    win.enter(call.rank, target, false)?;
    let there = win.target(target, target_disp as i64, there)?;
    let element = Element::of(call.rank, Op::Replace, &there.ty)?;
    // SAFETY: the caller's buffers; synchronised by the user (section 12.7).
    unsafe { win.compare_and_swap(call.rank, target, &element, values, old, &there) }
}
