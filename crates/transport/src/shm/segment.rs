//! The segment: one memfd per node that all its ranks map. Made by the launcher (or by an elected
//! rank under a foreign launcher), handed over by descriptor, never named.
//!
//! ```text
//! 0                 header      4096 bytes: sizes, fences, the allocator's position
//! rank_blocks       per rank, a multiple of 128 bytes:
//!                     0  bell          64 bytes
//!                    64  process id    u32, 0 until the rank has attached
//!                    68  heard         u32, 1 if heavy fences reach the process
//!                    72  probe         u64, address of the word that proves single copy works
//!                   128  pending       a bit per rank: a ring from it may hold something
//! directory         u64 per (receiver, sender): offset of the ring, 0 until it is made
//! heap              rings, given out from the front
//! ```
//! Only offsets are stored, never addresses (`probe` is an address in the other process, and only
//! the kernel dereferences it). Offsets read from the segment are checked before use.
//! Pages cost nothing until used; what is about to be used is reserved first (`Mapping::reserve`),
//! so that lack of memory is an error and not a SIGBUS.

use crate::TransportError;
use starling_sys::bell::Bell;
use starling_sys::fence::Fences;
use starling_sys::memory::{self, Mapping};
use starling_sys::queue::spsc_ring::Geometry;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const MAGIC: u64 = u64::from_ne_bytes(*b"starling");
/// Changes whenever the layout does: launcher and library must agree.
const VERSION: u32 = 1;
const PAGE: usize = 4096;
/// What `probe` points to in every process that has attached.
pub(super) static PROBE: u64 = MAGIC;

#[repr(C)]
struct Header {
    magic: u64,
    version: u32,
    ranks: u32,
    slots: u32,
    asymmetric_fences: u32,
    payload: u64,
    heap_next: AtomicU64,
}

#[repr(C)]
struct RankBlock {
    bell: Bell,
    process: AtomicU32,
    heard: AtomicU32,
    probe: AtomicU64,
    _pad: [u64; 6],
}

const _: () = assert!(size_of::<Header>() == 40 && size_of::<Header>() <= PAGE);
const _: () = assert!(size_of::<RankBlock>() == 128);
const _: () = assert!(std::mem::offset_of!(RankBlock, process) == 64);
const _: () = assert!(std::mem::offset_of!(RankBlock, probe) == 72);

/// Offsets of the parts, computed from the number of ranks and the rings' size.
#[derive(Clone, Copy)]
struct Plan {
    rank_stride: usize,
    directory: usize,
    heap: usize,
    len: usize,
}

impl Plan {
    fn new(ranks: u32, geometry: Geometry) -> Option<Plan> {
        let n = ranks as usize;
        let words = n.div_ceil(64);
        let rank_stride = (size_of::<RankBlock>() + words * 8).next_multiple_of(128);
        let directory = (PAGE + n.checked_mul(rank_stride)?).next_multiple_of(PAGE);
        let heap = (directory + n.checked_mul(n)?.checked_mul(8)?).next_multiple_of(PAGE);
        let ring = geometry.bytes().next_multiple_of(PAGE);
        let len = heap.checked_add(n.checked_mul(n.max(2) - 1)?.checked_mul(ring)?)?;
        (len < 1 << 46).then_some(Plan { rank_stride, directory, heap, len })
    }
}

/// The rings' size that the tunables ask for, made valid: powers of two, large enough.
fn geometry_from_tunables() -> Geometry {
    let tunables = starling_settings::tunables();
    let slots = (tunables.ring_slots as usize).next_power_of_two().max(2);
    let payload = (tunables.ring_bytes as usize).next_power_of_two().max(32768);
    Geometry { slots, payload }
}

