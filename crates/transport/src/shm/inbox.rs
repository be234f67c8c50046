//! The receiving half: which rings to look at, and taking messages out of them.
//! Called by the transport's `poll` and `poll_from`.
//!
//! A rank does not look at all the rings that end at it. The **hot** ones are polled; a ring that
//! stays empty for long is **cold** and is not looked at. A sender learns this from the pending
//! bitmap: bit set = hot, bit clear = cold, set it.
//! Invariant: a published message lies in a hot ring, or its sender is about to set the bit. It
//! holds because retiring is: clear the bit, heavy fence, look once more; sending is: publish,
//! light fence, look at the bit (`Sender::notify`).
//! States of a ring: absent -> hot (bit seen set) -> cold (`retire`) -> hot …; owner: this inbox.

use super::segment::Segment;
use crate::{Front, Packet, Sink, Take, TransportError};
use starling_sys::fence::Fences;
use starling_sys::queue::spsc_ring::{Consumer, Corrupt};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// Messages taken from one ring in a row, so that one sender does not starve the others.
const BATCH: usize = 32;
/// A ring is retired after this many polls that found it empty.
const IDLE_POLLS: u32 = 4096;
/// Hot rings up to this number are never retired: polling them costs less than bringing one back.
const HOT_MIN: usize = 4;

struct Line {
    from: u32,
    /// Of the sender's place, when the line was made.
    generation: u32,
    ring: *mut u8,
    consumer: Consumer,
    idle: Cell<u32>,
    hot: Cell<bool>,
}

pub(super) struct Inbox {
    segment: Arc<Segment>,
    me: u32,
    fences: Fences,
    lines: RefCell<Vec<Option<Rc<Line>>>>,
    hot: RefCell<Vec<Rc<Line>>>,
    /// Our picture of the pending bitmap: the bits of the hot rings.
    hot_bits: RefCell<Vec<u64>>,
    idle_polls: Cell<u32>,
    /// The last value of `Segment::words_and_renewals`.
    words_seen: Cell<u32>,
}

impl Inbox {
    pub(super) fn new(segment: Arc<Segment>, me: u32, fences: Fences) -> Inbox {
        Inbox {
            me,
            fences,
            lines: RefCell::new((0..segment.places()).map(|_| None).collect()),
            hot: RefCell::new(Vec::new()),
            hot_bits: RefCell::new(vec![0; segment.pending_words()]),
            idle_polls: Cell::new(0),
            words_seen: Cell::new(0),
            segment,
        }
    }

    /// Drops the line from `peer` if it comes from a process that had the place before.
    fn forget(&self, peer: u32) {
        let generation = self.segment.generation(peer);
        let slot = &mut self.lines.borrow_mut()[peer as usize];
        let Some(old) = slot.take_if(|line| line.generation != generation) else { return };
        self.hot.borrow_mut().retain(|line| line.from != peer);
        self.hot_bits.borrow_mut()[peer as usize / 64] &= !(1 << (peer % 64));
        self.segment.return_ring(old.ring);
    }

    /// The launcher has given places out again, or a word of the bitmap is used for the first
    /// time. Takes the last messages of processes that have ended and forgets them; should the
    /// new process have sent something, its bit is set and no longer counts as hot.
    #[cold]
    fn look_around(&self, now: u32, sink: Sink<'_>) -> Result<usize, TransportError> {
        self.words_seen.set(now);
        let mut count = 0;
        for peer in 0..self.segment.places() {
            let Some(line) = self.lines.borrow()[peer as usize].clone() else { continue };
            if line.generation == self.segment.generation(peer) {
                continue;
            }
            while line.consumer.is_ready() {
                count += self.take_from(&line, sink)?;
            }
            self.forget(peer);
        }
        Ok(count)
    }

    /// The last look at what places have been given out (`Segment::words_and_renewals`).
    pub(super) fn renewals_seen(&self) -> u32 {
        self.words_seen.get()
    }

    pub(super) fn poll(&self, sink: Sink<'_>) -> Result<usize, TransportError> {
        let mut count = 0;
        let words = self.segment.words_and_renewals(self.me);
        if words != self.words_seen.get() {
            count += self.look_around(words, sink)?;
        }
        self.warm_up(self.segment.used_words(words))?;
        let mut index = 0;
        // `sink` may send, and sending never touches the inbox; so the list is stable meanwhile,
        // but no borrow is held while it runs.
        loop {
            let Some(line) = self.hot.borrow().get(index).map(Rc::clone) else { break };
            count += self.take_from(&line, sink)?;
            index += 1;
        }
        if count == 0 {
            self.count_idle()?;
        }
        Ok(count)
    }

    pub(super) fn poll_from(&self, peer: u32, sink: Sink<'_>) -> Result<usize, TransportError> {
        let line = match self.lines.borrow().get(peer as usize) {
            Some(Some(line)) if line.hot.get() => line.clone(),
            _ => return Ok(0),
        };
        self.take_from(&line, sink)
    }

    #[inline(always)]
    pub(super) fn take_front(&self, peer: u32, take: Take<'_>) -> Result<Front, TransportError> {
        let lines = self.lines.borrow();
        let Some(Some(line)) = lines.get(peer as usize) else { return Ok(Front::Empty) };
        // A cold ring is looked at by `poll` only, which makes it hot first.
        if !line.hot.get() {
            return Ok(Front::Empty);
        }
        let peeked = line.consumer.peek().map_err(|Corrupt| self.corrupt(line))?;
        let Some(message) = peeked else { return Ok(Front::Empty) };
        // SAFETY: as in `take_from`.
        let body = unsafe { std::slice::from_raw_parts(message.body, message.len) };
        if !take(&message.head, body) {
            return Ok(Front::Other);
        }
        line.idle.set(0);
        if line.consumer.consume(message.len) {
            self.give_back(line);
        }
        Ok(Front::Taken)
    }

