//! The ring between two ranks: one producer, one consumer, made on first use.
//! Called by `transport::shm`: its sender claims and publishes, its inbox peeks and consumes.
//!
//! ```text
//! control   line 0   consumed      u64   slots the consumer is done with (consumer writes)
//!           line 1   producer_waits u32  1: ring my bell when `consumed` moves (producer writes)
//! slots     n x 64 bytes, n a power of two
//! payload   m bytes, m a power of two: bodies that do not fit in a slot, in order
//!
//! slot   0   body      40 bytes   the message, or where it lies in the payload area (offset u64)
//!       40   context   u64
//!       48   tag       i32
//!       52   source    i32
//!       56   word      u64   lap (u32) | length (u24) | kind (u8): written last, released
//! ```
//! Invariants. (1) A slot is ready for the consumer at position `p` when its lap is
//! `p / n + 1`; laps never repeat within 2^32 turns and only `word` carries them, so bytes of an
//! old message can not be taken for a new one. (2) The producer writes slot `p` only when
//! `p < consumed + n`, and payload bytes only when every message that lies there is consumed.
//! (3) What the consumer reads from a slot is checked against the ring's size before use.
//! Small messages move one cache line: body and header are written, then `word`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bytes of a body that lie in the slot itself.
pub const INLINE_MAX: usize = 40;
/// Largest body; the length field has 24 bits.
pub const BODY_MAX: usize = (1 << 24) - 1;

/// What goes in front of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Names the communicator (and the use) for matching; a request in protocol messages.
    pub context: u64,
    /// The message's tag.
    pub tag: i32,
    /// The sender's rank in the communicator.
    pub source: i32,
    /// The kind of message; the transport does not look at it.
    pub kind: u8,
}

#[repr(C, align(64))]
struct Slot {
    body: [u8; INLINE_MAX],
    context: u64,
    tag: i32,
    source: i32,
    word: AtomicU64,
}

#[repr(C, align(64))]
struct Control {
    consumed: AtomicU64,
    _pad: [u64; 7],
    producer_waits: AtomicU32,
    _pad2: [u32; 15],
}

const _: () = assert!(size_of::<Slot>() == 64 && std::mem::offset_of!(Slot, word) == 56);
const _: () = assert!(size_of::<Control>() == 128);
const _: () = assert!(std::mem::offset_of!(Control, producer_waits) == 64);

/// Sizes of a ring: the same for all rings of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Number of slots, a power of two.
    pub slots: usize,
    /// Bytes of the payload area, a power of two.
    pub payload: usize,
}

impl Geometry {
    /// Bytes in front of the payload area: control lines and slots.
    pub const fn front(self) -> usize {
        size_of::<Control>() + self.slots * size_of::<Slot>()
    }

    /// Bytes of a whole ring.
    pub const fn bytes(self) -> usize {
        self.front() + self.payload
    }

    /// Whether both sizes are powers of two and a body may reach `eager` bytes.
    pub const fn is_valid(self) -> bool {
        self.slots.is_power_of_two() && self.payload.is_power_of_two() && self.slots >= 2
    }

    /// Largest body that a ring of this size takes: a body never wraps around the end of the
    /// payload area, so half of it is always usable whatever the position.
    pub fn body_max(self) -> usize {
        (self.payload / 2).min(BODY_MAX)
    }
}

/// The memory of a ring, seen by one of its two ends.
#[derive(Clone, Copy)]
struct Memory {
    base: *mut u8,
    geometry: Geometry,
}

impl Memory {
    #[inline(always)]
    fn control(&self) -> &Control {
        // SAFETY: `base` is 64-byte aligned memory of `geometry.bytes()` bytes (constructor's
        // contract); Control is all atomics, so sharing it is sound.
        unsafe { &*self.base.cast::<Control>() }
    }

    #[inline(always)]
    fn slot(&self, position: u64) -> *mut Slot {
        let index = position as usize & (self.geometry.slots - 1);
        // SAFETY: index < slots, so the slot lies inside the ring's memory.
        unsafe { self.base.add(size_of::<Control>()).cast::<Slot>().add(index) }
    }

    #[inline(always)]
    fn payload(&self, offset: usize) -> *mut u8 {
        // SAFETY: callers pass offsets <= payload size.
        unsafe { self.base.add(self.geometry.front() + offset) }
    }

    #[inline(always)]
    fn lap(&self, position: u64) -> u32 {
        (position >> self.geometry.slots.trailing_zeros()) as u32 + 1
    }
}