/// Makes the segment of a node with `ranks` ranks and writes its header. The launcher calls this
/// and lets the ranks inherit the descriptor.
pub fn create(ranks: u32) -> io::Result<OwnedFd> {
    let geometry = geometry_from_tunables();
    let plan = Plan::new(ranks, geometry).ok_or_else(|| {
        io::Error::other(format!(
            "a segment for {ranks} ranks with rings of {} bytes does not fit in the address \
             space; use fewer ranks or smaller STARLING_RING_BYTES, STARLING_RING_SLOTS",
            geometry.bytes()
        ))
    })?;
    let fd = memory::create(plan.len as u64)?;
    let mapping = Mapping::new(fd.try_clone()?)?;
    mapping.reserve(0, plan.directory)?;
    let header = Header {
        magic: MAGIC,
        version: VERSION,
        ranks,
        slots: geometry.slots as u32,
        asymmetric_fences: Fences::probe().is_asymmetric() as u32,
        payload: geometry.payload as u64,
        heap_next: AtomicU64::new(plan.heap as u64),
    };
    // SAFETY: the mapping is at least a page long, page-aligned, and nobody else has it yet.
    unsafe { mapping.base().cast::<Header>().write(header) };
    Ok(fd)
}

/// A node's segment, mapped.
pub struct Segment {
    mapping: Mapping,
    plan: Plan,
    ranks: u32,
    geometry: Geometry,
    fences: Fences,
}

impl Segment {
    /// Maps the segment behind `fd` and checks that it is one of ours.
    pub fn map(fd: OwnedFd) -> io::Result<Segment> {
        let mapping = Mapping::new(fd)?;
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
        if mapping.len() < PAGE {
            return Err(invalid(format!("the node's segment is {} bytes", mapping.len())));
        }
        // SAFETY: a page is there; all fields are integers, so any bytes are a valid header.
        let header = unsafe { &*mapping.base().cast::<Header>() };
        if header.magic != MAGIC || header.version != VERSION {
            return Err(invalid(format!(
                "the node's segment was made by another version of Starling (layout {}, this \
                 library has {VERSION}); use launcher and library of one installation",
                header.version
            )));
        }
        let (ranks, slots) = (header.ranks, header.slots as usize);
        let geometry = Geometry { slots, payload: header.payload as usize };
        let plan = Plan::new(ranks, geometry).filter(|p| p.len == mapping.len());
        let Some(plan) = plan.filter(|_| geometry.is_valid() && ranks > 0) else {
            return Err(invalid("the node's segment has impossible sizes".into()));
        };
        let fences = Fences::join(header.asymmetric_fences != 0);
        Ok(Segment { mapping, plan, ranks, geometry, fences })
    }

    /// Ranks of the node.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Size of the rings.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The fences that this node's processes use, joined by this process.
    pub fn fences(&self) -> Fences {
        self.fences
    }

    fn header(&self) -> &Header {
        // SAFETY: checked in `map`; what changes in it is atomic.
        unsafe { &*self.mapping.base().cast::<Header>() }
    }

    fn block(&self, rank: u32) -> &RankBlock {
        assert!(rank < self.ranks);
        let offset = PAGE + rank as usize * self.plan.rank_stride;
        // SAFETY: inside the mapping by the plan, 128-byte aligned; all fields are atomics.
        unsafe { &*self.mapping.base().add(offset).cast::<RankBlock>() }
    }

    /// Where `rank` sleeps.
    pub fn bell(&self, rank: u32) -> &Bell {
        &self.block(rank).bell
    }

    /// Says that `rank` lives in this process, and where its probe word is.
    pub fn announce(&self, rank: u32, heard: bool) {
        let block = self.block(rank);
        block.probe.store(&raw const PROBE as u64, Ordering::Relaxed);
        block.heard.store(heard as u32, Ordering::Relaxed);
        // Release pairs with the Acquire in `process`.
        block.process.store(starling_sys::process_id(), Ordering::Release);
    }

    /// Process of `rank` and the address of its probe word, once it has attached.
    pub fn process(&self, rank: u32) -> Option<(u32, usize)> {
        let block = self.block(rank);
        let process = block.process.load(Ordering::Acquire);
        (process != 0).then(|| (process, block.probe.load(Ordering::Relaxed) as usize))
    }

    /// Number of words of a rank's bitmap of pending senders.
    pub fn pending_words(&self) -> usize {
        (self.ranks as usize).div_ceil(64)
    }

