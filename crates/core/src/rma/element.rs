//! What an accumulate works on: the elements' type and the operation (MPI 5.0, section 12.3.4).
//! Made by `abi` for each call, and by `serve.rs` from a message.

use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use starling_datatype::{Basic, Datatype};
use starling_op::{kernel, pair_kernel, Kernel, Op};
use std::rc::Rc;

/// An operation on elements of one predefined type, named or not.
pub struct Element {
    /// The operation.
    pub op: Op,
    /// The elements' type.
    pub ty: Rc<Datatype>,
    pub(super) kernel: Kernel,
    /// Bytes of an element that can change by an atomic operation of the processor, else 0.
    pub(super) unit: usize,
    /// Whether it is a sum of integers, for which there is an instruction.
    pub(super) adds: bool,
}

impl Element {
    /// The elements of a buffer of type `ty`, which may be derived.
    pub fn of(rank: &Rank, op: Op, ty: &Rc<Datatype>) -> Result<Element> {
        if let Some(basic) = ty.single_basic() {
            let kernel = kernel(op, basic).ok_or_else(|| undefined(op, basic.name()))?;
            let ty = rank.predefined_datatype(basic.abi_value()).expect("all are known");
            return Ok(Element::new(op, ty.clone(), kernel));
        }
        if let Some((value, index)) = ty.pair() {
            let kernel = match op {
                Op::Minloc | Op::Maxloc | Op::Replace | Op::NoOp => pair_kernel(op, value, index),
                _ => None,
            };
            let kernel = kernel.ok_or_else(|| undefined(op, "a pair of value and index"))?;
            return Ok(Element::new(op, ty.clone(), kernel));
        }
        let text = match ty.size() {
            0 => "the datatype holds no data".to_string(),
            _ => "the datatype has elements of several predefined types; accumulates need one"
                .to_string(),
        };
        Err(Error::new(Class::TYPE, text))
    }

    fn new(op: Op, ty: Rc<Datatype>, kernel: Kernel) -> Element {
        let dense = ty.size() == ty.extent();
        let unit = match ty.size() as usize {
            size @ (1 | 2 | 4 | 8) if dense => size,
            _ => 0,
        };
        use starling_datatype::Group::{CInteger, FortranInteger, MultiLanguage};
        let integer = ty
            .as_basic()
            .is_some_and(|b| matches!(b.group(), CInteger | FortranInteger | MultiLanguage));
        Element { op, ty, kernel, unit, adds: integer && op == Op::Sum }
    }

    /// Bytes of data in one element.
    pub fn size(&self) -> u64 {
        self.ty.size() as u64
    }

    /// Whether elements of it lie in memory without holes.
    pub(super) fn is_dense(&self) -> bool {
        self.ty.is_contiguous()
    }

    /// The two parts of its type, as ABI numbers, for a message; the second is 0 if it is no pair
    /// without a name.
    pub(super) fn code(&self) -> (u32, u32) {
        match (self.ty.as_basic(), self.ty.pair()) {
            (Some(basic), _) => (basic.abi_value(), 0),
            (None, Some((value, index))) => (value.abi_value(), index.abi_value()),
            (None, None) => (0, 0),
        }
    }

    /// The element of a message.
    pub(super) fn decode(rank: &Rank, op: u32, (value, index): (u32, u32)) -> Option<Element> {
        let op = Op::from_abi_value(op)?;
        let value = rank.predefined_datatype(value)?;
        let ty = match index {
            0 => value.clone(),
            _ => Datatype::value_index(value, rank.predefined_datatype(index)?)?,
        };
        Element::of(rank, op, &ty).ok()
    }

    /// Refuses a buffer whose elements are of another kind.
    pub fn require_same(&self, ty: &Datatype, whose: &str) -> Result<()> {
        let kind = |ty: &Datatype| match (ty.single_basic(), ty.pair()) {
            (Some(basic), _) => parts(basic),
            (None, Some((value, index))) => (Some(value.repr()), Some(index.repr())),
            _ => (None, None),
        };
        if ty.size() == 0 || kind(ty) == kind(&self.ty) {
            return Ok(());
        }
        let text = format!(
            "the {whose} datatype and the target's are not made of the same predefined datatype"
        );
        Err(Error::new(Class::TYPE, text))
    }
}

fn parts(basic: Basic) -> (Option<starling_datatype::Repr>, Option<starling_datatype::Repr>) {
    match basic.pair() {
        Some((value, index)) => (Some(value.repr()), Some(index.repr())),
        None => (Some(basic.repr()), None),
    }
}

#[cold]
fn undefined(op: Op, name: &str) -> Error {
    let text = format!("{} is not defined for {name} (section 6.9.2)", op.name());
    Error::new(Class::OP, text)
}