/// The sending end.
pub struct Producer {
    memory: Memory,
    next: Cell<u64>,
    consumed_seen: Cell<u64>,
    payload_next: Cell<u64>,
    payload_free: Cell<u64>,
    /// Where the payload of each slot ended when it was published.
    payload_ends: Box<[Cell<u64>]>,
}

/// Where a body is to be written, before the message is published.
pub struct Claim {
    /// First byte of the body.
    pub body: *mut u8,
    position: u64,
    payload_end: u64,
}

impl Producer {
    /// The sending end of a ring whose memory is all zero and new.
    ///
    /// # Safety
    /// `base` points to `geometry.bytes()` bytes, 64-byte aligned, mapped for as long as the
    /// producer lives; this is the ring's only producer; `geometry.is_valid()`.
    pub unsafe fn new(base: *mut u8, geometry: Geometry) -> Producer {
        Producer {
            memory: Memory { base, geometry },
            next: Cell::new(0),
            consumed_seen: Cell::new(0),
            payload_next: Cell::new(0),
            payload_free: Cell::new(geometry.payload as u64),
            payload_ends: (0..geometry.slots).map(|_| Cell::new(0)).collect(),
        }
    }

    #[inline(always)]
    fn has_slot(&self) -> bool {
        self.next.get() - self.consumed_seen.get() < self.memory.geometry.slots as u64
            || self.refresh()
    }

    /// Reads how far the consumer is; returns whether a slot is free now.
    #[cold]
    fn refresh(&self) -> bool {
        // Acquire pairs with the Release in `Consumer::publish_consumed`: its reads of the slots
        // and payload are done before we overwrite them.
        let consumed = self.memory.control().consumed.load(Ordering::Acquire);
        let next = self.next.get();
        // A peer that wrote nonsense must not make us go backwards or past our own position.
        if consumed <= next && consumed > self.consumed_seen.get() {
            self.consumed_seen.set(consumed);
            let index = (consumed - 1) as usize & (self.memory.geometry.slots - 1);
            let end = self.payload_ends[index].get();
            self.payload_free.set(end + self.memory.geometry.payload as u64);
        }
        next - self.consumed_seen.get() < self.memory.geometry.slots as u64
    }

    /// Finds place for a body of `len` bytes; `None` if the ring is full for now.
    /// `len` must not exceed `Geometry::body_max`.
    #[inline(always)]
    pub fn claim(&self, len: usize) -> Option<Claim> {
        if !self.has_slot() {
            return None;
        }
        let position = self.next.get();
        let payload_next = self.payload_next.get();
        if len <= INLINE_MAX {
            let body = self.memory.slot(position).cast::<u8>();
            return Some(Claim { body, position, payload_end: payload_next });
        }
        self.claim_payload(len, position, payload_next)
    }

    fn claim_payload(&self, len: usize, position: u64, payload_next: u64) -> Option<Claim> {
        let size = self.memory.geometry.payload as u64;
        debug_assert!(len <= self.memory.geometry.body_max());
        // Bodies start on a cache line, do not wrap, and skip the rest of the area if they must.
        let mut start = payload_next.next_multiple_of(64);
        if (start & (size - 1)) + len as u64 > size {
            start = start.next_multiple_of(size);
        }
        let end = start + len as u64;
        if end > self.payload_free.get() {
            self.refresh();
            if end > self.payload_free.get() {
                // Nothing in flight means nothing in the payload area either.
                if self.consumed_seen.get() != position {
                    return None;
                }
                self.payload_free.set(start + size);
            }
        }
        let body = self.memory.payload((start & (size - 1)) as usize);
        Some(Claim { body, position, payload_end: end })
    }

    /// Makes a claimed message, whose body is written, visible to the consumer.
    #[inline(always)]
    pub fn publish(&self, claim: Claim, head: &Head, len: usize) {
        let slot = self.memory.slot(claim.position);
        let index = claim.position as usize & (self.memory.geometry.slots - 1);
        // SAFETY: the slot is ours until `word` is stored: the consumer has consumed its last
        // turn (invariant 2). Plain stores; the release store below orders them.
        unsafe {
            if len > INLINE_MAX {
                let offset = claim.body as u64 - self.memory.payload(0) as u64;
                (&raw mut (*slot).body).cast::<u64>().write(offset);
                self.payload_next.set(claim.payload_end);
            }
            (*slot).context = head.context;
            (*slot).tag = head.tag;
            (*slot).source = head.source;
            let lap = self.memory.lap(claim.position) as u64;
            let word = lap << 32 | (len as u64) << 8 | head.kind as u64;
            // Release pairs with the Acquire in `Consumer::peek`.
            (*slot).word.store(word, Ordering::Release);
        }
        // SAFETY: index < slots by the mask.
        unsafe { self.payload_ends.get_unchecked(index) }.set(claim.payload_end);
        self.next.set(claim.position + 1);
    }

