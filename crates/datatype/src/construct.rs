//! The constructors of section 5.1.2, apart from arrays and predefined types.
//!
//! Called by `abi`, which passes the user's arguments as they are; everything is checked here. Each
//! constructor computes bounds, plan and signature from those of the inner types, in time that does
//! not depend on counts and block lengths.

use std::cell::Cell;
use std::rc::Rc;

use crate::bounds::Bounds;
use crate::plan::{Pieces, Plan};
use crate::signature::Signature;
use crate::{Combiner, Datatype, ErrorKind, TypeError};

/// Deepest nesting of constructors: pack and the others recurse once per level.
const NESTING_MAX: u32 = 1000;

/// A new datatype or what is wrong with its arguments.
pub(crate) type Built = Result<Rc<Datatype>, TypeError>;

/// The parts of a type map under construction.
#[derive(Clone)]
pub(crate) struct Draft {
    bounds: Bounds,
    origin: i64,
    plan: Plan,
    signature: Signature,
    align: i64,
}

impl Draft {
    const VOID: Draft = Draft {
        bounds: Bounds::VOID,
        origin: 0,
        plan: Plan::EMPTY,
        signature: Signature::EMPTY,
        align: 1,
    };

    pub fn of(ty: &Datatype) -> Draft {
        Draft {
            bounds: ty.bounds,
            origin: ty.origin,
            plan: ty.plan.clone(),
            signature: ty.signature.clone(),
            align: ty.align,
        }
    }

    fn size_times(&self, count: i64) -> Result<u64, TypeError> {
        let size = self.plan.size.checked_mul(count as u64);
        size.filter(|size| *size <= i64::MAX as u64).ok_or_else(|| TypeError::too_large("the size"))
    }

    /// `count` copies, `stride` bytes apart.
    pub fn repeated(self, count: i64, stride: i64) -> Result<Draft, TypeError> {
        if count == 0 {
            return Ok(Draft::VOID);
        }
        self.size_times(count)?;
        Ok(Draft {
            bounds: self.bounds.repeated(count, stride)?,
            plan: self.plan.repeated(count as u64, stride),
            signature: self.signature.repeated(count as u64),
            ..self
        })
    }

    /// Copies at each displacement, which is in bytes.
    fn spread(self, displs: &[i64]) -> Result<Draft, TypeError> {
        self.size_times(displs.len() as i64)?;
        let (Some(min), Some(max)) = (displs.iter().min(), displs.iter().max()) else {
            return Ok(Draft::VOID);
        };
        let low = self.bounds.shifted((*min).into())?;
        let bounds = low.joined(self.bounds.shifted((*max).into())?)?;
        let (first, plan) = self.plan.spread(displs);
        let origin = if plan.size == 0 { 0 } else { first + self.origin };
        let signature = self.signature.repeated(displs.len() as u64);
        Ok(Draft { bounds, origin, plan, signature, ..self })
    }

    pub fn shifted(self, by: i64) -> Result<Draft, TypeError> {
        let bounds = self.bounds.shifted(by.into())?;
        let origin = if self.plan.size == 0 { 0 } else { self.origin + by };
        Ok(Draft { bounds, origin, ..self })
    }

    /// One after the other in packing order.
    pub fn sequence(parts: &[Draft]) -> Result<Draft, TypeError> {
        let mut bounds = Bounds::VOID;
        let mut pieces = Pieces::default();
        let (mut size, mut align) = (0u64, 1);
        for part in parts {
            bounds = bounds.joined(part.bounds)?;
            size += part.plan.size;
            if size > i64::MAX as u64 {
                return Err(TypeError::too_large("the size"));
            }
            if part.plan.size > 0 {
                align = align.max(part.align);
            }
            pieces.push(part.origin, &part.plan);
        }
        let (origin, plan) = pieces.finish();
        let signature = Signature::sequence(parts.iter().map(|part| part.signature.clone()));
        Ok(Draft { bounds, origin, plan, signature, align })
    }

    /// With the bounds set explicitly.
    pub fn resized(self, lb: i64, extent: i64) -> Result<Draft, TypeError> {
        let ub = lb.checked_add(extent).ok_or_else(|| TypeError::too_large("the upper bound"))?;
        Ok(Draft { bounds: Bounds { lb, ub, explicit: true, ..self.bounds }, ..self })
    }

    fn padded(self) -> Result<Draft, TypeError> {
        Ok(Draft { bounds: self.bounds.padded(self.align)?, ..self })
    }

    pub fn finish(self, combiner: Combiner, body: Option<Rc<Datatype>>) -> Built {
        let inner = combiner.inner_types().iter().map(|ty| ty.nesting).max().unwrap_or(0);
        let inner = inner.max(body.as_ref().map_or(0, |ty| ty.nesting));
        let nesting = match combiner {
            Combiner::Dup { .. } | Combiner::Resized { .. } => inner,
            _ => inner + 1,
        };
        if nesting > NESTING_MAX {
            let message = format!("the new datatype is nested more than {NESTING_MAX} deep");
            return Err(TypeError::new(ErrorKind::TooDeep, message));
        }
        let extent = self.bounds.extent();
        let contiguous = self.plan.is_block() && [0, extent].contains(&(self.plan.size as i64));
        Ok(Rc::new(Datatype {
            combiner,
            body,
            bounds: self.bounds,
            origin: self.origin,
            plan: self.plan,
            signature: self.signature,
            align: self.align,
            nesting,
            contiguous,
            committed: Cell::new(false),
        }))
    }
}