    /// Word `index` of `rank`'s bitmap: bit `s % 64` of word `s / 64` says that the ring from
    /// rank `s` may hold something.
    #[inline(always)]
    pub fn pending(&self, rank: u32, index: usize) -> &AtomicU64 {
        let block: *const RankBlock = self.block(rank);
        debug_assert!(index < self.pending_words());
        // SAFETY: the bitmap follows the block inside the rank's stride.
        unsafe { &*block.add(1).cast::<AtomicU64>().add(index) }
    }

    fn directory_entry(&self, receiver: u32, sender: u32) -> &AtomicU64 {
        assert!(receiver < self.ranks && sender < self.ranks);
        let index = receiver as usize * self.ranks as usize + sender as usize;
        // SAFETY: inside the directory by the asserts and the plan; aligned; atomic.
        unsafe { &*self.mapping.base().add(self.plan.directory).cast::<AtomicU64>().add(index) }
    }

    /// Makes the ring from `sender` to `receiver`; only the sender calls this, once.
    pub fn make_ring(&self, receiver: u32, sender: u32) -> Result<*mut u8, TransportError> {
        let bytes = self.geometry.bytes().next_multiple_of(PAGE);
        let offset = self.header().heap_next.fetch_add(bytes as u64, Ordering::Relaxed) as usize;
        if offset < self.plan.heap || offset > self.mapping.len() - bytes {
            return Err(out_of_memory(bytes, "the segment is full".into()));
        }
        self.mapping
            .reserve(offset, self.geometry.front())
            .map_err(|e| out_of_memory(self.geometry.front(), e.to_string()))?;
        // Release pairs with the Acquire in `find_ring`.
        self.directory_entry(receiver, sender).store(offset as u64, Ordering::Release);
        // SAFETY: offset + bytes <= mapping length, checked above.
        Ok(unsafe { self.mapping.base().add(offset) })
    }

    /// Gives the payload area of a ring (that starts at `ring`) real pages.
    pub fn reserve_payload(&self, ring: *mut u8) -> Result<(), TransportError> {
        let offset = ring as usize - self.mapping.base() as usize + self.geometry.front();
        let bytes = self.geometry.payload;
        self.mapping.reserve(offset, bytes).map_err(|e| out_of_memory(bytes, e.to_string()))
    }

    /// The ring from `sender` to `receiver`, if the sender has made it.
    pub fn find_ring(&self, receiver: u32, sender: u32) -> Result<Option<*mut u8>, TransportError> {
        let offset = self.directory_entry(receiver, sender).load(Ordering::Acquire) as usize;
        if offset == 0 {
            return Ok(None);
        }
        let bytes = self.geometry.bytes();
        let fits = offset >= self.plan.heap && offset <= self.mapping.len() - bytes;
        if !fits || offset % 64 != 0 {
            return Err(TransportError::Corrupt { peer: sender });
        }
        // SAFETY: the whole ring lies in the mapping, checked above.
        Ok(Some(unsafe { self.mapping.base().add(offset) }))
    }
}

fn out_of_memory(bytes: usize, cause: String) -> TransportError {
    TransportError::OutOfMemory { what: "the ring between two ranks", bytes, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_of_another_kind_is_refused() {
        let fd = memory::create(8192).unwrap();
        assert!(Segment::map(fd).is_err());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let fd = create(4).unwrap();
        let mapping = Mapping::new(fd.try_clone().unwrap()).unwrap();
        // SAFETY: the header's `ranks` field; nobody else has the segment.
        unsafe { mapping.base().add(12).cast::<u32>().write(4_000_000) };
        assert!(Segment::map(fd).is_err());
    }

    #[test]
    fn a_directory_entry_out_of_range_is_corrupt() {
        let segment = Segment::map(create(2).unwrap()).unwrap();
        segment.directory_entry(0, 1).store(64, Ordering::Relaxed);
        assert!(matches!(segment.find_ring(0, 1), Err(TransportError::Corrupt { peer: 1 })));
    }

    #[test]
    fn too_many_ranks_do_not_fit() {
        assert!(create(u32::MAX).is_err());
    }
}
