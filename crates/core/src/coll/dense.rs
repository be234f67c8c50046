//! A buffer as one piece of packed bytes, for algorithms that cut messages where they like: types
//! may differ between processes, so only packed bytes can be cut alike everywhere.

use super::Coll;
use crate::buffer::{Data, Scratch};
use crate::error::Result;

/// The packed bytes of a buffer: the buffer itself if it lies in one piece, otherwise a copy.
pub(super) struct Dense {
    bytes: Data,
    copy: Option<(Scratch, Data)>,
}

impl Dense {
    /// The bytes of `data`; `load` says whether what it holds now is needed.
    pub fn new(c: &Coll, data: &Data, load: bool) -> Dense {
        let ty = c.byte_type();
        if data.ty.is_contiguous() {
            let addr = data.addr.wrapping_offset(data.ty.true_lb() as isize);
            let bytes = Data { addr, count: data.bytes() as i64, ty };
            return Dense { bytes, copy: None };
        }
        let scratch = if load { c.packed(data) } else { c.scratch(data.bytes()) };
        Dense { bytes: scratch.data.clone(), copy: Some((scratch, data.clone())) }
    }

    /// The bytes `from .. to`.
    pub fn range(&self, from: u64, to: u64) -> Data {
        self.bytes.part(from as i64, (to - from) as i64)
    }

    /// Puts the bytes back where they belong.
    pub fn store(self, c: &Coll) -> Result<()> {
        match self.copy {
            Some((scratch, data)) => c.copy(&scratch.data, &data),
            None => Ok(()),
        }
    }
}
