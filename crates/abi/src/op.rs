//! Operations (MPI 5.0, section 6.9.5) and `MPI_Reduce_local`. [`reducer`] joins an operation and
//! a datatype for all reducing calls.

use crate::datatype;
use crate::decode::{bad, insert, invalid_handle, look_up, narrow, null_handle, require};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::coll::reduction::{Apply, Reducer, Reduction};
use starling_core::error::{Class, Error, Result};
use starling_core::handle::Kind;
use starling_core::rank::Rank;
use starling_datatype::{Combiner, Datatype};
use starling_op::{kernel, pair_kernel, Kernel, Op};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// The operation of a handle, ready to run on `datatype`, whose object is `ty`. Refuses what
/// section 6.9.2 does not define.
pub(crate) fn reducer(
    call: &Call,
    op: MPI_Op,
    datatype: MPI_Datatype,
    ty: &Rc<Datatype>,
) -> Result<Reducer> {
    let op = match Op::from_abi_value(narrow(op.0)) {
        Some(builtin) => Rc::new(predefined(call, builtin, datatype, ty)?),
        None => {
            let op = find(call, op)?;
            match datatype::is_predefined(ty) {
                true => op,
                false => Rc::new(keeping_type(call.rank, op, ty.clone())),
            }
        }
    };
    Ok(Reducer { op, datatype_handle: narrow(datatype.0) })
}

fn find(call: &Call, op: MPI_Op) -> Result<Rc<Reduction>> {
    match op {
        MPI_OP_NULL => Err(null_handle(Class::OP, "MPI_OP_NULL")),
        _ => look_up(&call.rank.ops.borrow(), op.0, Kind::Op, Class::OP),
    }
}

/// A predefined operation on a predefined type, with or without a name.
fn predefined(call: &Call, op: Op, datatype: MPI_Datatype, ty: &Datatype) -> Result<Reduction> {
    if matches!(op, Op::Replace | Op::NoOp) {
        let text = format!("{} is for accumulating into windows, not for reductions", op.name());
        return Err(bad(Class::OP, text));
    }
    let undefined = || undefined(call, op, datatype);
    let apply = match (ty.as_basic(), ty.combiner()) {
        (Some(basic), _) => {
            kernel(op, basic).ok_or_else(undefined)?;
            Apply::Builtin(op)
        }
        (None, Combiner::F90Real { .. } | Combiner::F90Complex { .. })
        | (None, Combiner::F90Integer { .. }) => {
            let basic = ty.single_basic().ok_or_else(undefined)?;
            by_kernel(kernel(op, basic).ok_or_else(undefined)?)
        }
        (None, Combiner::ValueIndex { .. }) if matches!(op, Op::Minloc | Op::Maxloc) => {
            let (value, index) = ty.pair().ok_or_else(undefined)?;
            by_kernel(pair_kernel(op, value, index).ok_or_else(undefined)?)
        }
        _ => return Err(undefined()),
    };
    Ok(Reduction { commutative: op.is_commutative(), apply })
}

/// The engine finds kernels for types with a name only; those of the others come along.
fn by_kernel(kernel: Kernel) -> Apply {
    Apply::User(Box::new(move |input, inout, count, _| {
        // SAFETY: the kernel is the one for the type; `Reducer::run` passes two ranges of that
        // many of its elements.
        unsafe { kernel(input, inout, count as usize) }
    }))
}

#[cold]
fn undefined(call: &Call, op: Op, datatype: MPI_Datatype) -> Error {
    let name = datatype::title(call, datatype);
    let text = format!("{} is not defined for {name} (section 6.9.2)", op.name());
    let advice = match narrow(datatype.0) {
        0x200..=0x2ff => "",
        _ => "; for derived datatypes make an operation with MPI_Op_create",
    };
    bad(Class::OP, format!("{text}{advice}"))
}

/// A user's operation on a derived type. The user may free the type while the reduction is on its
/// way (section 5.1.9), and its function may still ask MPI about it: then it gets a handle for as
/// long as it runs.
fn keeping_type(rank: &'static Rank, op: Rc<Reduction>, ty: Rc<Datatype>) -> Reduction {
    let commutative = op.commutative;
    let apply = Apply::User(Box::new(move |input, inout, count, handle| {
        let Apply::User(function) = &op.apply else { return };
        let is_alive = rank.datatypes.borrow().get(handle).is_ok_and(|t| Rc::ptr_eq(t, &ty));
        if is_alive {
            return function(input, inout, count, handle);
        }
        let lent = rank.datatypes.borrow_mut().insert(ty.clone());
        function(input, inout, count, lent.unwrap_or(handle));
        if let Some(lent) = lent {
            // Should the user have freed it, it is gone already.
            let _ = rank.datatypes.borrow_mut().remove(lent);
        }
    }));
    Reduction { commutative, apply }
}

