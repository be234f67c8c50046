//! Predefined reductions over basic types (section 6.9.2).
//!
//! Called by the reducing collectives and by accumulate of `core`. It relies on `datatype` for the
//! predefined types and knows nothing else of MPI. [`kernel`] answers once per call of an MPI
//! function; the loop it returns works on any alignment.
//!
//! | file | operations |
//! |---|---|
//! | `arithmetic.rs` | sum, product |
//! | `extreme.rs` | minimum, maximum |
//! | `bitwise.rs`, `logical.rs` | and, or, exclusive or |
//! | `location.rs` | minimum and maximum with their place |
//! | `replace.rs` | replace, no operation |
//! | `lanes.rs` | the loop of them all, for several instruction sets |
//! | `half_precision.rs`, `extended.rs`, `binary128.rs` | numbers that Rust has no type for |

mod arithmetic;
mod binary128;
mod bitwise;
mod extended;
mod extreme;
mod half_precision;
mod lanes;
mod location;
mod logical;
mod replace;

use starling_datatype::{Basic, Group};

/// A predefined operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `MPI_SUM`
    Sum,
    /// `MPI_MIN`
    Min,
    /// `MPI_MAX`
    Max,
    /// `MPI_PROD`
    Prod,
    /// `MPI_BAND`
    Band,
    /// `MPI_BOR`
    Bor,
    /// `MPI_BXOR`
    Bxor,
    /// `MPI_LAND`
    Land,
    /// `MPI_LOR`
    Lor,
    /// `MPI_LXOR`
    Lxor,
    /// `MPI_MINLOC`
    Minloc,
    /// `MPI_MAXLOC`
    Maxloc,
    /// `MPI_REPLACE`
    Replace,
    /// `MPI_NO_OP`
    NoOp,
}

/// Computes `inout[i] = input[i] op inout[i]` for `n` elements, the extent of the type apart; the
/// input is the left operand. Neither pointer needs any alignment.
///
/// # Safety
/// `input` is valid for reads and `inout` for reads and writes of `n` elements. The two are either
/// the same or do not overlap.
pub type Kernel = unsafe fn(input: *const u8, inout: *mut u8, n: usize);

impl Op {
    /// All operations, in the order of their ABI numbers.
    pub const ALL: &'static [Op] = &[
        Op::Sum,
        Op::Min,
        Op::Max,
        Op::Prod,
        Op::Band,
        Op::Bor,
        Op::Bxor,
        Op::Land,
        Op::Lor,
        Op::Lxor,
        Op::Minloc,
        Op::Maxloc,
        Op::Replace,
        Op::NoOp,
    ];

    /// The standard's name, for example `MPI_SUM`.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Sum => "MPI_SUM",
            Op::Min => "MPI_MIN",
            Op::Max => "MPI_MAX",
            Op::Prod => "MPI_PROD",
            Op::Band => "MPI_BAND",
            Op::Bor => "MPI_BOR",
            Op::Bxor => "MPI_BXOR",
            Op::Land => "MPI_LAND",
            Op::Lor => "MPI_LOR",
            Op::Lxor => "MPI_LXOR",
            Op::Minloc => "MPI_MINLOC",
            Op::Maxloc => "MPI_MAXLOC",
            Op::Replace => "MPI_REPLACE",
            Op::NoOp => "MPI_NO_OP",
        }
    }

    /// The number of the handle in the ABI, for example `0x21`.
    pub const fn abi_value(self) -> u32 {
        match self {
            Op::Sum => 0x21,
            Op::Min => 0x22,
            Op::Max => 0x23,
            Op::Prod => 0x24,
            Op::Band => 0x28,
            Op::Bor => 0x29,
            Op::Bxor => 0x2a,
            Op::Land => 0x30,
            Op::Lor => 0x31,
            Op::Lxor => 0x32,
            Op::Minloc => 0x38,
            Op::Maxloc => 0x39,
            Op::Replace => 0x3c,
            Op::NoOp => 0x3d,
        }
    }

    /// The operation with this number in the ABI.
    pub fn from_abi_value(value: u32) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.abi_value() == value)
    }

    /// Whether operands may be exchanged. All are, but for the two that only accumulate accepts.
    pub const fn is_commutative(self) -> bool {
        !matches!(self, Op::Replace | Op::NoOp)
    }

    /// Whether section 6.9.2 (or, for the last two, section 12.3.4) defines it on this type.
    ///
    /// The standard leaves `MPI_CHAR` out, for it stands for characters; the other libraries take
    /// it as a small integer, and programs (OSU's accumulate benchmarks) rely on that.
    pub const fn accepts(self, basic: Basic) -> bool {
        use Group::{Byte, CInteger, Complex, FloatingPoint, FortranInteger, Logical};
        use Group::{MultiLanguage, Pair};
        let group = arithmetic_twin(basic).group();
        match self {
            Op::Min | Op::Max => {
                matches!(group, CInteger | FortranInteger | FloatingPoint | MultiLanguage)
            }
            Op::Sum | Op::Prod => {
                let integer = matches!(group, CInteger | FortranInteger | MultiLanguage);
                integer || matches!(group, FloatingPoint | Complex)
            }
            Op::Band | Op::Bor | Op::Bxor => {
                matches!(group, CInteger | FortranInteger | MultiLanguage | Byte)
            }
            Op::Land | Op::Lor | Op::Lxor => matches!(group, CInteger | Logical),
            Op::Minloc | Op::Maxloc => matches!(group, Pair),
            Op::Replace | Op::NoOp => true,
        }
    }
}

/// The type as which reductions take `basic`.
const fn arithmetic_twin(basic: Basic) -> Basic {
    match basic {
        Basic::Char => Basic::SignedChar,
        other => other,
    }
}

/// The loop for this operation on this type; `None` where the standard does not define it.
pub fn kernel(op: Op, basic: Basic) -> Option<Kernel> {
    if !op.accepts(basic) {
        return None;
    }
    if let Some((value, index)) = basic.pair() {
        return pair_kernel(op, value, index);
    }
    let repr = arithmetic_twin(basic).repr();
    match op {
        Op::Sum => arithmetic::sum(repr),
        Op::Prod => arithmetic::product(repr),
        Op::Min => extreme::minimum(repr),
        Op::Max => extreme::maximum(repr),
        Op::Band | Op::Bor | Op::Bxor => bitwise::kernel(op, repr.size()),
        Op::Land | Op::Lor | Op::Lxor => logical::kernel(op, repr.size()),
        Op::Replace => replace::kernel(repr.size()),
        Op::NoOp => Some(replace::nothing),
        Op::Minloc | Op::Maxloc => None,
    }
}

/// The loop for `MPI_MINLOC`, `MPI_MAXLOC`, `MPI_REPLACE` or `MPI_NO_OP` on pairs of these types,
/// which lie as a C struct of the two. Serves the pair types, named or not.
pub fn pair_kernel(op: Op, value: Basic, index: Basic) -> Option<Kernel> {
    match op {
        Op::NoOp => Some(replace::nothing),
        _ => location::kernel(op, value.repr(), index.repr()),
    }
}
