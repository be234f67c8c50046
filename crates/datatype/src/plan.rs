//! The compiled form of a datatype: a small tree of loops over blocks of bytes.
//!
//! The constructors build it, `walk.rs` runs it. A plan is relative to its first packed byte, so
//! equal layouts have equal plans wherever they lie. It is kept in normal form: a loop whose
//! rounds touch each other becomes a longer block or a longer inner loop, neighbouring blocks
//! become one, evenly spaced blocks become a loop.
//!
//! ```text
//! Block      ########                          size bytes
//! Strided    ###..###..###..                   count times inner, stride bytes apart
//! Indexed    ###....###.###                    inner at each displacement
//! Blocks     ##...####..#                      bytes [ends[i-1], ends[i]) at displs[i]
//! Parts      anything else, one after the other
//! ```

use std::rc::Rc;

/// Piece lists up to this long are copied into the outer list, longer ones are shared.
const SPLICE_MAX: usize = 16;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Packed bytes.
    pub size: u64,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Block,
    Strided { count: u64, stride: i64, inner: Rc<Plan> },
    Indexed { displs: Rc<[i64]>, inner: Rc<Plan> },
    Blocks { displs: Rc<[i64]>, ends: Rc<[u64]> },
    Parts(Rc<[Part]>),
}

/// One piece of [`Shape::Parts`].
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub displ: i64,
    /// Packed bytes up to and including this part.
    pub end: u64,
    pub plan: Plan,
}

impl Plan {
    pub const EMPTY: Plan = Plan::block(0);

    pub const fn block(size: u64) -> Plan {
        Plan { size, shape: Shape::Block }
    }

    pub fn is_block(&self) -> bool {
        matches!(self.shape, Shape::Block)
    }

    /// `count` rounds of this plan, `stride` bytes apart; the caller has checked that sizes fit.
    pub fn repeated(&self, count: u64, stride: i64) -> Plan {
        if count == 0 || self.size == 0 {
            return Plan::EMPTY;
        }
        let size = self.size * count;
        let shape = match &self.shape {
            _ if count == 1 => self.shape.clone(),
            Shape::Block if stride == self.size as i64 => Shape::Block,
            Shape::Strided { count: rounds, stride: step, inner }
                if i128::from(*rounds) * i128::from(*step) == i128::from(stride) =>
            {
                Shape::Strided { count: rounds * count, stride: *step, inner: inner.clone() }
            }
            _ => Shape::Strided { count, stride, inner: Rc::new(self.clone()) },
        };
        Plan { size, shape }
    }

    /// This plan at each displacement, in the given order. Returns the first displacement and
    /// the plan relative to it.
    pub fn spread(&self, displs: &[i64]) -> (i64, Plan) {
        let Some(&first) = displs.first() else {
            return (0, Plan::EMPTY);
        };
        if self.size == 0 {
            return (0, Plan::EMPTY);
        }
        if self.is_block() {
            let mut pieces = Pieces::default();
            displs.iter().for_each(|&displ| pieces.push_block(displ, self.size));
            return pieces.finish();
        }
        if let Some(stride) = even_stride(displs) {
            return (first, self.repeated(displs.len() as u64, stride));
        }
        let size = self.size * displs.len() as u64;
        let displs = displs.iter().map(|displ| displ - first).collect();
        (first, Plan { size, shape: Shape::Indexed { displs, inner: Rc::new(self.clone()) } })
    }

    /// Whether both visit the same bytes in the same order.
    pub fn same(&self, other: &Plan) -> bool {
        fn same_rc(a: &Rc<Plan>, b: &Rc<Plan>) -> bool {
            Rc::ptr_eq(a, b) || a.same(b)
        }
        if self.size != other.size {
            return false;
        }
        match (&self.shape, &other.shape) {
            (Shape::Block, Shape::Block) => true,
            (
                Shape::Strided { count, stride, inner },
                Shape::Strided { count: n, stride: s, inner: i },
            ) => count == n && stride == s && same_rc(inner, i),
            (Shape::Indexed { displs, inner }, Shape::Indexed { displs: d, inner: i }) => {
                (Rc::ptr_eq(displs, d) || displs == d) && same_rc(inner, i)
            }
            (Shape::Blocks { displs, ends }, Shape::Blocks { displs: d, ends: e }) => {
                Rc::ptr_eq(displs, d) || (displs == d && ends == e)
            }
            (Shape::Parts(a), Shape::Parts(b)) => {
                let same_part = |(a, b): (&Part, &Part)| a.displ == b.displ && a.plan.same(&b.plan);
                Rc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(same_part))
            }
            _ => false,
        }
    }
}