/// Calls a `MPI_User_function`, whose length is an `int`, as often as it takes.
///
/// # Safety
/// `function` is the address of one; both buffers hold `count` elements of `datatype`.
unsafe fn call_plain(
    rank: &Rank,
    function: MPI_User_function,
    input: *const u8,
    inout: *mut u8,
    count: i64,
    datatype: u32,
) {
    let extent = match rank.predefined_datatype(datatype) {
        Some(ty) => ty.extent(),
        None => rank.datatypes.borrow().get(datatype).map_or(0, |ty| ty.extent()),
    };
    let mut done = 0;
    while done < count {
        let mut len = c_int::try_from(count - done).unwrap_or(c_int::MAX);
        let piece = i64::from(len);
        let offset = (done * extent) as isize;
        let mut handle = MPI_Datatype(datatype as usize);
        // SAFETY: the caller's contract; the piece lies inside the buffers.
        unsafe {
            let input = input.wrapping_offset(offset).cast_mut();
            let inout = inout.wrapping_offset(offset);
            function.function()(input.cast(), inout.cast(), &mut len, &mut handle);
        }
        done += piece;
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn op_create(
    call: &Call,
    user_fn: usize,
    commute: c_int,
    op: *mut MPI_Op,
    large: bool,
) -> Result<()> {
    require(op, "op")?;
    require(user_fn as *const c_void, "user_fn")?;
    let rank = call.rank;
    let apply = Apply::User(match large {
        true => Box::new(move |input, inout, count, datatype| {
            let (mut len, mut handle) = (count, MPI_Datatype(datatype as usize));
            let function = MPI_User_function_c(user_fn);
            // SAFETY: the user promised a function of this type; `Reducer::run` passes buffers of
            // that many elements.
            unsafe {
                let input = input.cast_mut().cast();
                function.function()(input, inout.cast(), &mut len, &mut handle);
            }
        }),
        false => Box::new(move |input, inout, count, datatype| {
            let function = MPI_User_function(user_fn);
            // SAFETY: as above.
            unsafe { call_plain(rank, function, input, inout, count, datatype) }
        }),
    });
    let new = Rc::new(Reduction { commutative: commute != 0, apply });
    let handle = insert(&call.rank.ops, new, "operations")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *op = MPI_Op(handle as usize) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn op_free(call: &Call, op: *mut MPI_Op) -> Result<()> {
    require(op, "op")?;
    // SAFETY: a pointer of the caller, not null.
    let handle = unsafe { *op };
    if handle == MPI_OP_NULL {
        return Err(null_handle(Class::OP, "MPI_OP_NULL"));
    }
    if let Some(builtin) = Op::from_abi_value(narrow(handle.0)) {
        let text = format!("{} is predefined and can not be freed", builtin.name());
        return Err(bad(Class::OP, text));
    }
    let removed = call.rank.ops.borrow_mut().remove(narrow(handle.0));
    removed.map_err(|why| invalid_handle(Class::OP, Kind::Op, handle.0, why))?;
    // SAFETY: as above.
    unsafe { *op = MPI_OP_NULL };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn op_commutative(call: &Call, op: MPI_Op, commute: *mut c_int) -> Result<()> {
    require(commute, "commute")?;
    let commutes = match Op::from_abi_value(narrow(op.0)) {
        Some(builtin) => builtin.is_commutative(),
        None => find(call, op)?.commutative,
    };
    // SAFETY: a pointer of the caller, not null.
    unsafe { *commute = commutes as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn reduce_local(
    call: &Call,
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: i64,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<()> {
    let input = call.data(inbuf, count, datatype)?;
    let inout = call.data(inoutbuf, count, datatype)?;
    let reducer = reducer(call, op, datatype, &inout.ty)?;
    if count > 0 && inout.ty.size() > 0 && inbuf == inoutbuf {
        let text = "inbuf and inoutbuf are the same; a reduction needs two buffers";
        return Err(bad(Class::BUFFER, text));
    }
    // SAFETY: the caller's buffers hold that many elements, and they do not overlap (6.9.7).
    unsafe { reducer.run(&input, &inout) };
    Ok(())
}