/// Refuses a negative count or block length.
fn check_count(name: &str, count: i64) -> Result<(), TypeError> {
    if count < 0 {
        let message = format!("{name} is {count}, but must not be negative");
        return Err(TypeError::new(ErrorKind::Count, message));
    }
    Ok(())
}

fn check_counts(name: &str, counts: &[i64]) -> Result<(), TypeError> {
    let mut all = counts.iter().enumerate();
    all.try_for_each(|(i, count)| check_count(&format_args!("{name}[{i}]").to_string(), *count))
}

fn check_lengths(what: [(&str, usize); 2]) -> Result<(), TypeError> {
    let [(a, n), (b, m)] = what;
    if n != m {
        let message = format!("{a} has {n} entries, but {b} has {m}");
        return Err(TypeError::new(ErrorKind::Argument, message));
    }
    Ok(())
}

/// Displacements in units of the extent, in bytes.
fn scaled(displs: &[i64], extent: i64) -> Result<Vec<i64>, TypeError> {
    let scale = |displ: &i64| displ.checked_mul(extent);
    displs
        .iter()
        .map(scale)
        .collect::<Option<_>>()
        .ok_or_else(|| TypeError::too_large("a displacement"))
}

/// Blocks of `inner` with individual lengths; displacements in bytes.
fn blocks_at(lens: &[i64], displs: &[i64], inner: &Datatype) -> Result<Draft, TypeError> {
    let extent = inner.extent();
    let used = |len: &i64| *len > 0;
    let Some(&len) = lens.iter().find(|len| used(len)) else {
        return Ok(Draft::VOID);
    };
    if lens.iter().all(|other| *other == len || *other == 0) {
        let pairs = displs.iter().zip(lens).filter(|(_, len)| used(len));
        let displs: Vec<i64> = pairs.map(|(displ, _)| *displ).collect();
        return Draft::of(inner).repeated(len, extent)?.spread(&displs);
    }
    // A Draft per block would be heavy for long lists: only bounds and pieces are per block.
    let mut bounds = Bounds::VOID;
    let mut pieces = Pieces::default();
    let mut total = 0i64;
    for (&len, &displ) in lens.iter().zip(displs).filter(|(len, _)| used(len)) {
        let block = inner.bounds.repeated(len, extent)?;
        bounds = bounds.joined(block.shifted(displ.into())?)?;
        total = total.checked_add(len).ok_or_else(|| TypeError::too_large("the size"))?;
        Draft::of_size(inner, total)?;
        let place = inner.origin.wrapping_add(displ);
        if inner.contiguous && inner.plan.size > 0 {
            pieces.push_block(place, inner.plan.size * len as u64);
        } else {
            pieces.push(place, &inner.plan.repeated(len as u64, extent));
        }
    }
    let (origin, plan) = pieces.finish();
    let signature = inner.signature.repeated(total as u64);
    Ok(Draft { bounds, origin, plan, signature, align: inner.align })
}

impl Draft {
    /// Refuses `count` elements whose data would not fit in 64 bits.
    fn of_size(inner: &Datatype, count: i64) -> Result<(), TypeError> {
        let fits = inner.size().checked_mul(count).is_some();
        if fits {
            Ok(())
        } else {
            Err(TypeError::too_large("the size"))
        }
    }
}

impl Datatype {
    /// `MPI_Type_dup`
    ///
    /// # Errors
    /// None at present; the signature is that of all constructors.
    pub fn dup(inner: &Rc<Datatype>) -> Built {
        let new = Draft::of(inner).finish(Combiner::Dup { inner: inner.clone() }, None)?;
        new.committed.set(inner.committed());
        Ok(new)
    }

    /// `MPI_Type_contiguous`
    ///
    /// # Errors
    /// A negative count; a type that is too large or nested too deeply. So have all constructors.
    pub fn contiguous(count: i64, inner: &Rc<Datatype>) -> Built {
        check_count("count", count)?;
        let draft = Draft::of(inner).repeated(count, inner.extent())?;
        draft.finish(Combiner::Contiguous { count, inner: inner.clone() }, None)
    }

    /// `MPI_Type_vector`; the stride is in extents of the inner type.
    ///
    /// # Errors
    /// A negative count or block length.
    pub fn vector(count: i64, blocklength: i64, stride: i64, inner: &Rc<Datatype>) -> Built {
        let bytes = i128::from(stride) * i128::from(inner.extent());
        let used = count > 1 && blocklength > 0;
        let bytes = match i64::try_from(bytes) {
            Err(_) if used => return Err(TypeError::too_large("the stride")),
            bytes => bytes.unwrap_or(0),
        };
        let draft = strided(count, blocklength, bytes, inner)?;
        let inner = inner.clone();
        draft.finish(Combiner::Vector { count, blocklength, stride, inner }, None)
    }

