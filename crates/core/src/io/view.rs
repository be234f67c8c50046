//! File views (MPI 5.0, section 14.3): which bytes of the file a process sees, in which order.
//!
//! The data that a process sees is a stream of bytes: those of the filetype, tiled from the
//! displacement on. Offsets of MPI count etypes of that stream. Used by every data access.

use super::representation::Representation;
use crate::error::{Class, Error, Result};
use starling_datatype::{blocks, Basic, Block, Datatype};
use std::rc::Rc;

/// See the module's page.
pub struct View {
    /// Absolute byte where the view begins.
    pub disp: i64,
    /// The unit of offsets, as given.
    pub etype: Rc<Datatype>,
    /// The template, as given.
    pub filetype: Rc<Datatype>,
    /// How data looks like in the file.
    pub representation: Representation,
    /// Bytes of an etype in the file.
    pub unit: u64,
    /// The filetype as it lies in the file.
    tile: Rc<Datatype>,
}

/// Blocks of a filetype that are looked at in one go.
const BLOCKS: usize = 1 << 14;

fn refuse<T>(class: Class, text: impl Into<String>) -> Result<T> {
    Err(Error::new(class, text))
}

impl View {
    /// The view that a file has when it is opened: its bytes.
    pub fn bytes() -> View {
        let byte = Datatype::basic(Basic::Byte);
        byte.set_committed();
        View {
            disp: 0,
            etype: byte.clone(),
            filetype: byte.clone(),
            representation: Representation::Native,
            unit: 1,
            tile: byte,
        }
    }

    /// A view; an error if the types do not go together or with the access mode.
    pub fn new(
        disp: i64,
        etype: Rc<Datatype>,
        filetype: Rc<Datatype>,
        representation: Representation,
        is_writable: bool,
    ) -> Result<View> {
        if disp < 0 {
            return refuse(
                Class::ARG,
                format!("the displacement is {disp}; it must not be negative"),
            );
        }
        let unit_type = representation.in_file(&etype)?;
        let tile = representation.in_file(&filetype)?;
        let (unit, size) = (unit_type.size(), tile.size());
        if (unit == 0 && size > 0) || (unit > 0 && size % unit != 0) {
            let text = format!(
                "the filetype has {size} bytes and the etype {unit}; a filetype is an etype or \
                 made of several of the same etype"
            );
            return refuse(Class::ARG, text);
        }
        check_tile(&tile, is_writable)?;
        Ok(View { disp, etype, filetype, representation, unit: unit as u64, tile })
    }

    /// Whether no data can be accessed through it.
    pub fn is_empty(&self) -> bool {
        self.tile.size() == 0
    }

    /// An error if the stream's byte `end` lies beyond the largest offset.
    pub fn check_end(&self, end: u64) -> Result<()> {
        let tile = &self.tile;
        let tiles = end as i128 / (tile.size() as i128).max(1) + 1;
        let last = self.disp as i128 + tiles * tile.extent() as i128 + tile.true_extent() as i128;
        if i64::try_from(last + tile.true_lb() as i128).is_ok() {
            return Ok(());
        }
        refuse(Class::ARG, "the access goes beyond the largest file offset, 2^63 - 1 bytes")
    }

    /// Appends the places in the file of the stream's bytes from `skip` on, at most `bytes` bytes
    /// and `most` places, in the stream's order; `addr` is the file's offset. Returns the bytes.
    pub fn places(&self, skip: u64, bytes: u64, most: usize, out: &mut Vec<Block>) -> u64 {
        if self.is_empty() || bytes == 0 {
            return 0;
        }
        // Whole tiles in front of it are skipped here, so that the count below stays small.
        let size = self.tile.size() as u64;
        let (whole, skip) = (skip / size, skip % size);
        let base = self.disp.wrapping_add((whole as i64).wrapping_mul(self.tile.extent()));
        let tiles = (skip + bytes).div_ceil(size) as i64;
        blocks(base as usize, tiles, &self.tile, skip, bytes, most, out)
    }

    /// Where the stream's byte `skip` lies in the file.
    pub fn byte_at(&self, skip: u64) -> i64 {
        let mut place = Vec::new();
        match self.places(skip, 1, 1, &mut place) {
            0 => self.disp,
            _ => place[0].addr as i64,
        }
    }

