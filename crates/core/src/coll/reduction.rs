//! What a reduction does to two buffers: a predefined operation on a predefined type (`op`), or a
//! user's function. Made by `abi`; run by the reducing collectives.

use super::Coll;
use crate::buffer::Data;
use crate::error::Result;
use starling_op::Op;

/// A user's function: input, inout, number of elements, C handle of the datatype.
pub type UserFunction = Box<dyn Fn(*const u8, *mut u8, i64, u32)>;

/// How the elements are combined.
pub enum Apply {
    /// A predefined operation.
    Builtin(Op),
    /// A user's.
    User(UserFunction),
}

/// An operation (`MPI_Op`).
pub struct Reduction {
    /// Whether `a op b == b op a`.
    pub commutative: bool,
    /// What it does.
    pub apply: Apply,
}

/// An operation together with the handle of the datatype it runs on.
#[derive(Clone)]
pub struct Reducer {
    /// The operation.
    pub op: std::rc::Rc<Reduction>,
    /// C handle of the datatype, for the user's function.
    pub datatype_handle: u32,
}

impl Reducer {
    /// Whether the order of operands is free.
    pub fn is_commutative(&self) -> bool {
        self.op.commutative
    }

    /// `inout = input op inout`, element by element (section 6.9.5: `input` is the left operand).
    ///
    /// # Safety
    /// Both hold `count` elements of the same type; `inout` is writable; they do not overlap.
    pub unsafe fn run(&self, input: &Data, inout: &Data) {
        if inout.count == 0 {
            return;
        }
        match &self.op.apply {
            Apply::Builtin(op) => {
                // The types of MPI_Type_create_f90_real and its like have no name of their own.
                let basic = inout.ty.as_basic().or_else(|| inout.ty.single_basic());
                let basic = basic.expect("checked when the call was decoded");
                let kernel = starling_op::kernel(*op, basic).expect("checked as well");
                // SAFETY: the caller's contract; the kernel is the one for this type.
                unsafe { kernel(input.addr, inout.addr, inout.count as usize) };
            }
            Apply::User(function) => {
                function(input.addr, inout.addr, inout.count, self.datatype_handle)
            }
        }
    }

    /// `value = left op value`, in the buffers of the collective `_c`.
    pub(super) fn prepend(&self, _c: &Coll, left: &Data, value: &Data) {
        // SAFETY: the contract of `Coll::new`; algorithms keep operands of one shape apart.
        unsafe { self.run(left, value) }
    }

    /// `value = value op right`; uses `right` up.
    pub(super) fn append(&self, c: &Coll, value: &Data, right: &Data) -> Result<()> {
        if self.is_commutative() {
            self.prepend(c, right, value);
            return Ok(());
        }
        self.prepend(c, value, right);
        c.copy(right, value)
    }
}
