//! Lower and upper bounds of a type map (section 5.1.6).
//!
//! The constructors combine the bounds of inner types with these operations. A type map may be
//! void (no data and no explicit bounds); then it moves nothing and its bounds are 0.

use crate::TypeError;

/// The bounds of a type map, in bytes relative to the buffer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Lower bound.
    pub lb: i64,
    /// Upper bound.
    pub ub: i64,
    /// Where the data begins and ends; `None` without data.
    pub data: Option<(i64, i64)>,
    /// Whether the bounds were set by `MPI_Type_create_resized`, directly or in an inner type:
    /// then data outside of them does not move them (`lb_marker` and `ub_marker`).
    pub explicit: bool,
}

fn add(a: i64, b: i128) -> Result<i64, TypeError> {
    i64::try_from(i128::from(a) + b).map_err(|_| TypeError::too_large("a bound"))
}

impl Bounds {
    pub const VOID: Bounds = Bounds { lb: 0, ub: 0, data: None, explicit: false };

    fn is_void(self) -> bool {
        self.data.is_none() && !self.explicit
    }

    /// The distance between consecutive elements.
    pub fn extent(self) -> i64 {
        self.ub - self.lb
    }

    /// The same type map `by` bytes further.
    pub fn shifted(self, by: i128) -> Result<Bounds, TypeError> {
        if self.is_void() {
            return Ok(self);
        }
        let data = match self.data {
            Some((first, end)) => Some((add(first, by)?, add(end, by)?)),
            None => None,
        };
        let bounds = Bounds { lb: add(self.lb, by)?, ub: add(self.ub, by)?, data, ..self };
        // The extents have to fit too.
        add(bounds.ub, -i128::from(bounds.lb))?;
        Ok(bounds)
    }

    /// Both type maps together.
    pub fn joined(self, other: Bounds) -> Result<Bounds, TypeError> {
        if self.is_void() || other.is_void() {
            return Ok(if self.is_void() { other } else { self });
        }
        let data = match (self.data, other.data) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        let (lb, ub) = match (self.explicit, other.explicit) {
            (true, false) => (self.lb, self.ub),
            (false, true) => (other.lb, other.ub),
            _ => (self.lb.min(other.lb), self.ub.max(other.ub)),
        };
        let joined = Bounds { lb, ub, data, explicit: self.explicit || other.explicit };
        let (first, end) = data.unwrap_or((0, 0));
        add(ub, -i128::from(lb))?;
        add(end, -i128::from(first))?;
        Ok(joined)
    }

    /// `count` copies of the type map, each `stride` bytes behind the one before.
    pub fn repeated(self, count: i64, stride: i64) -> Result<Bounds, TypeError> {
        match count {
            0 => Ok(Bounds::VOID),
            1 => Ok(self),
            _ => {
                let last = i128::from(count - 1) * i128::from(stride);
                self.joined(self.shifted(last)?)
            }
        }
    }

    /// The upper bound moved up until the extent is a multiple of `align`, as the standard's
    /// epsilon asks for; explicit bounds stay.
    pub fn padded(self, align: i64) -> Result<Bounds, TypeError> {
        if self.explicit || self.data.is_none() {
            return Ok(self);
        }
        let pad = (-self.extent()).rem_euclid(align);
        Ok(Bounds { ub: add(self.ub, pad.into())?, ..self })
    }
}
