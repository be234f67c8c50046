//! The segment: one memfd per node that all its ranks map. Made by the launcher (or by an elected
//! rank under a foreign launcher), handed over by descriptor, never named.
//!
//! ```text
//! 0                 header      4096 bytes: sizes, fences, the allocator's position
//! rank_blocks       per place, a multiple of 128 bytes:
//!                     0  bell          64 bytes
//!                    64  process id    u32, 0 until the rank has attached
//!                    68  heard         u32, 1 if heavy fences reach the process
//!                    72  probe         u64, address of the word that proves single copy works
//!                    80  words         u32, low half: words of `pending` that have ever had a bit;
//!                                      high half: counts places given out again
//!                    84  generation    u32, how often the place was given out again
//!                   128  pending       a bit per place: a ring from it may hold something
//! directory         u64 per (receiver, sender): offset of the ring, 0 until it is made
//! heap              rings, given out from the front
//! ```
//! A process is known by its **place**, the index of its block. The job that the segment was made
//! for has the first ones; spare places are given to processes that are started later, and given
//! out again when they have ended ([`Segment::renew`], by the launcher; [`Segment::generation`]
//! tells the old process from the new one). What is not used costs address space only.
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
const VERSION: u32 = 2;
const PAGE: usize = 4096;
/// What `probe` points to in every process that has attached.
pub(super) static PROBE: u64 = MAGIC;

#[repr(C)]
struct Header {
    magic: u64,
    version: u32,
    places: u32,
    spare: u32,
    slots: u32,
    asymmetric_fences: u32,
    living: AtomicU32,
    payload: u64,
    universe: u64,
    heap_next: AtomicU64,
    /// Rings that can be used again: the index of the first (from 1, 0 for none) in the low half,
    /// a count of changes in the high half. The first word of each is the index of the next.
    used_rings: AtomicU64,
}

#[repr(C)]
struct RankBlock {
    bell: Bell,
    process: AtomicU32,
    heard: AtomicU32,
    probe: AtomicU64,
    words: AtomicU32,
    generation: AtomicU32,
    _pad: [u64; 5],
}

const _: () = assert!(size_of::<Header>() == 64 && size_of::<Header>() <= PAGE);
const _: () = assert!(size_of::<RankBlock>() == 128);
const _: () = assert!(std::mem::offset_of!(RankBlock, process) == 64);
const _: () = assert!(std::mem::offset_of!(RankBlock, probe) == 72);
const _: () = assert!(std::mem::offset_of!(RankBlock, words) == 80);

/// What is added to `words` when a place is given out again.
const RENEWAL: u32 = 1 << 16;
/// Rings per pair of places that the heap has room for when places can be given out again: a new
/// process makes new rings.
const RINGS_PER_PAIR: usize = 4;

/// Offsets of the parts, computed from the number of ranks and the rings' size.
#[derive(Clone, Copy)]
struct Plan {
    rank_stride: usize,
    directory: usize,
    heap: usize,
    len: usize,
}