/// The stride, if the displacements are evenly spaced; 0 for a single one.
fn even_stride(displs: &[i64]) -> Option<i64> {
    let stride = displs.get(1).map_or(Some(0), |second| second.checked_sub(displs[0]))?;
    let even = |pair: &[i64]| pair[1].checked_sub(pair[0]) == Some(stride);
    displs.windows(2).all(even).then_some(stride)
}

/// Collects the pieces of a struct or of blocks with different lengths, in packing order.
#[derive(Default)]
pub(crate) struct Pieces {
    /// While all pieces are blocks: where they lie, and how long they are.
    displs: Vec<i64>,
    lens: Vec<u64>,
    /// From the first piece on that is not a block: all pieces.
    mixed: Vec<(i64, Plan)>,
}

impl Pieces {
    pub fn push(&mut self, displ: i64, plan: &Plan) {
        if plan.size == 0 {
            return;
        }
        match &plan.shape {
            Shape::Block => self.push_block(displ, plan.size),
            Shape::Blocks { displs, ends } if displs.len() <= SPLICE_MAX => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                for ((inner, end), start) in displs.iter().zip(ends.iter()).zip(starts) {
                    self.push_block(displ + inner, end - start);
                }
            }
            Shape::Parts(parts) if parts.len() <= SPLICE_MAX => {
                parts.iter().for_each(|part| self.push(displ + part.displ, &part.plan));
            }
            _ => {
                self.start_mixing();
                self.mixed.push((displ, plan.clone()));
            }
        }
    }

    pub fn push_block(&mut self, displ: i64, len: u64) {
        if let Some((at, plan)) = self.mixed.last_mut() {
            if plan.is_block() && *at + plan.size as i64 == displ {
                plan.size += len;
            } else {
                self.mixed.push((displ, Plan::block(len)));
            }
            return;
        }
        if let (Some(at), Some(before)) = (self.displs.last(), self.lens.last_mut()) {
            if at + *before as i64 == displ {
                *before += len;
                return;
            }
        }
        self.displs.push(displ);
        self.lens.push(len);
    }

    fn start_mixing(&mut self) {
        let blocks = self.displs.drain(..).zip(self.lens.drain(..));
        self.mixed.extend(blocks.map(|(displ, len)| (displ, Plan::block(len))));
    }

    /// The displacement of the first piece, and the plan relative to it.
    pub fn finish(self) -> (i64, Plan) {
        if self.mixed.is_empty() {
            finish_blocks(&self.displs, &self.lens)
        } else {
            finish_mixed(self.mixed)
        }
    }
}

fn finish_blocks(displs: &[i64], lens: &[u64]) -> (i64, Plan) {
    let Some(&first) = displs.first() else {
        return (0, Plan::EMPTY);
    };
    let size = lens.iter().sum();
    let block = Plan::block(lens[0]);
    let equal = lens.iter().all(|len| *len == lens[0]);
    if let (true, Some(stride)) = (equal, even_stride(displs)) {
        return (first, block.repeated(lens.len() as u64, stride));
    }
    let displs = displs.iter().map(|displ| displ - first).collect();
    let shape = if equal {
        Shape::Indexed { displs, inner: Rc::new(block) }
    } else {
        let mut end = 0;
        let ends = lens.iter().map(|len| {
            end += len;
            end
        });
        Shape::Blocks { displs, ends: ends.collect() }
    };
    (first, Plan { size, shape })
}

fn finish_mixed(mut pieces: Vec<(i64, Plan)>) -> (i64, Plan) {
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    let first = pieces[0].0;
    let mut end = 0;
    let parts: Rc<[Part]> = pieces
        .into_iter()
        .map(|(displ, plan)| {
            end += plan.size;
            Part { displ: displ - first, end, plan }
        })
        .collect();
    (first, Plan { size: end, shape: Shape::Parts(parts) })
}
