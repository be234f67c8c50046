//! Data representations (MPI 5.0, section 14.5): how many bytes elements take in a file, and the
//! conversion between memory and file. "native" and "internal" are memory's own; "external32" is
//! the portable one; others are the user's, whose functions `abi` calls.

use crate::buffer::Data;
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use starling_datatype::{external32, Basic, Combiner, Datatype, TypeError};
use std::rc::Rc;

/// A representation that the user registered.
pub trait Conversion {
    /// Bytes that an element of a predefined type takes in the file.
    fn file_extent(&self, basic: Basic) -> Result<i64>;

    /// Whether the bytes are those of memory, so that no function is called for this direction.
    fn is_plain(&self, reads: bool) -> bool;

    /// Converts the first `items` elements (of predefined types) in `file` to memory.
    fn read(&self, rank: &'static Rank, into: &Data, items: i64, file: &mut [u8]) -> Result<()>;

    /// Converts the first `items` elements (of predefined types) in memory to `file`.
    fn write(&self, rank: &'static Rank, from: &Data, items: i64, file: &mut [u8]) -> Result<()>;
}

/// See the module's page.
#[derive(Clone)]
pub enum Representation {
    /// "native": as in memory.
    Native,
    /// "internal": as in memory, too.
    Internal,
    /// "external32", section 14.5.2.
    External32,
    /// Registered under this name.
    User(Rc<str>, Rc<dyn Conversion>),
}

/// So many elements of a predefined type, and the bytes of one in memory and in the file.
#[derive(Clone, Copy)]
struct Run {
    count: u64,
    native: u64,
    file: u64,
}

impl Representation {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Representation::Native => "native",
            Representation::Internal => "internal",
            Representation::External32 => "external32",
            Representation::User(name, _) => name,
        }
    }

    /// Whether types have the same size and extent in the file as in memory.
    pub fn is_native(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }

    fn basic_size(&self, basic: Basic) -> Result<i64> {
        match self {
            Representation::Native | Representation::Internal => Ok(basic.size() as i64),
            Representation::External32 => Ok(external32::basic_size(basic) as i64),
            Representation::User(_, conversion) => conversion.file_extent(basic),
        }
    }

    /// The type as it lies in the file: its constructors applied to elements as large as they are
    /// there. Displacements in bytes stay (section 14.5.1).
    pub fn in_file(&self, ty: &Rc<Datatype>) -> Result<Rc<Datatype>> {
        if self.is_native() {
            return Ok(ty.clone());
        }
        self.rebuilt(ty)
    }

    fn rebuilt(&self, ty: &Rc<Datatype>) -> Result<Rc<Datatype>> {
        use Combiner::*;
        let new = match ty.combiner() {
            Named(basic) => plain(self.basic_size(*basic)?),
            F90Real { .. } | F90Complex { .. } | F90Integer { .. } | ValueIndex { .. } => {
                plain(self.file_bytes(ty, 1)? as i64)
            }
            Dup { inner } => return self.rebuilt(inner),
            Contiguous { count, inner } => Datatype::contiguous(*count, &self.rebuilt(inner)?),
            Vector { count, blocklength, stride, inner } => {
                Datatype::vector(*count, *blocklength, *stride, &self.rebuilt(inner)?)
            }
            Hvector { count, blocklength, stride, inner } => {
                Datatype::hvector(*count, *blocklength, *stride, &self.rebuilt(inner)?)
            }
            Indexed { blocklengths, displacements, inner } => {
                Datatype::indexed(blocklengths, displacements, &self.rebuilt(inner)?)
            }
            Hindexed { blocklengths, displacements, inner } => {
                Datatype::hindexed(blocklengths, displacements, &self.rebuilt(inner)?)
            }
            IndexedBlock { blocklength, displacements, inner } => {
                Datatype::indexed_block(*blocklength, displacements, &self.rebuilt(inner)?)
            }
            HindexedBlock { blocklength, displacements, inner } => {
                Datatype::hindexed_block(*blocklength, displacements, &self.rebuilt(inner)?)
            }
            Struct { blocklengths, displacements, types } => {
                let types: Result<Vec<_>> = types.iter().map(|ty| self.rebuilt(ty)).collect();
                Datatype::structured(blocklengths, displacements, &types?)
            }
            Subarray { sizes, subsizes, starts, order, inner } => {
                Datatype::subarray(sizes, subsizes, starts, *order, &self.rebuilt(inner)?)
            }
            Darray { size, rank, gsizes, distribs, dargs, psizes, order, inner } => {
                let inner = self.rebuilt(inner)?;
                Datatype::darray(*size, *rank, gsizes, distribs, dargs, psizes, *order, &inner)
            }
            Resized { lb, extent, inner } => Datatype::resized(*lb, *extent, &self.rebuilt(inner)?),
        };
        new.map_err(too_large)
    }

