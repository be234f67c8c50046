//! The basic elements of a type with their places.
//!
//! Used where bytes are not enough: reductions on derived types in accumulate, and external32.
//! Types whose elements are all alike follow the compiled plan; the others their constructors.

use std::rc::Rc;

use crate::walk::{walk, Visit};
use crate::{Basic, Combiner, Datatype};

/// `count` elements of `basic` from `offset` on, one extent of `basic` after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Bytes from the buffer argument.
    pub offset: i64,
    /// The predefined type.
    pub basic: Basic,
    /// Elements, at least 1.
    pub count: u64,
}

/// Turns blocks of a type with a single basic type into leaves.
struct Homogeneous<'a> {
    basic: Basic,
    visit: &'a mut dyn FnMut(Leaf),
}

impl Visit for Homogeneous<'_> {
    fn block(&mut self, addr: usize, len: usize) -> bool {
        let count = (len / self.basic.size()) as u64;
        (self.visit)(Leaf { offset: addr as i64, basic: self.basic, count });
        true
    }

    fn strided(&mut self, addr: usize, len: usize, stride: isize, count: usize) -> bool {
        let mut addr = addr;
        for _ in 0..count {
            self.block(addr, len);
            addr = addr.wrapping_add_signed(stride);
        }
        true
    }

    fn indexed(&mut self, addr: usize, len: usize, displs: &[i64]) -> bool {
        displs.iter().all(|displ| self.block(addr.wrapping_add_signed(*displ as isize), len))
    }

    fn ragged(&mut self, addr: usize, displs: &[i64], ends: &[u64], start: u64) -> bool {
        let mut start = start;
        displs.iter().zip(ends).all(|(displ, end)| {
            let len = (end - start) as usize;
            start = *end;
            self.block(addr.wrapping_add_signed(*displ as isize), len)
        })
    }
}

impl Datatype {
    /// Calls `visit` for the basic elements of one element of this type, in packing order and in
    /// runs. A pair type is one basic element here. Costs time in the number of runs.
    pub fn for_each_leaf(&self, visit: &mut dyn FnMut(Leaf)) {
        visit_leaves(self, 0, visit);
    }
}

fn visit_leaves(ty: &Datatype, offset: i64, visit: &mut dyn FnMut(Leaf)) {
    let mut ty = ty;
    // Chains of these may be long, so they are followed in a loop.
    while let Combiner::Dup { inner } | Combiner::Resized { inner, .. } = &ty.combiner {
        ty = inner;
    }
    match ty.single_basic() {
        None if ty.size() == 0 => return,
        Some(basic) if basic.size() == basic.extent() => {
            walk(ty, offset as usize, 1, 0, u64::MAX, &mut Homogeneous { basic, visit });
            return;
        }
        _ => {}
    }
    if let Some(body) = &ty.body {
        return visit_leaves(body, offset, visit);
    }
    if let Combiner::Named(basic) = ty.combiner {
        return visit(Leaf { offset, basic, count: 1 });
    }
    for_each_run(&ty.combiner, &mut |displ, count, inner| {
        visit_elements(inner, offset.wrapping_add(displ), count, visit);
    });
}

fn visit_elements(inner: &Datatype, offset: i64, count: i64, visit: &mut dyn FnMut(Leaf)) {
    match inner.as_basic() {
        Some(basic) if count > 0 => visit(Leaf { offset, basic, count: count as u64 }),
        _ if inner.size() == 0 => {}
        _ => (0..count).for_each(|i| visit_leaves(inner, offset + i * inner.extent(), visit)),
    }
}

/// Calls `visit` with the displacement, the count and the type of each run of inner elements.
/// Only displacements of runs without data can overflow, and nobody looks at those.
fn for_each_run(combiner: &Combiner, visit: &mut dyn FnMut(i64, i64, &Rc<Datatype>)) {
    match combiner {
        Combiner::Contiguous { count, inner } => visit(0, *count, inner),
        Combiner::Vector { count, blocklength, stride, inner } => {
            let stride = stride.wrapping_mul(inner.extent());
            (0..*count).for_each(|i| visit(i.wrapping_mul(stride), *blocklength, inner));
        }
        Combiner::Hvector { count, blocklength, stride, inner } => {
            (0..*count).for_each(|i| visit(i.wrapping_mul(*stride), *blocklength, inner));
        }
        Combiner::Indexed { blocklengths, displacements, inner } => {
            for (len, displ) in blocklengths.iter().zip(displacements.iter()) {
                visit(displ.wrapping_mul(inner.extent()), *len, inner);
            }
        }
        Combiner::Hindexed { blocklengths, displacements, inner } => {
            for (len, displ) in blocklengths.iter().zip(displacements.iter()) {
                visit(*displ, *len, inner);
            }
        }
        Combiner::IndexedBlock { blocklength, displacements, inner } => {
            let extent = inner.extent();
            let displs = displacements.iter().map(|displ| displ.wrapping_mul(extent));
            displs.for_each(|displ| visit(displ, *blocklength, inner));
        }
        Combiner::HindexedBlock { blocklength, displacements, inner } => {
            displacements.iter().for_each(|displ| visit(*displ, *blocklength, inner));
        }
        Combiner::Struct { blocklengths, displacements, types } => {
            for ((len, displ), inner) in blocklengths.iter().zip(displacements).zip(types) {
                visit(*displ, *len, inner);
            }
        }
        // These have no runs: they are basic, have a body, or were followed before.
        Combiner::Named(_)
        | Combiner::Dup { .. }
        | Combiner::Resized { .. }
        | Combiner::Subarray { .. }
        | Combiner::Darray { .. }
        | Combiner::F90Real { .. }
        | Combiner::F90Complex { .. }
        | Combiner::F90Integer { .. }
        | Combiner::ValueIndex { .. } => {}
    }
}
