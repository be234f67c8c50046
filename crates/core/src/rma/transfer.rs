//! Put and get (MPI 5.0, sections 12.3.1 and 12.3.2).

use super::reach::Way;
use super::Win;
use crate::buffer::Data;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use starling_sys::cross_memory::Direction;

impl Win {
    /// `MPI_Put`: copies `origin` to `there`, which `Win::target` has checked.
    ///
    /// # Safety
    /// The origin's buffer is readable, and the user has synchronised the accesses to the target's
    /// as section 12.7 asks.
    pub unsafe fn put(
        &self,
        rank: &'static Rank,
        target: u32,
        origin: &Data,
        there: &Data,
    ) -> Result<()> {
        fits(origin, there)?;
        match self.way(rank, target) {
            Way::Direct => {
                let (from, into) = (origin, there);
                // SAFETY: the caller's contract; the target's buffer lies in memory of ours.
                unsafe {
                    let (src, dst) = (from.addr, into.addr);
                    starling_datatype::copy(src, from.count, &from.ty, dst, into.count, &into.ty);
                }
                return Ok(());
            }
            Way::Kernel(process) => {
                let peer = (process, target);
                // SAFETY: the caller's contract.
                if unsafe { self.kernel_copy(Direction::Write, peer, origin, there) }? {
                    return Ok(());
                }
            }
            Way::Message => {}
        }
        self.put_by_message(rank, target, origin, there)
    }

    /// `MPI_Get`: copies `there` to `origin`.
    ///
    /// # Safety
    /// As for [`Win::put`], with an origin's buffer that is writable and unused by others.
    pub unsafe fn get(
        &self,
        rank: &'static Rank,
        target: u32,
        origin: &Data,
        there: &Data,
    ) -> Result<()> {
        fits(there, origin)?;
        match self.way(rank, target) {
            Way::Direct => {
                let (from, into) = (there, origin);
                // SAFETY: the caller's contract; the target's buffer lies in memory of ours.
                unsafe {
                    let (src, dst) = (from.addr, into.addr);
                    starling_datatype::copy(src, from.count, &from.ty, dst, into.count, &into.ty);
                }
                return Ok(());
            }
            Way::Kernel(process) => {
                let peer = (process, target);
                // SAFETY: the caller's contract.
                if unsafe { self.kernel_copy(Direction::Read, peer, origin, there) }? {
                    return Ok(());
                }
            }
            Way::Message => {}
        }
        self.get_by_message(rank, target, origin, there)
    }
}

/// The data must fit in the buffer it goes to.
pub(super) fn fits(from: &Data, into: &Data) -> Result<()> {
    if from.bytes() <= into.bytes() {
        return Ok(());
    }
    let text = format!(
        "{} bytes are to be copied into a buffer of {} bytes; counts and datatypes of origin and \
         target must describe the same amount of data",
        from.bytes(),
        into.bytes()
    );
    Err(Error::new(Class::TRUNCATE, text))
}