    #[inline(always)]
    fn take_from(&self, line: &Line, sink: Sink<'_>) -> Result<usize, TransportError> {
        let mut count = 0;
        while count < BATCH {
            let peeked = line.consumer.peek().map_err(|Corrupt| self.corrupt(line))?;
            let Some(message) = peeked else { break };
            // SAFETY: the ring keeps the body in place until `consume`; `len` was checked.
            let body = unsafe { std::slice::from_raw_parts(message.body, message.len) };
            sink(Packet { from: line.from, head: message.head, body });
            count += 1;
            if line.consumer.consume(message.len) {
                self.give_back(line);
            }
        }
        line.idle.set(if count > 0 { 0 } else { line.idle.get() + 1 });
        // Before the rank can sleep it finds every ring empty, here; so no producer waits for
        // place that has been freed and not given back.
        if line.consumer.has_unpublished() {
            self.give_back(line);
        }
        Ok(count)
    }

    #[cold]
    fn corrupt(&self, line: &Line) -> TransportError {
        TransportError::Corrupt { peer: line.from }
    }

    /// Publishes the freed slots and wakes the producer if it sleeps for lack of them.
    #[inline(always)]
    fn give_back(&self, line: &Line) {
        line.consumer.publish_consumed();
        self.fences.light(); // pairs with the heavy fence in `Sender::wait_for_place`
        if line.consumer.producer_waits() {
            self.segment.bell(line.from).ring(self.fences);
        }
    }

    /// Makes the rings whose bit has been set hot.
    #[inline(always)]
    fn warm_up(&self, words: usize) -> Result<(), TransportError> {
        for index in 0..words {
            // Acquire pairs with the Release of `Segment::set_pending`.
            let word = self.segment.pending(self.me, index).load(Ordering::Acquire);
            let new = word & !self.hot_bits.borrow()[index];
            if new != 0 {
                self.warm_up_word(index, new)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn warm_up_word(&self, index: usize, mut new: u64) -> Result<(), TransportError> {
        while new != 0 {
            let from = index as u32 * 64 + new.trailing_zeros();
            new &= new - 1;
            if from >= self.segment.places() {
                return Err(TransportError::Corrupt { peer: from });
            }
            // A cold line may be that of a process that has ended meanwhile.
            self.forget(from);
            let known = self.lines.borrow()[from as usize].clone();
            let Some(line) = known.map_or_else(|| self.open_line(from), |line| Ok(Some(line)))?
            else {
                continue;
            };
            line.hot.set(true);
            line.idle.set(0);
            self.lines.borrow_mut()[from as usize] = Some(line.clone());
            self.hot.borrow_mut().push(line);
            self.hot_bits.borrow_mut()[index] |= 1 << (from % 64);
        }
        Ok(())
    }

    /// The line of a ring that is seen for the first time. Where there is no ring, the bit is one
    /// that a process has left behind which had the place before: it is cleared as in `retire`.
    fn open_line(&self, from: u32) -> Result<Option<Rc<Line>>, TransportError> {
        let mut ring = self.segment.find_ring(self.me, from)?;
        if ring.is_none() {
            let (index, bit) = (from as usize / 64, 1u64 << (from % 64));
            self.segment.pending(self.me, index).fetch_and(!bit, Ordering::AcqRel);
            self.fences.heavy(); // pairs with the light fence in `Sender::notify`
            ring = self.segment.find_ring(self.me, from)?;
            if ring.is_some() {
                self.segment.pending(self.me, index).fetch_or(bit, Ordering::AcqRel);
            }
        }
        Ok(ring.map(|ring| {
            Rc::new(Line {
                from,
                generation: self.segment.generation(from),
                ring,
                // SAFETY: a ring of the segment's geometry inside the mapping, which
                // `self.segment` keeps; this inbox is its only consumer.
                consumer: unsafe { Consumer::new(ring, self.segment.geometry()) },
                idle: Cell::new(0),
                hot: Cell::new(false),
            })
        }))
    }

    #[inline(always)]
    fn count_idle(&self) -> Result<(), TransportError> {
        self.idle_polls.set(self.idle_polls.get() + 1);
        if self.idle_polls.get() >= IDLE_POLLS {
            self.idle_polls.set(0);
            if self.hot.borrow().len() > HOT_MIN {
                self.retire();
            }
        }
        Ok(())
    }

    /// Turns the rings that have been empty for long cold: clear the bits of all of them, one
    /// heavy fence, look once more, keep those that got something in between.
    fn retire(&self) {
        let mut hot = self.hot.borrow_mut();
        let mut bits = self.hot_bits.borrow_mut();
        let candidates: Vec<Rc<Line>> =
            hot.iter().filter(|line| line.idle.get() >= IDLE_POLLS).cloned().collect();
        for line in &candidates {
            let (index, bit) = (line.from as usize / 64, 1u64 << (line.from % 64));
            self.segment.pending(self.me, index).fetch_and(!bit, Ordering::AcqRel);
            bits[index] &= !bit;
            line.hot.set(false);
        }
        if candidates.is_empty() {
            return;
        }
        self.fences.heavy(); // pairs with the light fence in `Sender::notify`
        for line in &candidates {
            if line.consumer.is_ready() {
                let (index, bit) = (line.from as usize / 64, 1u64 << (line.from % 64));
                self.segment.pending(self.me, index).fetch_or(bit, Ordering::AcqRel);
                bits[index] |= bit;
                line.hot.set(true);
                line.idle.set(0);
            }
        }
        hot.retain(|line| line.hot.get());
    }
}
