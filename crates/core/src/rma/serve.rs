//! The target's side of operations by messages (`request.rs`), called by `p2p::deliver` while this
//! process progresses. All that is in a message was written by another process: windows are looked
//! up, addresses compared with what this process shows, lengths with the message's.

use super::accumulate::Operands;
use super::element::Element;
use super::request::{to_words, Action, FRONT_WORDS};
use super::Win;
use crate::buffer::{Data, Scratch};
use crate::error::{Class, Result};
use crate::p2p::kind;
use crate::rank::Rank;
use starling_op::Op;
use starling_sys::cross_memory::Piece;
use starling_transport::{Head, Packet};

/// A request, checked for its lengths.
struct Request<'a> {
    action: u64,
    op: u32,
    wants_old: bool,
    types: (u32, u32),
    blocks: Vec<Piece>,
    data: &'a [u8],
}

fn word(body: &[u8], index: usize) -> Option<u64> {
    let bytes = body.get(8 * index..8 * index + 8)?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}

impl<'a> Request<'a> {
    fn parse(body: &'a [u8]) -> Option<Request<'a>> {
        let [action, operation, types, blocks, bytes] =
            [0, 1, 2, 3, 4].map(|index| word(body, index));
        let (operation, types) = (operation?, types?);
        let blocks = usize::try_from(blocks?).ok().filter(|n| *n <= body.len() / 16)?;
        let start = 8 * (FRONT_WORDS + 2 * blocks);
        let end = start.checked_add(usize::try_from(bytes?).ok()?)?;
        let list = (0..blocks).map(|i| {
            let [addr, len] = [0, 1].map(|half| word(body, FRONT_WORDS + 2 * i + half));
            Some(Piece { addr: addr? as usize, len: len? as usize })
        });
        Some(Request {
            action: action?,
            op: operation as u32,
            wants_old: operation >> 32 != 0,
            types: (types as u32, (types >> 32) as u32),
            blocks: list.collect::<Option<_>>()?,
            data: body.get(start..end)?,
        })
    }

    fn bytes(&self) -> usize {
        self.blocks.iter().fold(0, |sum, b| sum.saturating_add(b.len))
    }
}

impl Rank {
    /// Serves a request and answers it.
    pub(crate) fn serve_rma(&'static self, packet: Packet<'_>) -> Result<()> {
        let head = packet.head;
        let win = self.rma.windows.borrow().get(&head.context).and_then(|w| w.upgrade());
        let room = self.route(packet.from).body_max() - 8;
        let done = match (win, Request::parse(packet.body)) {
            (Some(win), Some(request)) => win.serve(self, &request, room),
            _ => None,
        };
        let mut answer = vec![if done.is_some() { 0 } else { Class::RMA_RANGE.0 as u64 }];
        answer.extend(to_words(&done.unwrap_or_default()));
        let head = Head { tag: head.tag, kind: kind::RMA_ANSWER, ..Head::default() };
        self.send_control(packet.from, head, &answer)
    }

    /// Keeps an answer for the call that waits for it.
    pub(crate) fn take_rma_answer(&self, packet: Packet<'_>) {
        let class = word(packet.body, 0).unwrap_or(1);
        let data = packet.body.get(8..).unwrap_or(&[]).to_vec();
        self.rma.answers.borrow_mut().insert(packet.head.tag, (class, data));
    }
}

impl Win {
    /// Does what is asked; `None` if that is not possible.
    fn serve(&self, rank: &'static Rank, request: &Request<'_>, room: usize) -> Option<Vec<u8>> {
        let shown = |b: &Piece| self.shows(b.addr as u64, b.len as u64);
        if !request.blocks.iter().all(shown) || request.bytes() > room {
            return None;
        }
        let element = || Element::decode(rank, request.op, request.types);
        // SAFETY: all blocks lie in memory that the user shows in the window.
        unsafe {
            match request.action {
                a if a == Action::Put as u64 => {
                    scatter(request.data, &request.blocks);
                    Some(Vec::new())
                }
                a if a == Action::Get as u64 => Some(gather(&request.blocks)),
                a if a == Action::Accumulate as u64 => self.serve_change(&element()?, request),
                a if a == Action::Swap as u64 => self.serve_swap(&element()?, request),
                _ => None,
            }
        }
    }

    /// # Safety
    /// The blocks lie in memory that the user shows.
    unsafe fn serve_change(&self, element: &Element, request: &Request<'_>) -> Option<Vec<u8>> {
        let bytes = request.bytes() as u64;
        let has_input = element.op != Op::NoOp;
        if !bytes.is_multiple_of(element.size())
            || (has_input && request.data.len() as u64 != bytes)
        {
            return None;
        }
        let count = (bytes / element.size()) as i64;
        let [input, value, old] = [0; 3].map(|_| Scratch::new(count, &element.ty));
        let unpack = |from: &[u8], into: &Data| {
            // SAFETY: scratch memory for as many elements.
            unsafe { into.buffer().unpack(0, from) };
        };
        unpack(request.data, &input.data);
        let old_address = if request.wants_old { old.data.addr } else { std::ptr::null_mut() };
        let operands =
            Operands { element, count: count as u64, input: input.data.addr, old: old_address };
        let guard = self.control.accumulate_mutex(self.me());
        // SAFETY: the caller's contract; the operands are ours.
        unsafe {
            unpack(&gather(&request.blocks), &value.data);
            operands.apply(value.data.addr, 0, count as u64);
            if has_input {
                scatter(&packed(&value.data), &request.blocks);
            }
        }
        drop(guard);
        Some(if request.wants_old { packed(&old.data) } else { Vec::new() })
    }

    /// # Safety
    /// The blocks lie in memory that the user shows.
    unsafe fn serve_swap(&self, element: &Element, request: &Request<'_>) -> Option<Vec<u8>> {
        let bytes = element.size() as usize;
        let block = request.blocks.first().filter(|b| b.len == bytes && bytes <= 32)?;
        let (new, compare) = request.data.split_at_checked(bytes)?;
        let mut old = vec![0; bytes];
        if compare.len() != bytes {
            return None;
        }
        let values = [new.as_ptr(), compare.as_ptr()];
        // SAFETY: the caller's contract; all have the length of one element.
        unsafe {
            self.swap_here(self.me(), element, values, old.as_mut_ptr(), block.addr as *mut u8);
        }
        Some(old)
    }
}

fn packed(data: &Data) -> Vec<u8> {
    let mut out = vec![0; data.bytes() as usize];
    // SAFETY: scratch memory of ours.
    unsafe { data.buffer().pack(0, &mut out) };
    out
}

/// # Safety
/// The blocks are readable.
unsafe fn gather(blocks: &[Piece]) -> Vec<u8> {
    let mut out = Vec::with_capacity(blocks.iter().map(|b| b.len).sum());
    for block in blocks {
        // SAFETY: the caller's contract.
        out.extend_from_slice(unsafe {
            std::slice::from_raw_parts(block.addr as *const u8, block.len)
        });
    }
    out
}

/// # Safety
/// The blocks are writable.
unsafe fn scatter(mut data: &[u8], blocks: &[Piece]) {
    for block in blocks {
        let (piece, rest) = data.split_at(block.len.min(data.len()));
        // SAFETY: the caller's contract.
        unsafe { (block.addr as *mut u8).copy_from(piece.as_ptr(), piece.len()) };
        data = rest;
    }
}
