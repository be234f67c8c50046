//! A user's buffer as the engine sees it: where, how many bytes, in which layout.
//! Made by `abi` (once per call) and by the collectives; used by the protocols.

use starling_datatype::{self as datatype, Datatype};
use starling_sys::cross_memory::Piece;
use std::rc::Rc;

/// Where the bytes of a message are.
#[derive(Clone)]
pub struct Buffer {
    base: *mut u8,
    bytes: u64,
    /// Count and type where the bytes do not lie in one piece.
    typed: Option<(i64, Rc<Datatype>)>,
}

impl Buffer {
    /// `bytes` bytes in one piece from `base` on.
    pub fn contiguous(base: *mut u8, bytes: u64) -> Buffer {
        Buffer { base, bytes, typed: None }
    }

    /// No bytes.
    pub fn empty() -> Buffer {
        Buffer::contiguous(std::ptr::null_mut(), 0)
    }

    /// `count` elements of `ty`, for which MPI was given the address `base`.
    pub fn new(base: *mut u8, count: i64, ty: &Rc<Datatype>) -> Buffer {
        let bytes = (count * ty.size()) as u64;
        if ty.is_contiguous() {
            Buffer::contiguous(base.wrapping_offset(ty.true_lb() as isize), bytes)
        } else {
            Buffer { base, bytes, typed: Some((count, ty.clone())) }
        }
    }

    /// Length of the packed message in bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes where they lie in one piece.
    ///
    /// # Safety
    /// The user's buffer is readable and nobody writes to it meanwhile.
    #[inline]
    pub unsafe fn as_slice(&self) -> Option<&[u8]> {
        match (&self.typed, self.bytes) {
            (None, 0) => Some(&[]),
            // SAFETY: the caller's contract; not null, for otherwise `abi` refuses the call.
            (None, n) => Some(unsafe { std::slice::from_raw_parts(self.base, n as usize) }),
            (Some(_), _) => None,
        }
    }

    /// Address of the first byte, where they lie in one piece.
    pub fn address(&self) -> Option<usize> {
        self.typed.is_none().then_some(self.base as usize)
    }

    /// Packs from byte `skip` of the message on into `out`; returns how many bytes.
    ///
    /// # Safety
    /// The user's buffer is readable and nobody writes to it meanwhile.
    pub unsafe fn pack(&self, skip: u64, out: &mut [u8]) -> usize {
        match &self.typed {
            None => {
                let len = (self.bytes.saturating_sub(skip) as usize).min(out.len());
                if len > 0 {
                    // SAFETY: skip + len <= bytes, and the caller vouches for the buffer.
                    unsafe {
                        let from = self.base.add(skip as usize);
                        std::ptr::copy_nonoverlapping(from, out.as_mut_ptr(), len);
                    }
                }
                len
            }
            // SAFETY: the caller vouches for the buffer.
            Some((count, ty)) => unsafe { datatype::pack(self.base, *count, ty, skip, out) },
        }
    }

    /// Unpacks `data` as the bytes from `skip` on of the message; returns how many bytes.
    ///
    /// # Safety
    /// The user's buffer is writable and nobody else uses it meanwhile.
    #[inline]
    pub unsafe fn unpack(&self, skip: u64, data: &[u8]) -> usize {
        match &self.typed {
            None => {
                let len = (self.bytes.saturating_sub(skip) as usize).min(data.len());
                if len > 0 {
                    // SAFETY: skip + len <= bytes, and the caller vouches for the buffer.
                    unsafe {
                        let into = self.base.add(skip as usize);
                        std::ptr::copy_nonoverlapping(data.as_ptr(), into, len);
                    }
                }
                len
            }
            // SAFETY: the caller vouches for the buffer.
            Some((count, ty)) => unsafe { datatype::unpack(data, self.base, *count, ty, skip) },
        }
    }

    /// The pieces of memory that hold the first `bytes` bytes of the message, in order.
    pub fn pieces(&self, bytes: u64) -> Vec<Piece> {
        match &self.typed {
            None => vec![Piece { addr: self.base as usize, len: bytes as usize }],
            Some((count, ty)) => {
                let mut out = Vec::new();
                datatype::blocks(self.base as usize, *count, ty, 0, bytes, usize::MAX, &mut out);
                out.iter().map(|b| Piece { addr: b.addr, len: b.len }).collect()
            }
        }
    }
}

/// A buffer argument of a collective: address, count, type. Parts of it become [`Buffer`]s.
#[derive(Clone)]
pub struct Data {
    /// The address MPI was given.
    pub addr: *mut u8,
    /// Number of elements.
    pub count: i64,
    /// Their type.
    pub ty: Rc<Datatype>,
}

impl Data {
    /// All of it.
    pub fn buffer(&self) -> Buffer {
        Buffer::new(self.addr, self.count, &self.ty)
    }

    /// `count` elements, `skip` extents from the start.
    pub fn part(&self, skip: i64, count: i64) -> Data {
        let offset = skip * self.ty.extent();
        Data { addr: self.addr.wrapping_offset(offset as isize), count, ty: self.ty.clone() }
    }

    /// Length of the packed message in bytes.
    pub fn bytes(&self) -> u64 {
        (self.count * self.ty.size()) as u64
    }

    /// Whether both are the same memory. Addresses alone do not tell: with types that carry
    /// absolute addresses they are all `MPI_BOTTOM`.
    pub fn is_same_place(&self, other: &Data) -> bool {
        self.addr == other.addr && Rc::ptr_eq(&self.ty, &other.ty)
    }
}

/// Memory of the engine's own that holds elements of a type, in the type's layout, so that a
/// reduction can run on it. Freed when dropped.
pub struct Scratch {
    _memory: Vec<u8>,
    /// The elements.
    pub data: Data,
}

impl Scratch {
    /// Room for `count` elements of `ty`, zeroed.
    pub fn new(count: i64, ty: &Rc<Datatype>) -> Scratch {
        let span = if count == 0 { 0 } else { ty.true_extent() + (count - 1) * ty.extent().abs() };
        let mut memory = vec![0u8; span as usize + 16];
        // A negative extent places later elements in front of the first.
        let back = if ty.extent() < 0 { (count - 1).max(0) * -ty.extent() } else { 0 };
        // Elements are at least as aligned as the compiler wants for any basic type.
        let first = memory.as_mut_ptr().wrapping_add(memory.as_ptr().align_offset(16));
        let addr = first.wrapping_offset((back - ty.true_lb()) as isize);
        Scratch { _memory: memory, data: Data { addr, count, ty: ty.clone() } }
    }
}