impl Plan {
    fn new(places: u32, spare: u32, geometry: Geometry) -> Option<Plan> {
        let n = places as usize;
        let words = n.div_ceil(64);
        let rank_stride = (size_of::<RankBlock>() + words * 8).next_multiple_of(128);
        let directory = (PAGE + n.checked_mul(rank_stride)?).next_multiple_of(PAGE);
        let heap = (directory + n.checked_mul(n)?.checked_mul(8)?).next_multiple_of(PAGE);
        let ring = geometry.bytes().next_multiple_of(PAGE);
        let per_pair = if spare > 0 { RINGS_PER_PAIR } else { 1 };
        let rings = n.checked_mul(n.max(2) - 1)?.checked_mul(per_pair)?;
        let len = heap.checked_add(rings.checked_mul(ring)?)?;
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

/// Spare places for processes that a job of `ranks` starts later: as many as the tunable says and
/// the address space of this process allows.
pub fn spare_places(ranks: u32) -> u32 {
    let wanted = starling_settings::tunables().spawn_max as u32;
    let fits = Plan::new(ranks.saturating_add(wanted), wanted, geometry_from_tunables()).is_some();
    match fits && memory::address_space_is_unlimited() {
        true => wanted,
        false => 0,
    }
}

/// Makes the segment of a node with `ranks` ranks and places for `spare` processes that are
/// started later, and writes its header. The launcher calls this and lets the ranks inherit the
/// descriptor.
pub fn create(ranks: u32, spare: u32) -> io::Result<OwnedFd> {
    let geometry = geometry_from_tunables();
    let places = ranks.saturating_add(spare);
    let plan = Plan::new(places, spare, geometry).ok_or_else(|| {
        io::Error::other(format!(
            "a segment for {places} processes with rings of {} bytes does not fit in the address \
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
        places,
        spare,
        slots: geometry.slots as u32,
        asymmetric_fences: Fences::probe().is_asymmetric() as u32,
        living: AtomicU32::new(ranks),
        payload: geometry.payload as u64,
        universe: unique_number(),
        heap_next: AtomicU64::new(plan.heap as u64),
        used_rings: AtomicU64::new(0),
    };
    // SAFETY: the mapping is at least a page long, page-aligned, and nobody else has it yet.
    unsafe { mapping.base().cast::<Header>().write(header) };
    Ok(fd)
}

/// A number that no other segment of this machine has: the time, and who made it.
fn unique_number() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |time| time.as_nanos() as u64);
    (nanoseconds << 22) ^ u64::from(starling_sys::process_id())
}

/// A node's segment, mapped.
pub struct Segment {
    mapping: Mapping,
    plan: Plan,
    places: u32,
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
        let (places, slots) = (header.places, header.slots as usize);
        let geometry = Geometry { slots, payload: header.payload as usize };
        let plan = Plan::new(places, header.spare, geometry).filter(|p| p.len == mapping.len());
        let Some(plan) = plan.filter(|_| geometry.is_valid() && places > 0) else {
            return Err(invalid("the node's segment has impossible sizes".into()));
        };
        let fences = Fences::join(header.asymmetric_fences != 0);
        Ok(Segment { mapping, plan, places, geometry, fences })
    }

    /// Number of places, spare ones included.
    pub fn places(&self) -> u32 {
        self.places
    }

    /// The descriptor, to be handed to other processes.
    pub fn fd(&self) -> &OwnedFd {
        self.mapping.fd()
    }

    /// Tells the processes that share this segment from all others.
    pub fn universe(&self) -> u64 {
        self.header().universe
    }

    /// How many processes live on the node, as far as its launcher has said.
    pub fn living(&self) -> u32 {
        self.header().living.load(Ordering::Relaxed)
    }

    /// The launcher's word on that.
    pub fn set_living(&self, processes: u32) {
        self.header().living.store(processes, Ordering::Relaxed);
    }

    /// Which process of those that had the place after another has it now.
    pub fn generation(&self, place: u32) -> u32 {
        self.block(place).generation.load(Ordering::Acquire)
    }

    /// Prepares a place for a new process: nothing of the one before is left for it to see. Only
    /// the launcher calls this, when that one has ended and before the new one is started.
    /// Processes that had received from the old one are told to listen anew, those that sent to
    /// it forget it when they meet the new one (`Shm::meet`).
    /// `known` are the places that have been given out so far.
    pub fn renew(&self, place: u32, known: impl Iterator<Item = u32>) {
        let block: *const AtomicU32 = (&raw const *self.block(place)).cast();
        let generation = std::mem::offset_of!(RankBlock, generation) / 4;
        for word in (0..self.plan.rank_stride / 4).filter(|word| *word != generation) {
            // SAFETY: inside the block's stride, which consists of atomic integers and padding.
            unsafe { &*block.add(word) }.store(0, Ordering::Relaxed);
        }
        let again = self.generation(place) > 0;
        for other in known {
            self.directory_entry(place, other).store(0, Ordering::Relaxed);
            self.directory_entry(other, place).store(0, Ordering::Relaxed);
        }
        // Release: whoever sees the new number sees the place empty.
        self.block(place).generation.fetch_add(1, Ordering::Release);
        for other in (0..self.places).filter(|_| again) {
            self.block(other).words.fetch_add(RENEWAL, Ordering::Release);
        }
    }

    /// Gives back the memory of the rings between a process that has ended and these, which have
    /// ended as well. For the launcher, as [`Segment::renew`].
    pub fn bury(&self, place: u32, ended: impl Iterator<Item = u32>) {
        for other in ended.filter(|other| *other != place) {
            for (receiver, sender) in [(place, other), (other, place)] {
                if let Ok(Some(ring)) = self.find_ring(receiver, sender) {
                    self.directory_entry(receiver, sender).store(0, Ordering::Relaxed);
                    self.return_ring(ring);
                }
            }
        }
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
        assert!(rank < self.places);
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
        (self.places as usize).div_ceil(64)
    }

    /// How many of them have ever had a bit (the rest needs no look), and in the upper bits a
    /// number that changes when some place is given out again.
    #[inline(always)]
    pub fn words_and_renewals(&self, rank: u32) -> u32 {
        // Acquire pairs with the Release in `renew`, so that the new generation is seen.
        self.block(rank).words.load(Ordering::Acquire)
    }

    /// The number of words in that.
    pub fn used_words(&self, words_and_renewals: u32) -> usize {
        (words_and_renewals as usize & (RENEWAL as usize - 1)).min(self.pending_words())
    }

    /// Sets the bit of `sender` in the bitmap of `receiver`. The word counts as used first, so
    /// that whoever has been told to look (by the bell) looks there.
    #[cold]
    pub fn set_pending(&self, receiver: u32, sender: u32) {
        let index = sender as usize / 64;
        let wanted = index as u32 + 1;
        let more =
            |words: u32| (words % RENEWAL < wanted).then(|| words - words % RENEWAL + wanted);
        let words = &self.block(receiver).words;
        // Enough words already is as good.
        let _ = words.fetch_update(Ordering::Release, Ordering::Relaxed, more);
        // Release: whoever sees the bit also sees the ring in the directory.
        self.pending(receiver, index).fetch_or(1 << (sender % 64), Ordering::Release);
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
        assert!(receiver < self.places && sender < self.places);
        let index = receiver as usize * self.places as usize + sender as usize;
        // SAFETY: inside the directory by the asserts and the plan; aligned; atomic.
        unsafe { &*self.mapping.base().add(self.plan.directory).cast::<AtomicU64>().add(index) }
    }

    /// Makes the ring from `sender` to `receiver`; only the sender calls this, once.
    pub fn make_ring(&self, receiver: u32, sender: u32) -> Result<*mut u8, TransportError> {
        let bytes = self.ring_bytes();
        let fresh = || self.header().heap_next.fetch_add(bytes as u64, Ordering::Relaxed) as usize;
        let offset = self.take_used_ring().unwrap_or_else(fresh);
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

    fn ring_bytes(&self) -> usize {
        self.geometry.bytes().next_multiple_of(PAGE)
    }

    /// The first word of the ring at `offset`, which nobody uses.
    fn link_of(&self, offset: usize) -> &AtomicU64 {
        assert!(offset >= self.plan.heap && offset <= self.mapping.len() - self.ring_bytes());
        // SAFETY: inside the mapping by the assertion, and page-aligned.
        unsafe { &*self.mapping.base().add(offset).cast::<AtomicU64>() }
    }

    /// Gives back a ring of which neither end is used any more, since one of its processes, or
    /// both, have ended. Its memory goes back to the system and reads as zero.
    pub fn return_ring(&self, ring: *mut u8) {
        let offset = ring as usize - self.mapping.base() as usize;
        if self.mapping.punch(offset, self.ring_bytes()).is_err() {
            return; // Not zero, so not to be used again.
        }
        let index = ((offset - self.plan.heap) / self.ring_bytes()) as u64 + 1;
        let push = |head: u64| {
            self.link_of(offset).store(head & u64::from(u32::MAX), Ordering::Relaxed);
            Some(((head >> 32) + 1) << 32 | index)
        };
        // Release pairs with the Acquire in `take_used_ring`; the closure never says no.
        let _ = self.header().used_rings.fetch_update(Ordering::Release, Ordering::Relaxed, push);
    }

    /// Another process may take the same ring meanwhile: then the count of changes differs.
    fn take_used_ring(&self) -> Option<usize> {
        let offset_of = |head: u64| {
            let index = (head & u64::from(u32::MAX)).checked_sub(1)? as usize;
            let offset = self.plan.heap + index.checked_mul(self.ring_bytes())?;
            (offset <= self.mapping.len() - self.ring_bytes()).then_some(offset)
        };
        let pop = |head: u64| {
            let next = self.link_of(offset_of(head)?).load(Ordering::Relaxed);
            Some(((head >> 32) + 1) << 32 | (next & u64::from(u32::MAX)))
        };
        let used = &self.header().used_rings;
        let head = used.fetch_update(Ordering::Acquire, Ordering::Acquire, pop).ok()?;
        let offset = offset_of(head)?;
        self.link_of(offset).store(0, Ordering::Relaxed);
        Some(offset)
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
        if !fits || !offset.is_multiple_of(64) {
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
        let fd = create(4, 0).unwrap();
        let mapping = Mapping::new(fd.try_clone().unwrap()).unwrap();
        // SAFETY: the header's `places` field; nobody else has the segment.
        unsafe { mapping.base().add(12).cast::<u32>().write(4_000_000) };
        assert!(Segment::map(fd).is_err());
    }

    #[test]
    fn a_directory_entry_out_of_range_is_corrupt() {
        let segment = Segment::map(create(2, 0).unwrap()).unwrap();
        segment.directory_entry(0, 1).store(64, Ordering::Relaxed);
        assert!(matches!(segment.find_ring(0, 1), Err(TransportError::Corrupt { peer: 1 })));
    }

    #[test]
    fn too_many_ranks_do_not_fit() {
        assert!(create(u32::MAX, 0).is_err());
    }
}
