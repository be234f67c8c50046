//! The datatype and its queries.
//!
//! Made by the constructors, read by everyone who touches a user's buffer. It never changes after
//! construction, apart from the flag that says it was committed. Where its data lies is in `plan`,
//! which is relative to `origin`, the place of the first packed byte.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use crate::bounds::Bounds;
use crate::plan::Plan;
use crate::signature::Signature;
use crate::{Basic, Combiner};

/// A predefined or derived datatype.
pub struct Datatype {
    pub(crate) combiner: Combiner,
    /// A type with the same type map that was composed to make this one, for constructors that do
    /// not map to one loop (subarray, darray).
    pub(crate) body: Option<Rc<Datatype>>,
    pub(crate) bounds: Bounds,
    pub(crate) origin: i64,
    pub(crate) plan: Plan,
    pub(crate) signature: Signature,
    /// Strictest alignment among the basic elements, at least 1.
    pub(crate) align: i64,
    /// How deeply constructors are nested.
    pub(crate) nesting: u32,
    pub(crate) contiguous: bool,
    pub(crate) committed: Cell<bool>,
}

impl Datatype {
    /// Bytes of data in one element, which is what it takes when packed.
    #[inline]
    pub fn size(&self) -> i64 {
        self.plan.size as i64
    }

    /// Lower bound in bytes.
    #[inline]
    pub fn lb(&self) -> i64 {
        self.bounds.lb
    }

    /// Upper bound in bytes.
    #[inline]
    pub fn ub(&self) -> i64 {
        self.bounds.ub
    }

    /// Bytes from one element to the next.
    #[inline]
    pub fn extent(&self) -> i64 {
        self.bounds.extent()
    }

    /// Offset of the lowest byte of data, 0 without data.
    #[inline]
    pub fn true_lb(&self) -> i64 {
        self.bounds.data.map_or(0, |(first, _)| first)
    }

    /// Bytes from the lowest byte of data to behind the highest one, 0 without data.
    #[inline]
    pub fn true_extent(&self) -> i64 {
        self.bounds.data.map_or(0, |(first, end)| end - first)
    }

    /// Whether any number of elements is one block of memory that starts at the true lower bound
    /// and is packed in its order.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// The predefined type, if this is one itself and not derived.
    #[inline]
    pub fn as_basic(&self) -> Option<Basic> {
        match self.combiner {
            Combiner::Named(basic) => Some(basic),
            _ => None,
        }
    }

    /// Whether it may be used in communication.
    #[inline]
    pub fn committed(&self) -> bool {
        self.committed.get()
    }

    /// Marks it as committed.
    pub fn set_committed(&self) {
        self.committed.set(true);
    }

    /// The constructor and its arguments.
    pub fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    /// Strictest alignment among its basic elements, in bytes, at least 1.
    pub fn align(&self) -> i64 {
        self.align
    }

    pub(crate) fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Moves the inner types out, which leaves a value that only waits to be dropped.
    fn take_inner(&mut self, out: &mut Vec<Rc<Datatype>>) {
        out.extend(self.body.take());
        let combiner = std::mem::replace(&mut self.combiner, Combiner::Named(Basic::Byte));
        if !matches!(combiner, Combiner::Named(_)) {
            out.extend(combiner.inner_types());
        }
    }
}

impl Drop for Datatype {
    /// Drops chains of inner types in a loop: a type duplicated a million times over must not
    /// overflow the stack.
    fn drop(&mut self) {
        let mut waiting = Vec::new();
        self.take_inner(&mut waiting);
        while let Some(inner) = waiting.pop() {
            if let Ok(mut last) = Rc::try_unwrap(inner) {
                last.take_inner(&mut waiting);
            }
        }
    }
}

impl fmt::Debug for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Datatype")
            .field("combiner", &self.combiner.abi_value())
            .field("size", &self.size())
            .field("lb", &self.lb())
            .field("extent", &self.extent())
            .field("origin", &self.origin)
            .field("plan", &self.plan)
            .finish()
    }
}
