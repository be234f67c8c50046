//! Predefined types: the basic ones, Fortran's by precision, and pairs of value and index.

use std::rc::Rc;

use crate::bounds::Bounds;
use crate::construct::{Built, Draft};
use crate::plan::{Pieces, Plan};
use crate::signature::Signature;
use crate::{Basic, Combiner, Datatype, ErrorKind, TypeError};

/// The real kinds: digits, decimal exponent range, and the types.
const REALS: [(i32, i32, Basic, Basic); 3] = [
    (6, 37, Basic::Real4, Basic::Complex8),
    (15, 307, Basic::Real8, Basic::Complex16),
    (33, 4931, Basic::Real16, Basic::Complex32),
];

/// The integer kinds: decimal exponent range, and the type.
const INTEGERS: [(i32, Basic); 5] = [
    (2, Basic::Integer1),
    (4, Basic::Integer2),
    (9, Basic::Integer4),
    (18, Basic::Integer8),
    (38, Basic::Integer16),
];

impl Datatype {
    /// The predefined type itself, committed. Built anew by each call; keep it where it is needed
    /// often.
    pub fn basic(basic: Basic) -> Rc<Datatype> {
        let (origin, plan) = basic_plan(basic);
        Rc::new(Datatype {
            combiner: Combiner::Named(basic),
            body: None,
            bounds: Bounds {
                lb: 0,
                ub: basic.extent() as i64,
                data: Some((0, basic.true_extent() as i64)),
                explicit: false,
            },
            origin,
            contiguous: plan.is_block() && basic.size() == basic.extent(),
            plan,
            signature: Signature::run(basic, 1),
            align: basic.align() as i64,
            nesting: 0,
            committed: true.into(),
        })
    }

    /// `MPI_Type_create_f90_real`; `None` stands for `MPI_UNDEFINED`.
    ///
    /// # Errors
    /// No real kind has this precision and range, or neither is given.
    pub fn f90_real(precision: Option<i32>, range: Option<i32>) -> Built {
        let (real, _) = real_kind(precision, range)?;
        unnamed(real, Combiner::F90Real { precision, range })
    }

    /// `MPI_Type_create_f90_complex`; `None` stands for `MPI_UNDEFINED`.
    ///
    /// # Errors
    /// No complex kind has this precision and range, or neither is given.
    pub fn f90_complex(precision: Option<i32>, range: Option<i32>) -> Built {
        let (_, complex) = real_kind(precision, range)?;
        unnamed(complex, Combiner::F90Complex { precision, range })
    }

    /// `MPI_Type_create_f90_integer`
    ///
    /// # Errors
    /// No integer kind has this range.
    pub fn f90_integer(range: i32) -> Built {
        let kind = INTEGERS.iter().find(|(digits, _)| range <= *digits);
        let kind = kind.ok_or_else(|| {
            let message = format!("r is {range}, but no integer kind has more than 38 digits");
            TypeError::new(ErrorKind::Argument, message)
        })?;
        unnamed(kind.1, Combiner::F90Integer { range })
    }

    /// `MPI_Type_get_value_index`: the predefined pair of these types, if there is one with a name,
    /// else an unnamed one that lies as a C struct of value and index; `None` where neither
    /// makes sense (an index that is no integer, a value without an order).
    pub fn value_index(value: &Rc<Datatype>, index: &Rc<Datatype>) -> Option<Rc<Datatype>> {
        use crate::Group::{CInteger, FloatingPoint, FortranInteger, MultiLanguage};
        let (v, i) = (value.as_basic()?, index.as_basic()?);
        if let Some(named) = Basic::ALL.iter().find(|b| b.pair() == Some((v, i))) {
            return Some(Datatype::basic(*named));
        }
        let integer = [CInteger, FortranInteger, MultiLanguage];
        if !integer.contains(&i.group())
            || ![FloatingPoint].iter().chain(&integer).any(|g| *g == v.group())
        {
            return None;
        }
        let place = v.size().div_ceil(i.align()) * i.align();
        let types = [value.clone(), index.clone()];
        let body = Datatype::structured(&[1, 1], &[0, place as i64], &types).ok()?;
        let [value, index] = types;
        let pair =
            Draft::of(&body).finish(Combiner::ValueIndex { value, index }, Some(body)).ok()?;
        pair.set_committed();
        Some(pair)
    }

    /// Value and index types, if this is a pair for `MPI_MINLOC` and `MPI_MAXLOC`, named or not.
    pub fn pair(&self) -> Option<(Basic, Basic)> {
        match self.combiner() {
            Combiner::Named(basic) => basic.pair(),
            Combiner::ValueIndex { value, index } => Some((value.as_basic()?, index.as_basic()?)),
            _ => None,
        }
    }
}

fn basic_plan(basic: Basic) -> (i64, Plan) {
    let Some((value, index)) = basic.pair() else {
        return (0, Plan::block(basic.size() as u64));
    };
    let mut pieces = Pieces::default();
    pieces.push_block(0, value.size() as u64);
    pieces.push_block(basic.pair_index_offset() as i64, index.size() as u64);
    pieces.finish()
}

/// A predefined type without a name, which needs no commit.
fn unnamed(basic: Basic, combiner: Combiner) -> Built {
    let body = Datatype::basic(basic);
    let new = Draft::of(&body).finish(combiner, Some(body))?;
    new.set_committed();
    Ok(new)
}

fn real_kind(precision: Option<i32>, range: Option<i32>) -> Result<(Basic, Basic), TypeError> {
    if precision.is_none() && range.is_none() {
        let message = "p and r are both MPI_UNDEFINED, one of them must be given";
        return Err(TypeError::new(ErrorKind::Argument, message));
    }
    let (p, r) = (precision.unwrap_or(0), range.unwrap_or(0));
    let kind = REALS.iter().find(|(digits, exponent, ..)| p <= *digits && r <= *exponent);
    let kind = kind.ok_or_else(|| {
        let message = format!("p is {p} and r is {r}, but no real kind reaches beyond 33 and 4931");
        TypeError::new(ErrorKind::Argument, message)
    })?;
    Ok((kind.2, kind.3))
}
