//! Folding operands that arrive one after the other into a running value, strictly in order, so
//! that operations which do not commute are right and all processes that compute the same value
//! compute the same bits. Operands change places instead of being copied.

use super::reduction::Reducer;
use super::Coll;
use crate::buffer::{Data, Scratch};
use crate::error::Result;

/// A running value and the room for the next operand.
///
/// The value starts in the caller's buffer, which is only read. It moves to `home` (where the
/// result is wanted) or to scratch memory as operands come in.
pub(super) struct Fold<'a> {
    c: &'a Coll,
    op: &'a Reducer,
    value: Data,
    /// Whether `value` lies where the fold may write.
    writable: bool,
    room: Data,
    spare: Option<Data>,
    _memory: Vec<Scratch>,
}

impl<'a> Fold<'a> {
    /// Starts with `value`. If `home` is the same buffer (`MPI_IN_PLACE`) it may be written to.
    pub fn new(c: &'a Coll, op: &'a Reducer, value: Data, home: Option<&Data>) -> Fold<'a> {
        let scratch = Scratch::new(value.count, &value.ty);
        let room = scratch.data.clone();
        let writable = home.is_some_and(|home| home.is_same_place(&value));
        let spare = home.filter(|_| !writable).cloned();
        Fold { c, op, value, writable, room, spare, _memory: vec![scratch] }
    }

    /// The value so far; to be sent, not to be changed.
    pub fn value(&self) -> &Data {
        &self.value
    }

    /// Where to put the next operand.
    pub fn room(&self) -> &Data {
        &self.room
    }

    /// `value = value op room`
    pub fn append(&mut self) {
        // SAFETY: both hold the elements of one operand (`Coll::new`'s contract for the user's);
        // the room is never the value.
        unsafe { self.op.run(&self.value, &self.room) };
        std::mem::swap(&mut self.value, &mut self.room);
        if !self.writable {
            self.room = self.take_spare();
        }
        self.writable = true;
    }

    /// `value = room op value`
    pub fn prepend(&mut self) -> Result<()> {
        if !self.writable {
            let place = self.take_spare();
            self.c.copy(&self.value, &place)?;
            self.value = place;
            self.writable = true;
        }
        // SAFETY: as in `append`; the value lies in our memory or at home.
        unsafe { self.op.run(&self.room, &self.value) };
        Ok(())
    }

    fn take_spare(&mut self) -> Data {
        self.spare.take().unwrap_or_else(|| {
            let scratch = Scratch::new(self.value.count, &self.value.ty);
            let data = scratch.data.clone();
            self._memory.push(scratch);
            data
        })
    }

    /// Puts the value where it is wanted.
    pub fn finish(self, home: &Data) -> Result<()> {
        self.c.copy(&self.value, home)
    }
}