    /// `MPI_Type_create_hvector`; the stride is in bytes.
    ///
    /// # Errors
    /// A negative count or block length.
    pub fn hvector(count: i64, blocklength: i64, stride: i64, inner: &Rc<Datatype>) -> Built {
        let draft = strided(count, blocklength, stride, inner)?;
        let inner = inner.clone();
        draft.finish(Combiner::Hvector { count, blocklength, stride, inner }, None)
    }

    /// `MPI_Type_indexed`; displacements are in extents of the inner type.
    ///
    /// # Errors
    /// A negative block length, or arrays of different lengths.
    pub fn indexed(blocklengths: &[i64], displacements: &[i64], inner: &Rc<Datatype>) -> Built {
        check_blocks(blocklengths, displacements)?;
        let draft = blocks_at(blocklengths, &scaled(displacements, inner.extent())?, inner)?;
        let (blocklengths, displacements) = (blocklengths.into(), displacements.into());
        let inner = inner.clone();
        draft.finish(Combiner::Indexed { blocklengths, displacements, inner }, None)
    }

    /// `MPI_Type_create_hindexed`; displacements are in bytes.
    ///
    /// # Errors
    /// A negative block length, or arrays of different lengths.
    pub fn hindexed(blocklengths: &[i64], displacements: &[i64], inner: &Rc<Datatype>) -> Built {
        check_blocks(blocklengths, displacements)?;
        let draft = blocks_at(blocklengths, displacements, inner)?;
        let (blocklengths, displacements) = (blocklengths.into(), displacements.into());
        let inner = inner.clone();
        draft.finish(Combiner::Hindexed { blocklengths, displacements, inner }, None)
    }

    /// `MPI_Type_create_indexed_block`; displacements are in extents of the inner type.
    ///
    /// # Errors
    /// A negative block length.
    pub fn indexed_block(blocklength: i64, displacements: &[i64], inner: &Rc<Datatype>) -> Built {
        check_count("blocklength", blocklength)?;
        let block = Draft::of(inner).repeated(blocklength, inner.extent())?;
        let draft = block.spread(&scaled(displacements, inner.extent())?)?;
        let (displacements, inner) = (displacements.into(), inner.clone());
        draft.finish(Combiner::IndexedBlock { blocklength, displacements, inner }, None)
    }

    /// `MPI_Type_create_hindexed_block`; displacements are in bytes.
    ///
    /// # Errors
    /// A negative block length.
    pub fn hindexed_block(blocklength: i64, displacements: &[i64], inner: &Rc<Datatype>) -> Built {
        check_count("blocklength", blocklength)?;
        let block = Draft::of(inner).repeated(blocklength, inner.extent())?;
        let draft = block.spread(displacements)?;
        let (displacements, inner) = (displacements.into(), inner.clone());
        draft.finish(Combiner::HindexedBlock { blocklength, displacements, inner }, None)
    }

    /// `MPI_Type_create_struct`. The extent is rounded up to the strictest alignment of the basic
    /// elements (the epsilon of section 5.1.6), unless an inner type has explicit bounds.
    ///
    /// # Errors
    /// A negative block length, or arrays of different lengths.
    pub fn structured(
        blocklengths: &[i64],
        displacements: &[i64],
        types: &[Rc<Datatype>],
    ) -> Built {
        check_blocks(blocklengths, displacements)?;
        check_lengths([
            ("array_of_blocklengths", blocklengths.len()),
            ("array_of_types", types.len()),
        ])?;
        let mut parts = Vec::with_capacity(types.len());
        for ((len, displ), inner) in blocklengths.iter().zip(displacements).zip(types) {
            parts.push(Draft::of(inner).repeated(*len, inner.extent())?.shifted(*displ)?);
        }
        let draft = Draft::sequence(&parts)?.padded()?;
        let (blocklengths, displacements) = (blocklengths.into(), displacements.into());
        draft.finish(Combiner::Struct { blocklengths, displacements, types: types.into() }, None)
    }

    /// `MPI_Type_create_resized`
    ///
    /// # Errors
    /// A sum of lower bound and extent that does not fit in 64 bits.
    pub fn resized(lb: i64, extent: i64, inner: &Rc<Datatype>) -> Built {
        let draft = Draft::of(inner).resized(lb, extent)?;
        draft.finish(Combiner::Resized { lb, extent, inner: inner.clone() }, None)
    }
}

fn strided(
    count: i64,
    blocklength: i64,
    stride: i64,
    inner: &Datatype,
) -> Result<Draft, TypeError> {
    check_count("count", count)?;
    check_count("blocklength", blocklength)?;
    Draft::of(inner).repeated(blocklength, inner.extent())?.repeated(count, stride)
}

fn check_blocks(blocklengths: &[i64], displacements: &[i64]) -> Result<(), TypeError> {
    check_lengths([
        ("array_of_blocklengths", blocklengths.len()),
        ("array_of_displacements", displacements.len()),
    ])?;
    check_counts("array_of_blocklengths", blocklengths)
}
