//! The origin's side of operations by messages: where the kernel does not copy between processes
//! (containers with seccomp filters), the target does the work while it progresses (`serve.rs`).
//!
//! A request goes out in pieces that fit in one message of the transport, each answered before
//! the next, so that an operation is complete when its call returns, like all others.
//!
//! ```text
//! request, in words of 8 bytes                      answer
//!   0  action                                         0  0, or an error class
//!   1  operation | wants old values << 32             1  data
//!   2  value type | index type << 32
//!   3  number of blocks
//!   4  bytes of data behind the blocks
//!   5  blocks: address, length; data, packed
//! ```

use super::accumulate::Operands;
use super::element::Element;
use super::reach::{bytes_of, cut, Blocks};
use super::Win;
use crate::buffer::Data;
use crate::error::{Class, Error, Result};
use crate::p2p::kind;
use crate::rank::Rank;
use starling_op::Op;
use starling_sys::cross_memory::Piece;
use starling_transport::Head;

/// What the target is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Action {
    Put = 1,
    Get = 2,
    Accumulate = 3,
    Swap = 4,
}

/// What the target has answered: error class, data.
pub(super) type Answer = (u64, Vec<u8>);

/// Words in front of the blocks.
pub(super) const FRONT_WORDS: usize = 5;
/// Bytes of a message at most: no more than all transports take.
const MESSAGE_MAX: usize = 16 << 10;

/// One piece of an operation.
struct Request<'a> {
    action: Action,
    element: Option<&'a Element>,
    wants_old: bool,
    blocks: &'a [Piece],
    data: &'a [u8],
}

impl Request<'_> {
    fn words(&self) -> Vec<u64> {
        let (op, (value, index)) =
            self.element.map_or((0, (0, 0)), |e| (e.op.abi_value(), e.code()));
        let mut words = vec![
            self.action as u64,
            u64::from(op) | u64::from(self.wants_old) << 32,
            u64::from(value) | u64::from(index) << 32,
            self.blocks.len() as u64,
            self.data.len() as u64,
        ];
        words.extend(self.blocks.iter().flat_map(|b| [b.addr as u64, b.len as u64]));
        words.extend(to_words(self.data));
        words
    }
}

/// Bytes as words, the last one filled up with zeros.
pub(super) fn to_words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    })
}

/// How much goes into one message: bytes of data, number of blocks.
fn room(rank: &Rank, peer: u32) -> (u64, usize) {
    let most = rank.route(peer).body_max().min(MESSAGE_MAX) - 8 * FRONT_WORDS - 8;
    (most as u64 / 2, most / 2 / size_of::<Piece>())
}

impl Win {
    /// Asks `target` and waits for the answer.
    fn ask(&self, rank: &'static Rank, target: u32, request: &Request<'_>) -> Result<Vec<u8>> {
        let number = rank.rma.next_request.get();
        rank.rma.next_request.set(number.wrapping_add(1));
        let (context, source) = (self.comm.context, self.me() as i32);
        let head = Head { context, tag: number, source, kind: kind::RMA_REQUEST };
        rank.send_control(self.world(target), head, &request.words())?;
        let answers = &rank.rma.answers;
        rank.wait_until(None, || answers.borrow().contains_key(&number))?;
        let answer = answers.borrow_mut().remove(&number);
        match answer {
            Some((0, data)) => Ok(data),
            _ => {
                let text = format!("rank {target} does not show all of that memory in the window");
                Err(Error::new(Class::RMA_RANGE, text))
            }
        }
    }

    pub(super) fn put_by_message(
        &self,
        rank: &'static Rank,
        target: u32,
        origin: &Data,
        there: &Data,
    ) -> Result<()> {
        let (bytes_max, blocks_max) = room(rank, self.world(target));
        let mut blocks = Blocks::new(there);
        let total = origin.bytes();
        let mut data = vec![0; bytes_max as usize];
        while blocks.skip < total {
            let list = blocks.peek(bytes_max.min(total - blocks.skip), blocks_max);
            let data = &mut data[..bytes_of(&list) as usize];
            // SAFETY: the user's buffer is readable during the call.
            unsafe { origin.buffer().pack(blocks.skip, data) };
            let (action, element, wants_old) = (Action::Put, None, false);
            self.ask(rank, target, &Request { action, element, wants_old, blocks: &list, data })?;
            blocks.skip += data.len() as u64;
        }
        Ok(())
    }

