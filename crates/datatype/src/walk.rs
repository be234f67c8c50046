//! Visits the part of a plan that a range of packed bytes covers.
//!
//! `pack.rs` and `leaves.rs` give it a visitor. Seeking to the start of the range costs a division
//! per loop level and a binary search per list, so that a message may be packed in pieces.

use crate::plan::{Part, Plan, Shape};
use crate::Datatype;

/// Receives the blocks of memory, in packing order. Each method returns whether to go on.
pub(crate) trait Visit {
    /// One block.
    fn block(&mut self, addr: usize, len: usize) -> bool;

    /// `count` blocks of `len` bytes, `stride` bytes apart.
    fn strided(&mut self, addr: usize, len: usize, stride: isize, count: usize) -> bool;

    /// One block of `len` bytes at each displacement.
    fn indexed(&mut self, addr: usize, len: usize, displs: &[i64]) -> bool;

    /// One block at each displacement; it covers the packed bytes up to its entry in `ends`, from
    /// the end before, or from `start` for the first.
    fn ragged(&mut self, addr: usize, displs: &[i64], ends: &[u64], start: u64) -> bool;
}

/// Address arithmetic wraps: absolute addresses and negative displacements are both legal.
fn at(addr: usize, displ: i64) -> usize {
    addr.wrapping_add(displ as usize)
}

/// Visits the packed bytes `skip .. skip + max` of `count` elements at `base`, and returns how many
/// bytes that range holds (fewer than `max` at the end of the data).
#[inline]
pub(crate) fn walk<V: Visit>(
    ty: &Datatype,
    base: usize,
    count: i64,
    skip: u64,
    max: u64,
    visitor: &mut V,
) -> u64 {
    let total = ty.plan.size.saturating_mul(count.max(0) as u64);
    let len = total.saturating_sub(skip).min(max);
    if len == 0 {
        return 0;
    }
    let addr = at(base, ty.origin);
    if ty.contiguous {
        visitor.block(at(addr, skip as i64), len as usize);
    } else {
        walk_elements(&ty.plan, ty.extent(), addr, skip, len, visitor);
    }
    len
}

/// Merges the loop over elements with the outermost loops of the plan where they fit together.
fn walk_elements<V: Visit>(
    plan: &Plan,
    extent: i64,
    addr: usize,
    skip: u64,
    len: u64,
    visitor: &mut V,
) {
    let (mut plan, mut stride) = (plan, extent);
    while let Shape::Strided { count, stride: step, inner } = &plan.shape {
        if (*count as i64).wrapping_mul(*step) != stride {
            break;
        }
        (plan, stride) = (inner, *step);
    }
    walk_rounds(plan, addr, stride, (skip, len), visitor);
}

/// A range in the rounds of an evenly spaced loop.
fn walk_rounds<V: Visit>(
    inner: &Plan,
    addr: usize,
    stride: i64,
    (skip, mut len): (u64, u64),
    visitor: &mut V,
) -> bool {
    let place = |round: u64| round.wrapping_mul(stride as u64) as i64;
    let (mut round, inside) = (skip / inner.size, skip % inner.size);
    if inside > 0 {
        let head = len.min(inner.size - inside);
        if !walk_plan(inner, at(addr, place(round)), inside, head, visitor) {
            return false;
        }
        (round, len) = (round + 1, len - head);
    }
    let (whole, tail) = (len / inner.size, len % inner.size);
    if whole > 0 && !visit_rounds(inner, at(addr, place(round)), stride, whole, visitor) {
        return false;
    }
    tail == 0 || walk_plan(inner, at(addr, place(round + whole)), 0, tail, visitor)
}

/// Visits the packed bytes `skip .. skip + len` of a plan, which lie inside it.
fn walk_plan<V: Visit>(plan: &Plan, addr: usize, skip: u64, len: u64, visitor: &mut V) -> bool {
    if skip == 0 && len == plan.size {
        return visit_all(plan, addr, visitor);
    }
    match &plan.shape {
        Shape::Block => visitor.block(at(addr, skip as i64), len as usize),
        Shape::Strided { stride, inner, .. } => {
            walk_rounds(inner, addr, *stride, (skip, len), visitor)
        }
        Shape::Indexed { displs, inner } => walk_indexed(inner, addr, displs, skip, len, visitor),
        Shape::Blocks { displs, ends } => walk_blocks(addr, displs, ends, skip, len, visitor),
        Shape::Parts(parts) => walk_parts(parts, addr, skip, len, visitor),
    }
}