    /// How many bytes of the stream lie before byte `size` of the file.
    pub fn bytes_before(&self, size: u64) -> u64 {
        let inside = size as i64 - self.disp;
        if inside <= 0 || self.is_empty() {
            return 0;
        }
        if self.tile.is_contiguous() {
            return (inside - self.tile.true_lb()).max(0) as u64;
        }
        // Tiles that surely lie before it need not be looked into.
        let end = self.tile.true_lb() + self.tile.true_extent();
        let whole = ((inside - end) / self.tile.extent() + 1).max(0) as u64;
        let mut before = match inside >= end {
            true => whole * self.tile.size() as u64,
            false => 0,
        };
        let mut list = Vec::new();
        loop {
            list.clear();
            self.places(before, 1 << 40, BLOCKS, &mut list);
            for block in &list {
                let left = (size as usize).saturating_sub(block.addr);
                before += block.len.min(left) as u64;
                if left < block.len {
                    return before;
                }
            }
        }
    }

    /// The offset, in etypes, of the first etype behind the end of a file of `size` bytes.
    pub fn end_of_file(&self, size: u64) -> i64 {
        self.bytes_before(size).div_ceil(self.unit.max(1)) as i64
    }
}

/// Section 14.3: displacements are not negative and do not go back; for writing nothing overlaps.
fn check_tile(tile: &Datatype, is_writable: bool) -> Result<()> {
    if tile.size() == 0 {
        return Ok(());
    }
    if tile.true_lb() < 0 {
        return refuse(Class::TYPE, "the filetype has negative displacements");
    }
    if tile.extent() <= 0 {
        let text = format!("the extent of the filetype is {}; it must be positive", tile.extent());
        return refuse(Class::TYPE, text);
    }
    if tile.is_contiguous() {
        return Ok(());
    }
    let size = tile.size() as u64;
    let (mut seen, mut start, mut end) = (0, 0, 0);
    let mut list = Vec::new();
    // One tile, and the beginning of the next.
    while seen < size + 1 {
        list.clear();
        seen += blocks(0, 2, tile, seen, size + 1 - seen, BLOCKS, &mut list);
        for block in &list {
            if block.addr < start {
                let text = "the displacements of the filetype go back; they must not decrease";
                return refuse(Class::TYPE, text);
            }
            if is_writable && block.addr < end {
                let text = "the filetype overlaps itself, which is allowed only for files that \
                            are opened with MPI_MODE_RDONLY";
                return refuse(Class::TYPE, text);
            }
            start = block.addr;
            end = end.max(block.addr + block.len);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(filetype: Rc<Datatype>) -> Result<View> {
        let byte = Datatype::basic(Basic::Byte);
        View::new(10, byte, filetype, Representation::Native, true)
    }

    #[test]
    fn offsets_follow_the_tiles() {
        let byte = Datatype::basic(Basic::Byte);
        // Two of each five bytes: .XX..
        let two = Datatype::indexed(&[2], &[1], &byte).unwrap();
        let v = view(Datatype::resized(0, 5, &two).unwrap()).unwrap();
        let at: Vec<i64> = (0..5).map(|i| v.byte_at(i)).collect();
        assert_eq!(at, [11, 12, 16, 17, 21]);
        // Counted one by one, for every size of the file.
        for size in 0..60 {
            let slow = (0..100).filter(|i| v.byte_at(*i) < size as i64).count() as u64;
            assert_eq!(v.bytes_before(size), slow, "size {size}");
        }
        let mut places = Vec::new();
        assert_eq!(v.places(1, 4, 100, &mut places), 4);
        let places: Vec<_> = places.iter().map(|b| (b.addr, b.len)).collect();
        assert_eq!(places, [(12, 1), (16, 2), (21, 1)]);
    }

    #[test]
    fn filetypes_that_go_back_or_overlap_are_refused() {
        let byte = Datatype::basic(Basic::Byte);
        let back = Datatype::indexed(&[1, 1], &[4, 0], &byte).unwrap();
        assert_eq!(view(back).map(|_| ()).map_err(|e| e.class()), Err(Class::TYPE));
        let over = Datatype::indexed(&[2, 2], &[0, 1], &byte).unwrap();
        assert!(view(over.clone()).is_err());
        let only_read = View::new(0, byte.clone(), over, Representation::Native, false);
        assert!(only_read.is_ok());
        let far = Datatype::indexed(&[1, 1], &[0, 4], &byte).unwrap();
        assert!(view(Datatype::resized(0, 3, &far).unwrap()).is_err());
        assert!(view(Datatype::resized(0, 0, &far).unwrap()).is_err());
    }
}
