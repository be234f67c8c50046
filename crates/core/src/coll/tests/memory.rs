//! Buffers of the tests: memory in the layout of a type, with guards around it. Whatever is not
//! data keeps its filling, so comparing whole memories also finds writes that went astray.

use crate::buffer::Data;
use crate::coll::Blocks;
use starling_datatype::{self as datatype, Basic, Datatype};
use std::rc::Rc;
use std::sync::OnceLock;

/// Bytes before and behind.
const GUARD: usize = 64;

/// `count` elements of `ty`, and guards.
pub struct Memory {
    bytes: Vec<u8>,
    /// Where in `bytes` the address that MPI is given lies.
    origin: usize,
    count: i64,
    ty: Rc<Datatype>,
}

impl Memory {
    /// Holds no data yet.
    pub fn new(ty: &Rc<Datatype>, count: i64) -> Memory {
        let (before, behind) = ((-ty.true_lb()).max(0), ty.true_lb().max(0) + ty.true_extent());
        let len = before + count * ty.extent() + behind;
        let origin = GUARD + before as usize;
        Memory { bytes: vec![0xEE; len as usize + 2 * GUARD], origin, count, ty: ty.clone() }
    }

    /// Holds these packed bytes.
    pub fn with(ty: &Rc<Datatype>, packed: &[u8]) -> Memory {
        let mut memory = Memory::new(ty, packed.len() as i64 / ty.size());
        memory.write(0, packed);
        memory
    }

    /// Puts packed bytes at element `skip`.
    pub fn write(&mut self, skip: i64, packed: &[u8]) {
        let data = self.data().part(skip, packed.len() as i64 / self.ty.size());
        assert!(skip + data.count <= self.count);
        // SAFETY: within the memory, as was checked.
        unsafe { datatype::unpack(packed, data.addr, data.count, &self.ty, 0) };
    }

    /// All of it, as an argument.
    pub fn data(&mut self) -> Data {
        let addr = self.bytes.as_mut_ptr().wrapping_add(self.origin);
        Data { addr, count: self.count, ty: self.ty.clone() }
    }

    /// The first of `n` equal blocks.
    pub fn block_of(&mut self, n: u32) -> Data {
        let data = self.data();
        data.part(0, data.count / n as i64)
    }

    /// Blocks of different sizes.
    pub fn blocks(&mut self, counts: &[i64], displs: &[i64]) -> Blocks {
        Blocks::varying(self.data().addr, counts.into(), displs.into(), self.ty.clone())
    }

    /// The same, described by bytes and types.
    pub fn typed_blocks(&mut self, counts: &[i64], displs: &[i64]) -> Blocks {
        let displs = displs.iter().map(|d| d * self.ty.extent()).collect();
        let types = vec![self.ty.clone(); counts.len()].into();
        Blocks::typed(self.data().addr, counts.into(), displs, types)
    }

    /// The data, packed.
    pub fn packed(&mut self) -> Vec<u8> {
        let data = self.data();
        let mut out = vec![0; data.bytes() as usize];
        // SAFETY: the data lies within the memory.
        unsafe { datatype::pack(data.addr, data.count, &self.ty, 0, &mut out) };
        out
    }

    /// Fails unless it equals `expected`, guards and gaps included.
    pub fn check(&self, expected: &Memory, what: &dyn Fn() -> String) {
        if self.bytes == expected.bytes {
            return;
        }
        let at = self.bytes.iter().zip(&expected.bytes).position(|(is, want)| is != want);
        let offset = at.unwrap_or(self.bytes.len()) as i64 - self.origin as i64;
        panic!("{}: byte {offset} of {} elements is wrong", what(), self.count);
    }
}

/// `MPI_INT32_T`
pub fn int() -> Rc<Datatype> {
    Datatype::basic(Basic::Int32)
}

/// One 32-bit integer per element, with gaps before and behind and a negative lower bound.
pub fn sparse() -> Rc<Datatype> {
    let shifted = Datatype::hindexed(&[1], &[4], &int()).unwrap();
    Datatype::resized(-4, 20, &shifted).unwrap()
}

/// The types by which the processes describe the same integers: all alike, or each its own.
#[derive(Clone, Copy, Debug)]
pub enum Types {
    Ints,
    Sparse,
    Mixed,
}

impl Types {
    pub const ALL: [Types; 3] = [Types::Ints, Types::Sparse, Types::Mixed];

    /// The type on the process (or for the buffer) with this number.
    pub fn of(self, number: u32) -> Rc<Datatype> {
        match self {
            Types::Ints => int(),
            Types::Sparse => sparse(),
            Types::Mixed if number.is_multiple_of(2) => sparse(),
            Types::Mixed => int(),
        }
    }
}

/// What `block` gives for 0..n, one behind the other.
pub fn joined(n: u32, block: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    (0..n).map(block).collect::<Vec<_>>().concat()
}

/// `count` packed integers that are unlike those of nearby seeds.
pub fn pattern(seed: u32, count: i64) -> Vec<u8> {
    // Computed once: tests are built without optimisation.
    static NUMBERS: OnceLock<Vec<u8>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state ^ state >> 15).to_ne_bytes()
        };
        (0..300_000).flat_map(|_| next()).collect()
    });
    let skip = 4 * (seed as usize * 977 % 100_000);
    numbers[skip..skip + 4 * count as usize].to_vec()
}