fn walk_indexed<V: Visit>(
    inner: &Plan,
    addr: usize,
    displs: &[i64],
    skip: u64,
    mut len: u64,
    visitor: &mut V,
) -> bool {
    let (mut round, inside) = ((skip / inner.size) as usize, skip % inner.size);
    if inside > 0 {
        let head = len.min(inner.size - inside);
        if !walk_plan(inner, at(addr, displs[round]), inside, head, visitor) {
            return false;
        }
        (round, len) = (round + 1, len - head);
    }
    let (whole, tail) = ((len / inner.size) as usize, len % inner.size);
    if whole > 0 && !visit_indexed(inner, addr, &displs[round..round + whole], visitor) {
        return false;
    }
    tail == 0 || walk_plan(inner, at(addr, displs[round + whole]), 0, tail, visitor)
}

fn walk_blocks<V: Visit>(
    addr: usize,
    displs: &[i64],
    ends: &[u64],
    skip: u64,
    len: u64,
    visitor: &mut V,
) -> bool {
    let stop = skip + len;
    let first = ends.partition_point(|&end| end <= skip);
    let start = if first == 0 { 0 } else { ends[first - 1] };
    // The first block may be cut at both sides.
    let head = (ends[first].min(stop) - skip) as usize;
    if !visitor.block(at(addr, displs[first] + (skip - start) as i64), head) {
        return false;
    }
    if ends[first] >= stop {
        return true;
    }
    let next = first + 1;
    let whole = next + ends[next..].partition_point(|&end| end <= stop);
    if whole > next && !visitor.ragged(addr, &displs[next..whole], &ends[next..whole], ends[first])
    {
        return false;
    }
    let tail = (stop - ends[whole - 1]) as usize;
    tail == 0 || visitor.block(at(addr, displs[whole]), tail)
}

fn walk_parts<V: Visit>(parts: &[Part], addr: usize, skip: u64, len: u64, visitor: &mut V) -> bool {
    let (mut from, stop) = (skip, skip + len);
    let first = parts.partition_point(|part| part.end <= skip);
    for part in &parts[first..] {
        if from == stop {
            break;
        }
        let start = part.end - part.plan.size;
        let piece = part.end.min(stop) - from;
        if !walk_plan(&part.plan, at(addr, part.displ), from - start, piece, visitor) {
            return false;
        }
        from += piece;
    }
    true
}

/// Visits a whole plan.
fn visit_all<V: Visit>(plan: &Plan, addr: usize, visitor: &mut V) -> bool {
    match &plan.shape {
        Shape::Block => visitor.block(addr, plan.size as usize),
        Shape::Strided { count, stride, inner } => {
            visit_rounds(inner, addr, *stride, *count, visitor)
        }
        Shape::Indexed { displs, inner } => visit_indexed(inner, addr, displs, visitor),
        Shape::Blocks { displs, ends } => visitor.ragged(addr, displs, ends, 0),
        Shape::Parts(parts) => {
            parts.iter().all(|part| visit_all(&part.plan, at(addr, part.displ), visitor))
        }
    }
}

fn visit_rounds<V: Visit>(
    inner: &Plan,
    addr: usize,
    stride: i64,
    count: u64,
    visitor: &mut V,
) -> bool {
    if inner.is_block() {
        return visitor.strided(addr, inner.size as usize, stride as isize, count as usize);
    }
    let mut addr = addr;
    for _ in 0..count {
        if !visit_all(inner, addr, visitor) {
            return false;
        }
        addr = at(addr, stride);
    }
    true
}

fn visit_indexed<V: Visit>(inner: &Plan, addr: usize, displs: &[i64], visitor: &mut V) -> bool {
    if inner.is_block() {
        return visitor.indexed(addr, inner.size as usize, displs);
    }
    displs.iter().all(|displ| visit_all(inner, at(addr, *displ), visitor))
}