    /// Asks (or no longer asks) to be woken when the consumer frees slots. The caller follows
    /// with a heavy fence and one more `claim` before it sleeps.
    pub fn set_waiting(&self, waits: bool) {
        self.memory.control().producer_waits.store(waits as u32, Ordering::Relaxed);
    }
}

/// The receiving end.
pub struct Consumer {
    memory: Memory,
    next: Cell<u64>,
    published: Cell<u64>,
    /// Payload bytes consumed since `published`.
    bytes: Cell<usize>,
}

/// A message at the front of a ring; its body stays valid until `consume`.
#[derive(Clone, Copy)]
pub struct Peeked {
    /// What stands in front of the body.
    pub head: Head,
    /// First byte of the body.
    pub body: *const u8,
    /// Length of the body in bytes.
    pub len: usize,
}

/// The ring holds something that no producer of ours writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Corrupt;

impl Consumer {
    /// The receiving end of a ring.
    ///
    /// # Safety
    /// As for [`Producer::new`]; this is the ring's only consumer.
    pub unsafe fn new(base: *mut u8, geometry: Geometry) -> Consumer {
        Consumer {
            memory: Memory { base, geometry },
            next: Cell::new(0),
            published: Cell::new(0),
            bytes: Cell::new(0),
        }
    }

