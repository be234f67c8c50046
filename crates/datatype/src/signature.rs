//! The type signature: which basic elements a type holds, in order, without their places.
//!
//! Stored as a small tree of runs and repetitions, so that neither a large count nor a long
//! message costs more than the depth of the type. `elements` serves `MPI_Get_elements`.

use std::rc::Rc;

use crate::{external32, Basic, Datatype};

/// Sequences up to this long are copied into the outer sequence, longer ones are shared.
const SPLICE_MAX: usize = 16;

/// How many basic elements a number of packed bytes holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Exactly this many.
    Whole(i64),
    /// This many, and a part of the next one: `MPI_UNDEFINED` for the user.
    Partial(i64),
}

#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// Packed bytes.
    pub bytes: u64,
    /// Basic elements; a pair counts as two (section 6.9.4 defines it as a struct).
    pub elements: u64,
    /// Bytes in the external32 representation.
    pub external_bytes: u64,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Empty,
    Run { basic: Basic, count: u64 },
    Repeat { count: u64, inner: Rc<Signature> },
    Sequence(Rc<[Signature]>),
}

/// Basic elements in one unit of `basic`.
fn elements_per_unit(basic: Basic) -> u64 {
    if basic.is_pair() {
        2
    } else {
        1
    }
}

impl Signature {
    pub const EMPTY: Signature =
        Signature { bytes: 0, elements: 0, external_bytes: 0, shape: Shape::Empty };

    pub fn run(basic: Basic, count: u64) -> Signature {
        Signature {
            bytes: basic.size() as u64 * count,
            elements: elements_per_unit(basic) * count,
            external_bytes: external32::basic_size(basic) as u64 * count,
            shape: Shape::Run { basic, count },
        }
    }

    /// `count` times this one; the caller has checked that the bytes fit.
    pub fn repeated(&self, count: u64) -> Signature {
        if count == 0 || self.bytes == 0 {
            return Signature::EMPTY;
        }
        let shape = match &self.shape {
            _ if count == 1 => self.shape.clone(),
            Shape::Run { basic, count: inner } => {
                Shape::Run { basic: *basic, count: inner * count }
            }
            Shape::Repeat { count: outer, inner } => {
                Shape::Repeat { count: outer * count, inner: inner.clone() }
            }
            _ => Shape::Repeat { count, inner: Rc::new(self.clone()) },
        };
        Signature {
            bytes: self.bytes * count,
            elements: self.elements * count,
            external_bytes: self.external_bytes * count,
            shape,
        }
    }

    /// One after the other.
    pub fn sequence(parts: impl IntoIterator<Item = Signature>) -> Signature {
        let mut flat: Vec<Signature> = Vec::new();
        for part in parts {
            match &part.shape {
                Shape::Empty => {}
                Shape::Sequence(inner) if inner.len() <= SPLICE_MAX => {
                    inner.iter().for_each(|one| push_merged(&mut flat, one.clone()));
                }
                _ => push_merged(&mut flat, part),
            }
        }
        match flat.len() {
            0 => Signature::EMPTY,
            1 => flat.remove(0),
            _ => Signature {
                bytes: flat.iter().map(|s| s.bytes).sum(),
                elements: flat.iter().map(|s| s.elements).sum(),
                external_bytes: flat.iter().map(|s| s.external_bytes).sum(),
                shape: Shape::Sequence(flat.into()),
            },
        }
    }

    /// The basic type, if there is only one.
    pub fn single_basic(&self) -> Option<Basic> {
        match self.shape {
            Shape::Run { basic, .. } => Some(basic),
            _ => None,
        }
    }

    /// Basic elements that end within the first `bytes` packed bytes, and the bytes left over.
    fn elements_in(&self, bytes: u64) -> (u64, u64) {
        if bytes >= self.bytes {
            return (self.elements, bytes - self.bytes);
        }
        match &self.shape {
            Shape::Empty => (0, bytes),
            Shape::Run { basic, .. } => {
                let (whole, rest) = (bytes / basic.size() as u64, bytes % basic.size() as u64);
                let value_size = basic.pair().map(|(value, _)| value.size() as u64);
                match value_size {
                    Some(value) if rest >= value => (whole * 2 + 1, rest - value),
                    Some(_) => (whole * 2, rest),
                    None => (whole, rest),
                }
            }
            Shape::Repeat { inner, .. } => {
                let whole = bytes / inner.bytes;
                let (elements, rest) = inner.elements_in(bytes % inner.bytes);
                (whole * inner.elements + elements, rest)
            }
            Shape::Sequence(parts) => {
                let (mut elements, mut rest) = (0, bytes);
                for part in parts.iter() {
                    if rest < part.bytes {
                        let (inside, left) = part.elements_in(rest);
                        return (elements + inside, left);
                    }
                    elements += part.elements;
                    rest -= part.bytes;
                }
                (elements, rest)
            }
        }
    }

    /// Appends the runs of basic elements, pairs taken apart, equal neighbours merged.
    fn append_runs(&self, repeat: u64, out: &mut Vec<(Basic, u64)>) {
        match &self.shape {
            Shape::Empty => {}
            Shape::Run { basic, count } => match basic.pair() {
                None => push_run(out, *basic, count * repeat),
                Some((value, index)) if value == index => push_run(out, value, 2 * count * repeat),
                Some((value, index)) => {
                    for _ in 0..count * repeat {
                        push_run(out, value, 1);
                        push_run(out, index, 1);
                    }
                }
            },
            Shape::Repeat { count, inner } => {
                (0..count * repeat).for_each(|_| inner.append_runs(1, out));
            }
            Shape::Sequence(parts) => {
                for _ in 0..repeat {
                    parts.iter().for_each(|part| part.append_runs(1, out));
                }
            }
        }
    }
}

fn push_run(out: &mut Vec<(Basic, u64)>, basic: Basic, count: u64) {
    match out.last_mut() {
        Some((last, n)) if *last == basic => *n += count,
        _ => out.push((basic, count)),
    }
}

fn push_merged(flat: &mut Vec<Signature>, part: Signature) {
    if let (Some(last), Shape::Run { basic, count }) = (flat.last_mut(), &part.shape) {
        if let Shape::Run { basic: before, count: n } = last.shape {
            if before == *basic {
                *last = Signature::run(before, n + count);
                return;
            }
        }
    }
    flat.push(part);
}

impl Datatype {
    /// The basic type that all of this type's elements have, if there is only one. A pair type
    /// counts as one basic type here.
    pub fn single_basic(&self) -> Option<Basic> {
        self.signature().single_basic()
    }

    /// How many basic elements one element of this type holds; a pair counts as two.
    pub fn signature_count(&self) -> i64 {
        self.signature().elements as i64
    }

    /// How many basic elements `bytes` packed bytes of any number of elements hold.
    pub fn elements(&self, bytes: i64) -> Elements {
        let signature = self.signature();
        if signature.bytes == 0 || bytes <= 0 {
            return Elements::Whole(0);
        }
        let (whole, rest) = (bytes as u64 / signature.bytes, bytes as u64 % signature.bytes);
        let (inside, left) = signature.elements_in(rest);
        let count = (whole * signature.elements + inside) as i64;
        if left == 0 {
            Elements::Whole(count)
        } else {
            Elements::Partial(count)
        }
    }

    /// The basic elements of one element as runs of (type, how many), pairs taken apart and equal
    /// neighbours merged. Its length grows with the number of changes from type to type.
    pub fn signature_runs(&self) -> Vec<(Basic, u64)> {
        let mut runs = Vec::new();
        self.signature().append_runs(1, &mut runs);
        runs
    }
}