    fn runs(&self, ty: &Datatype) -> Result<Vec<Run>> {
        let mut merged: Vec<(Basic, u64)> = Vec::new();
        ty.for_each_leaf(&mut |leaf| match merged.last_mut() {
            Some((basic, count)) if *basic == leaf.basic => *count += leaf.count,
            _ => merged.push((leaf.basic, leaf.count)),
        });
        let run = |(basic, count): &(Basic, u64)| {
            let file = self.basic_size(*basic)? as u64;
            Ok(Run { count: *count, native: basic.size() as u64, file })
        };
        merged.iter().map(run).collect()
    }

    /// Bytes that `count` elements of `ty` take in the file.
    pub fn file_bytes(&self, ty: &Datatype, count: i64) -> Result<u64> {
        if self.is_native() {
            return Ok((ty.size() * count) as u64);
        }
        let one: u64 = self.runs(ty)?.iter().map(|run| run.count * run.file).sum();
        one.checked_mul(count as u64).filter(|n| *n <= i64::MAX as u64).ok_or_else(|| {
            let text = format!("{count} elements of {one} bytes in the file exceed 2^63 bytes");
            Error::new(Class::COUNT, text)
        })
    }

    /// What `bytes` bytes in the file are in memory: how many whole elements of predefined types,
    /// and their bytes, for data of type `ty`.
    pub fn in_memory(&self, ty: &Datatype, bytes: u64) -> Result<(i64, u64)> {
        let runs = self.runs(ty)?;
        let one: u64 = runs.iter().map(|run| run.count * run.file).sum();
        if one == 0 {
            return Ok((0, 0));
        }
        let (whole, mut rest) = (bytes / one, bytes % one);
        let mut items = whole * runs.iter().map(|run| run.count).sum::<u64>();
        let mut native = whole * runs.iter().map(|run| run.count * run.native).sum::<u64>();
        for run in runs {
            let here = rest.checked_div(run.file).map_or(run.count, |n| n.min(run.count));
            items += here;
            native += here * run.native;
            rest -= here * run.file;
            if here < run.count {
                break;
            }
        }
        Ok((items as i64, native))
    }
}

/// A type of `size` bytes without structure.
fn plain(size: i64) -> std::result::Result<Rc<Datatype>, TypeError> {
    Datatype::contiguous(size, &Datatype::basic(Basic::Byte))
}

fn too_large(error: TypeError) -> Error {
    Error::new(Class::TYPE, format!("the type cannot be represented in the file: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_follow_the_elements_and_bytes_stay() {
        let long = Datatype::basic(Basic::Long);
        let vector = Datatype::vector(3, 1, 2, &long).unwrap();
        let ext = Representation::External32;
        let file = ext.in_file(&vector).unwrap();
        assert_eq!((file.size(), file.extent()), (12, 20));
        let apart = Datatype::hvector(3, 1, 100, &long).unwrap();
        assert_eq!(ext.in_file(&apart).unwrap().extent(), 204);
        assert_eq!(ext.file_bytes(&vector, 5).unwrap(), 60);
        assert_eq!(ext.in_memory(&vector, 7).unwrap(), (1, 8));
        assert_eq!(ext.in_memory(&vector, 24).unwrap(), (6, 48));
        assert!(Rc::ptr_eq(&Representation::Native.in_file(&vector).unwrap(), &vector));
    }

    #[test]
    fn mixed_types_are_cut_at_whole_elements() {
        let types = [Datatype::basic(Basic::Int), Datatype::basic(Basic::Long)];
        let mixed = Datatype::structured(&[1, 2], &[0, 8], &types).unwrap();
        let ext = Representation::External32;
        assert_eq!(ext.file_bytes(&mixed, 1).unwrap(), 12);
        assert_eq!(ext.in_memory(&mixed, 11).unwrap(), (2, 12));
        assert_eq!(ext.in_memory(&mixed, 12 + 3).unwrap(), (3, 20));
    }
}