    /// Whether a message waits, without looking at it.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        let position = self.next.get();
        // SAFETY: the slot lies in the ring; only its atomic word is touched.
        let word = unsafe { (*self.memory.slot(position)).word.load(Ordering::Relaxed) };
        (word >> 32) as u32 == self.memory.lap(position)
    }

    /// The message at the front, if one is there.
    #[inline(always)]
    pub fn peek(&self) -> Result<Option<Peeked>, Corrupt> {
        let position = self.next.get();
        let slot = self.memory.slot(position);
        // SAFETY: the slot lies in the ring. Acquire pairs with the Release in `publish`: once
        // the lap is right, body and head are complete and the producer leaves them alone.
        let word = unsafe { (*slot).word.load(Ordering::Acquire) };
        if (word >> 32) as u32 != self.memory.lap(position) {
            return Ok(None);
        }
        let len = (word >> 8) as usize & BODY_MAX;
        // SAFETY: the slot is published, hence no one writes to it (see above).
        let (head, body) = unsafe {
            let kind = word as u8;
            let (tag, source) = ((*slot).tag, (*slot).source);
            (Head { context: (*slot).context, tag, source, kind }, &raw const (*slot).body)
        };
        if len <= INLINE_MAX {
            return Ok(Some(Peeked { head, body: body.cast(), len }));
        }
        // SAFETY: eight bytes inside the slot's body.
        let offset = unsafe { body.cast::<u64>().read() };
        if offset > self.memory.geometry.payload as u64
            || len > self.memory.geometry.payload - offset as usize
        {
            return Err(Corrupt);
        }
        Ok(Some(Peeked { head, body: self.memory.payload(offset as usize), len }))
    }

    /// Done with the message at the front, whose body had `len` bytes. Returns whether what was
    /// freed should be published now: a quarter of the slots or of the payload area. The rest is
    /// published when the ring is found empty, for the producer may wait for it.
    #[inline(always)]
    pub fn consume(&self, len: usize) -> bool {
        self.next.set(self.next.get() + 1);
        if len > INLINE_MAX {
            self.bytes.set(self.bytes.get() + len);
        }
        let Geometry { slots, payload } = self.memory.geometry;
        (self.next.get() - self.published.get()) * 4 >= slots as u64
            || self.bytes.get() * 4 >= payload
    }

    /// Whether consumed slots have not been given back yet.
    #[inline(always)]
    pub fn has_unpublished(&self) -> bool {
        self.next.get() != self.published.get()
    }

    /// Gives consumed slots back to the producer.
    #[inline(always)]
    pub fn publish_consumed(&self) {
        self.published.set(self.next.get());
        self.bytes.set(0);
        // Release pairs with the Acquire in `Producer::refresh`.
        self.memory.control().consumed.store(self.next.get(), Ordering::Release);
    }

    /// Whether the producer asked to be woken; read it after `publish_consumed` and a fence.
    #[inline(always)]
    pub fn producer_waits(&self) -> bool {
        self.memory.control().producer_waits.load(Ordering::Relaxed) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::{alloc_zeroed, dealloc, Layout};

    struct Ring(*mut u8, Layout, Geometry);
    impl Ring {
        fn new(slots: usize, payload: usize) -> Ring {
            let geometry = Geometry { slots, payload };
            let layout = Layout::from_size_align(geometry.bytes(), 64).unwrap();
            // SAFETY: the layout is not empty.
            Ring(unsafe { alloc_zeroed(layout) }, layout, geometry)
        }
        fn ends(&self) -> (Producer, Consumer) {
            // SAFETY: zeroed memory of the right size, one end of each kind.
            unsafe { (Producer::new(self.0, self.2), Consumer::new(self.0, self.2)) }
        }
    }
    impl Drop for Ring {
        fn drop(&mut self) {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.0, self.1) };
        }
    }

    fn send(producer: &Producer, number: u64, len: usize) -> bool {
        let Some(claim) = producer.claim(len) else { return false };
        for i in 0..len {
            // SAFETY: the claim gives `len` writable bytes.
            unsafe { claim.body.add(i).write((number as usize * 7 + i) as u8) };
        }
        let head = Head { context: number, tag: len as i32, source: 3, kind: 9 };
        producer.publish(claim, &head, len);
        true
    }

    fn receive(consumer: &Consumer, number: u64, len: usize) -> bool {
        let Some(got) = consumer.peek().unwrap() else { return false };
        assert_eq!(got.head, Head { context: number, tag: len as i32, source: 3, kind: 9 });
        assert_eq!(got.len, len);
        for i in 0..len {
            // SAFETY: the body has `len` bytes.
            assert_eq!(unsafe { got.body.add(i).read() }, (number as usize * 7 + i) as u8);
        }
        if consumer.consume(len) {
            consumer.publish_consumed();
        }
        true
    }

    fn len_of(number: u64) -> usize {
        match number % 5 {
            0 => 0,
            1 => 40,
            2 => 41,
            3 => (number as usize * 37) % 500,
            _ => 2048,
        }
    }

    #[test]
    fn a_full_ring_takes_no_more_until_slots_come_back() {
        let ring = Ring::new(4, 4096);
        let (producer, consumer) = ring.ends();
        for i in 0..4 {
            assert!(send(&producer, i, 8));
        }
        assert!(!send(&producer, 4, 8));
        assert!(receive(&consumer, 0, 8));
        assert!(send(&producer, 4, 8));
        assert!(!send(&producer, 5, 8));
    }

    #[test]
    fn a_full_payload_area_takes_no_more() {
        let ring = Ring::new(16, 4096);
        let (producer, consumer) = ring.ends();
        assert!(send(&producer, 0, 2048) && send(&producer, 1, 2048));
        assert!(!send(&producer, 2, 41));
        assert!(send(&producer, 2, 40), "small ones still pass");
        for i in 0..2 {
            receive(&consumer, i, 2048);
        }
        receive(&consumer, 2, 40);
        consumer.publish_consumed();
        assert!(send(&producer, 3, 2048));
    }

    #[test]
    fn order_and_bytes_survive_many_laps_between_threads() {
        let ring = Ring::new(8, 8192);
        let base = ring.0 as usize;
        let geometry = ring.2;
        const N: u64 = 20_000;
        let thread = std::thread::spawn(move || {
            // SAFETY: the only producer of memory that outlives the thread (joined below).
            let producer = unsafe { Producer::new(base as *mut u8, geometry) };
            for i in 0..N {
                while !send(&producer, i, len_of(i)) {
                    std::thread::yield_now();
                }
            }
        });
        // SAFETY: the only consumer.
        let consumer = unsafe { Consumer::new(ring.0, ring.2) };
        for i in 0..N {
            while !receive(&consumer, i, len_of(i)) {
                if consumer.has_unpublished() {
                    consumer.publish_consumed();
                }
                std::thread::yield_now();
            }
        }
        thread.join().unwrap();
    }

    #[test]
    fn nonsense_from_the_peer_is_noticed() {
        let ring = Ring::new(8, 8192);
        let (_, consumer) = ring.ends();
        // A first-lap word that claims 5000 bytes at an offset beyond the area.
        // SAFETY: slot 0 lies right behind the control lines.
        unsafe {
            let slot = ring.0.add(128);
            slot.cast::<u64>().write(u64::MAX / 2);
            slot.add(56).cast::<u64>().write(1 << 32 | 5000 << 8);
        }
        assert!(matches!(consumer.peek(), Err(Corrupt)));
    }
}
