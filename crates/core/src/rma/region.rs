//! Memory attached to dynamic windows (MPI 5.0, section 12.2.4). The list lies with its owner; a
//! copy in the shared memory lets origins check where they write.

use super::Win;
use crate::error::{Class, Error, Result};

impl Win {
    /// `MPI_Win_attach`
    pub fn attach(&self, start: usize, len: i64) -> Result<()> {
        self.require_dynamic("MPI_Win_attach")?;
        let (start, len) = (start as u64, len as u64);
        let mut regions = self.regions.borrow_mut();
        let end = start.saturating_add(len);
        if let Some((first, bytes)) = regions.iter().find(|(f, n)| start < f + n && *f < end) {
            let text = format!(
                "{len} bytes at {start:#x} overlap the {bytes} bytes at {first:#x}, which are \
                 attached already"
            );
            return Err(Error::new(Class::RMA_ATTACH, text));
        }
        regions.push((start, len));
        self.control.publish_regions(self.me(), &regions);
        Ok(())
    }

    /// `MPI_Win_detach`
    pub fn detach(&self, start: usize) -> Result<()> {
        self.require_dynamic("MPI_Win_detach")?;
        let mut regions = self.regions.borrow_mut();
        let Some(index) = regions.iter().position(|(first, _)| *first == start as u64) else {
            let text = format!("no memory that begins at {start:#x} is attached to the window");
            return Err(Error::new(Class::RMA_ATTACH, text));
        };
        regions.remove(index);
        self.control.publish_regions(self.me(), &regions);
        Ok(())
    }

    /// Whether this process shows the bytes `[start, start + len)`, for messages that use them.
    pub(super) fn shows(&self, start: u64, len: u64) -> bool {
        let Some(end) = start.checked_add(len) else { return false };
        if self.flavor == super::Flavor::Dynamic {
            return super::control::covered(&mut self.regions.borrow().clone(), start, end);
        }
        let own = &self.places[self.me() as usize];
        let base = own.base as u64;
        start >= base && end <= base.saturating_add(own.size as u64)
    }
}
