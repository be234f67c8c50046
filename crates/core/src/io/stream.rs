//! The memory side of an access: the bytes of a user's buffer in the order in which they are in
//! the file, converted to the file's representation where that is not memory's own.

use super::job::{Direction, Piece};
use super::representation::Representation;
use super::view::View;
use crate::buffer::{Data, Scratch};
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use starling_datatype::{self as datatype, external32, Basic, Block, Datatype};

/// See the module's page.
pub(super) struct Stream {
    /// What is moved: the user's buffer, or `converted` as bytes.
    data: Data,
    /// The user's buffer.
    user: Data,
    converted: Option<Vec<u8>>,
}

impl Stream {
    /// The user's buffer as it goes to the file, or room for what comes from it.
    pub fn new(
        rank: &'static Rank,
        direction: Direction,
        representation: &Representation,
        user: Data,
    ) -> Result<Stream> {
        if is_plain(representation, direction) {
            check_plain(representation, &user)?;
            return Ok(Stream { data: user.clone(), user, converted: None });
        }
        let bytes = representation.file_bytes(&user.ty, user.count)?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(bytes as usize).map_err(|_| {
            let text = format!("there are no {bytes} bytes of memory for the conversion");
            Error::new(Class::NO_MEM, text)
        })?;
        memory.resize(bytes as usize, 0);
        if direction == Direction::Write {
            encode(rank, representation, &user, &mut memory)?;
        }
        let byte = Datatype::basic(Basic::Byte);
        let data = Data { addr: memory.as_mut_ptr(), count: bytes as i64, ty: byte };
        Ok(Stream { data, user, converted: Some(memory) })
    }

    /// No bytes.
    pub fn empty() -> Stream {
        let data = Data { addr: std::ptr::null_mut(), count: 0, ty: Datatype::basic(Basic::Byte) };
        Stream { user: data.clone(), data, converted: None }
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.data.bytes()
    }

    /// After reading `bytes` bytes: converts them to the user's memory; returns what they are
    /// there, for the status.
    pub fn arrived(
        &mut self,
        rank: &'static Rank,
        how: &Representation,
        bytes: u64,
    ) -> Result<u64> {
        let Some(memory) = &mut self.converted else { return Ok(bytes) };
        let (items, native) = how.in_memory(&self.user.ty, bytes)?;
        decode(rank, how, &self.user, &mut memory[..bytes as usize], items)?;
        Ok(native)
    }

    /// After writing `bytes` bytes: what they are in memory.
    pub fn sent(&self, how: &Representation, bytes: u64) -> Result<u64> {
        match (how.is_native(), bytes == self.data.bytes()) {
            (true, _) => Ok(bytes),
            (false, true) => Ok(self.user.bytes()),
            (false, false) => how.in_memory(&self.user.ty, bytes).map(|(_, native)| native),
        }
    }

    /// The memory of the stream's bytes from `skip` on, if that is one piece.
    pub fn address(&self, skip: u64) -> Option<usize> {
        let start = self.data.buffer().address()?;
        Some(start.wrapping_add(skip as usize))
    }

    /// Copies from the stream.
    pub fn take(&self, skip: u64, out: &mut [u8]) {
        // SAFETY: the user's promise about the buffer, or memory of our own.
        unsafe { self.data.buffer().pack(skip, out) };
    }

    /// Copies to the stream.
    pub fn put(&self, skip: u64, bytes: &[u8]) {
        // SAFETY: the user's promise about the buffer, or memory of our own.
        unsafe { self.data.buffer().unpack(skip, bytes) };
    }

    /// The pieces that bring together the stream's bytes from `skip` on, which are those of the
    /// view from `position` on; at most about `most` of them. Returns them and their bytes.
    pub fn pieces(&self, view: &View, position: u64, skip: u64, most: usize) -> (Vec<Piece>, u64) {
        let (mut places, mut memory) = (Vec::new(), Vec::new());
        let wanted = view.places(position + skip, self.bytes() - skip, most, &mut places);
        let Data { addr, count, ty } = &self.data;
        let bytes = datatype::blocks(*addr as usize, *count, ty, skip, wanted, most, &mut memory);
        (join(&places, &memory, bytes), bytes)
    }
}

/// Cuts two lists at both lists' borders.
fn join(places: &[Block], memory: &[Block], bytes: u64) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(places.len().max(memory.len()));
    let (mut place, mut block) = (0, 0);
    let (mut in_place, mut in_block, mut left) = (0, 0, bytes as usize);
    while left > 0 {
        let (p, m) = (places[place], memory[block]);
        let len = (p.len - in_place).min(m.len - in_block).min(left);
        let (offset, addr) = ((p.addr + in_place) as u64, m.addr.wrapping_add(in_block));
        pieces.push(Piece { offset, addr, len });
        in_place += len;
        in_block += len;
        left -= len;
        if in_place == p.len {
            (place, in_place) = (place + 1, 0);
        }
        if in_block == m.len {
            (block, in_block) = (block + 1, 0);
        }
    }
    pieces
}

/// Whether the bytes in the file are those in memory.
fn is_plain(how: &Representation, direction: Direction) -> bool {
    match how {
        Representation::Native | Representation::Internal => true,
        Representation::External32 => false,
        Representation::User(_, functions) => functions.is_plain(direction == Direction::Read),
    }
}

/// Without a conversion function elements are as large in the file as in memory (section 14.5.3).
fn check_plain(how: &Representation, user: &Data) -> Result<()> {
    if how.is_native() || how.file_bytes(&user.ty, user.count)? == user.bytes() {
        return Ok(());
    }
    let text = format!(
        "the data representation \"{}\" has no conversion function, but other extents than memory",
        how.name()
    );
    Err(Error::new(Class::CONVERSION, text))
}

fn encode(rank: &'static Rank, how: &Representation, user: &Data, file: &mut [u8]) -> Result<()> {
    match how {
        Representation::User(_, functions) => {
            let (items, _) = how.in_memory(&user.ty, file.len() as u64)?;
            functions.write(rank, user, items, file)
        }
        _ => {
            // SAFETY: the user's promise about the buffer.
            let packed = unsafe { external32::pack(user.addr, user.count, &user.ty, file) };
            debug_assert_eq!(packed, Some(file.len()));
            Ok(())
        }
    }
}

fn decode(
    rank: &'static Rank,
    how: &Representation,
    user: &Data,
    file: &mut [u8],
    items: i64,
) -> Result<()> {
    if let Representation::User(_, functions) = how {
        return match items {
            0 => Ok(()),
            _ => functions.read(rank, user, items, file),
        };
    }
    let one = how.file_bytes(&user.ty, 1)?;
    if one == 0 {
        return Ok(());
    }
    let whole = file.len() as u64 / one;
    let (complete, rest) = file.split_at((whole * one) as usize);
    // SAFETY: the user's promise about the buffer, which has no fewer elements.
    unsafe { external32::unpack(complete, user.addr, whole as i64, &user.ty) };
    let (_, native) = how.in_memory(&user.ty, rest.len() as u64)?;
    if native > 0 {
        // The last element is there in part: it is completed with zeros aside, and the part
        // copied.
        let mut padded = rest.to_vec();
        padded.resize(one as usize, 0);
        let aside = Scratch::new(1, &user.ty);
        let mut part = vec![0; native as usize];
        // SAFETY: the scratch memory holds one element; the user's buffer as above.
        unsafe {
            external32::unpack(&padded, aside.data.addr, 1, &user.ty);
            aside.data.buffer().pack(0, &mut part);
            user.buffer().unpack(whole * user.ty.size() as u64, &part);
        }
    }
    Ok(())
}