    pub(super) fn get_by_message(
        &self,
        rank: &'static Rank,
        target: u32,
        origin: &Data,
        there: &Data,
    ) -> Result<()> {
        let (bytes_max, blocks_max) = room(rank, self.world(target));
        let mut blocks = Blocks::new(there);
        let total = there.bytes();
        while blocks.skip < total {
            let list = blocks.peek(bytes_max.min(total - blocks.skip), blocks_max);
            let bytes = bytes_of(&list);
            let (action, element, wants_old) = (Action::Get, None, false);
            let request = Request { action, element, wants_old, blocks: &list, data: &[] };
            let answer = self.ask(rank, target, &request)?;
            let answer = &answer[..answer.len().min(bytes as usize)];
            // SAFETY: the user's buffer is writable and unused during the call.
            unsafe { origin.buffer().unpack(blocks.skip, answer) };
            blocks.skip += bytes;
        }
        Ok(())
    }

    pub(super) fn accumulate_by_message(
        &self,
        rank: &'static Rank,
        target: u32,
        operands: &Operands<'_>,
        there: &Data,
    ) -> Result<()> {
        let (element, ty) = (operands.element, &operands.element.ty);
        let elements = |addr: *const u8| Data {
            addr: addr.cast_mut(),
            count: operands.count as i64,
            ty: ty.clone(),
        };
        let (input, old) = (elements(operands.input), elements(operands.old));
        let (bytes_max, blocks_max) = room(rank, self.world(target));
        // Whole elements only: each is changed by one message.
        let whole = |bytes: u64| bytes - bytes % element.size();
        let mut blocks = Blocks::new(there);
        let total = operands.count * element.size();
        let (has_input, wants_old) = (element.op != Op::NoOp, !operands.old.is_null());
        let mut data = vec![0; bytes_max as usize];
        while blocks.skip < total {
            let mut list = blocks.peek(whole(bytes_max).min(total - blocks.skip), blocks_max);
            let bytes = whole(bytes_of(&list));
            cut(&mut list, bytes);
            let data = &mut data[..if has_input { bytes as usize } else { 0 }];
            // SAFETY: the operands are valid for `count` elements during the call.
            unsafe { input.buffer().pack(blocks.skip, data) };
            let request = Request {
                action: Action::Accumulate,
                element: Some(element),
                wants_old,
                blocks: &list,
                data,
            };
            let answer = self.ask(rank, target, &request)?;
            if wants_old {
                let answer = &answer[..answer.len().min(bytes as usize)];
                // SAFETY: as above, writable and unused by others.
                unsafe { old.buffer().unpack(blocks.skip, answer) };
            }
            blocks.skip += bytes;
        }
        Ok(())
    }

    pub(super) fn swap_by_message(
        &self,
        rank: &'static Rank,
        target: u32,
        element: &Element,
        values: [*const u8; 2],
        old: *mut u8,
        there: &Data,
    ) -> Result<()> {
        let bytes = element.size() as usize;
        // SAFETY: both hold one element (the contract of `Win::compare_and_swap`).
        let data = values.map(|v| unsafe { std::slice::from_raw_parts(v, bytes) }).concat();
        let request = Request {
            action: Action::Swap,
            element: Some(element),
            wants_old: true,
            blocks: &[Piece { addr: there.addr as usize, len: bytes }],
            data: &data,
        };
        let answer = self.ask(rank, target, &request)?;
        if answer.len() >= bytes {
            // SAFETY: `old` has room for one element.
            unsafe { old.copy_from(answer.as_ptr(), bytes) };
        }
        Ok(())
    }
}
