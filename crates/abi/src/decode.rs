//! From C arguments to objects: handles, buffers, ranks, tags, with the checks that the standard
//! allows. Each failure names the argument, its value and what would be right. Called by the
//! bodies of all chapters.

use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::buffer::{Buffer, Data};
use starling_core::comm::Comm;
use starling_core::error::{Class, Error, Result};
use starling_core::handle::{Invalid, Kind, Table};
use starling_core::rank::Rank;
use starling_core::status::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use starling_datatype::Datatype;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// A rank argument of a point-to-point call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// A process of the (remote) group.
    Rank(u32),
    /// `MPI_PROC_NULL`.
    Null,
    /// `MPI_ANY_SOURCE`.
    Any,
}

/// An error about a handle.
#[cold]
pub(crate) fn invalid_handle(class: Class, kind: Kind, value: usize, why: Invalid) -> Error {
    let noun = kind.noun();
    let text = match why {
        Invalid::Freed => format!("the handle {value:#x} named {noun} that has been freed"),
        Invalid::OtherKind(other) => format!(
            "the handle {value:#x} names {}, but {noun} is needed; check the order of arguments",
            other.noun()
        ),
        Invalid::Unknown => format!("{value:#x} is not a handle of {noun}"),
    };
    Error::new(class, text)
}

/// An error about a null handle.
#[cold]
pub(crate) fn null_handle(class: Class, name: &str) -> Error {
    Error::new(class, format!("the handle is {name}; a valid one is needed"))
}

/// An error about an argument.
#[cold]
pub(crate) fn bad(class: Class, text: impl Into<String>) -> Error {
    Error::new(class, text)
}

/// Null pointers for results are refused: nothing could be returned.
pub(crate) fn require<T>(pointer: *const T, name: &str) -> Result<()> {
    match pointer.is_null() {
        false => Ok(()),
        true => Err(bad(Class::ARG, format!("the argument {name} is a null pointer"))),
    }
}

/// Handles that are too wide for ours are nobody's.
pub(crate) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

/// Clones the object that `value` names in `table`.
pub(crate) fn look_up<T: Clone>(
    table: &Table<T>,
    value: usize,
    kind: Kind,
    class: Class,
) -> Result<T> {
    table.get(narrow(value)).cloned().map_err(|why| {
        let why = match predefined_kind(value) {
            Some(other) if other != kind => Invalid::OtherKind(other),
            _ => why,
        };
        invalid_handle(class, kind, value, why)
    })
}

/// The kind of a predefined handle of the ABI, by its number (section 20.3).
fn predefined_kind(value: usize) -> Option<Kind> {
    Some(match value {
        0x20..=0x3f => Kind::Op,
        0x100..=0x107 => Kind::Comm,
        0x108..=0x10f => Kind::Group,
        0x110..=0x117 => Kind::Win,
        0x118..=0x11f => Kind::File,
        0x120..=0x127 => Kind::Session,
        0x128..=0x12f => Kind::Message,
        0x130..=0x137 => Kind::Info,
        0x140..=0x147 => Kind::Errhandler,
        0x180..=0x187 => Kind::Request,
        0x200..=0x2ff => Kind::Datatype,
        _ => return None,
    })
}

impl Call {
    /// The communicator of a handle.
    #[inline]
    pub fn comm(&self, comm: MPI_Comm) -> Result<Rc<Comm>> {
        if comm == MPI_COMM_WORLD {
            if let Some(world) = self.rank.with_world(|w| w.cloned()) {
                return Ok(world);
            }
        }
        self.find_comm(comm)
    }

    /// The same, without the short cut.
    pub fn find_comm(&self, comm: MPI_Comm) -> Result<Rc<Comm>> {
        let predefined = match comm {
            MPI_COMM_WORLD => self.rank.world(),
            MPI_COMM_SELF => self.rank.self_comm(),
            MPI_COMM_NULL => return Err(null_handle(Class::COMM, "MPI_COMM_NULL")),
            _ => None,
        };
        match predefined {
            Some(comm) => Ok(comm),
            None => look_up(&self.rank.comms.borrow(), comm.0, Kind::Comm, Class::COMM),
        }
    }

    /// An intracommunicator.
    pub fn intra_comm(&self, comm: MPI_Comm) -> Result<Rc<Comm>> {
        let comm = self.comm(comm)?;
        comm.require_intra(self.function.name)?;
        Ok(comm)
    }

    /// Gives a new communicator a handle.
    pub fn new_comm(&self, comm: Option<Rc<Comm>>) -> Result<MPI_Comm> {
        let Some(comm) = comm else { return Ok(MPI_COMM_NULL) };
        let handle = insert(&self.rank.comms, comm.clone(), "communicators")?;
        comm.handle.set(handle);
        Ok(MPI_Comm(handle as usize))
    }

    /// The datatype of a handle.
    #[inline]
    pub fn datatype(&self, datatype: MPI_Datatype) -> Result<Rc<Datatype>> {
        match self.rank.predefined_datatype(narrow(datatype.0)) {
            Some(ty) => Ok(ty.clone()),
            None => self.derived_datatype(datatype),
        }
    }

    fn derived_datatype(&self, datatype: MPI_Datatype) -> Result<Rc<Datatype>> {
        if datatype == MPI_DATATYPE_NULL {
            return Err(null_handle(Class::TYPE, "MPI_DATATYPE_NULL"));
        }
        look_up(&self.rank.datatypes.borrow(), datatype.0, Kind::Datatype, Class::TYPE)
    }

    /// A datatype that may be used to communicate.
    pub fn committed_datatype(&self, datatype: MPI_Datatype) -> Result<Rc<Datatype>> {
        let ty = self.datatype(datatype)?;
        if !ty.committed() {
            let text = "the datatype has not been committed; call MPI_Type_commit first";
            return Err(bad(Class::TYPE, text));
        }
        Ok(ty)
    }

    /// The buffer of a message: `count` elements of `datatype` at `buf`.
    #[inline]
    pub fn buffer(&self, buf: *const c_void, count: i64, datatype: MPI_Datatype) -> Result<Buffer> {
        let size = self.rank.dense_size(datatype.0 as u32);
        let is_small = (count as u64) < 1 << 48 && datatype.0 < 1 << 32;
        if size != 0 && is_small && buf > MPI_IN_PLACE {
            return Ok(Buffer::contiguous(buf.cast_mut().cast(), count as u64 * size as u64));
        }
        check_count(count)?;
        let ty = self.committed_datatype(datatype)?;
        check_address(buf, count, &ty)?;
        Ok(Buffer::new(buf.cast_mut().cast(), count, &ty))
    }

    /// The buffer of a collective: `count` elements of `datatype` at `buf`.
    pub fn data(&self, buf: *const c_void, count: i64, datatype: MPI_Datatype) -> Result<Data> {
        check_count(count)?;
        let ty = self.committed_datatype(datatype)?;
        check_address(buf, count, &ty)?;
        Ok(Data { addr: buf.cast_mut().cast(), count, ty })
    }

    /// A destination.
    #[inline]
    pub fn destination(&self, comm: &Comm, rank: c_int) -> Result<Peer> {
        let size = comm.peers().size();
        match rank {
            PROC_NULL => Ok(Peer::Null),
            r if r >= 0 && (r as u32) < size => Ok(Peer::Rank(r as u32)),
            _ => Err(bad_rank("destination", rank, comm)),
        }
    }

    /// A source.
    #[inline]
    pub fn source(&self, comm: &Comm, rank: c_int) -> Result<Peer> {
        let size = comm.peers().size();
        match rank {
            ANY_SOURCE => Ok(Peer::Any),
            PROC_NULL => Ok(Peer::Null),
            r if r >= 0 && (r as u32) < size => Ok(Peer::Rank(r as u32)),
            _ => Err(bad_rank("source", rank, comm)),
        }
    }

    /// The tag of a message that is sent.
    #[inline]
    pub fn send_tag(&self, tag: c_int) -> Result<c_int> {
        match tag {
            0.. => Ok(tag),
            _ => Err(bad_tag(tag, "MPI_ANY_TAG is for receives only")),
        }
    }

    /// The tag that a receive asks for.
    #[inline]
    pub fn recv_tag(&self, tag: c_int) -> Result<c_int> {
        match tag {
            ANY_TAG | 0.. => Ok(tag),
            _ => Err(bad_tag(tag, "or MPI_ANY_TAG")),
        }
    }
}

/// Puts an object into one of the rank's tables.
pub(crate) fn insert<T>(table: &std::cell::RefCell<Table<T>>, value: T, what: &str) -> Result<u32> {
    table.borrow_mut().insert(value).ok_or_else(|| {
        let text = format!("this rank has 2^22 {what} already; free those no longer needed");
        bad(Class::NO_MEM, text)
    })
}

#[cold]
fn bad_rank(what: &str, rank: c_int, comm: &Comm) -> Error {
    let size = comm.peers().size();
    let text = format!(
        "the {what} is rank {rank}, but {} has the ranks 0 to {}",
        comm.title(),
        size as i64 - 1
    );
    bad(Class::RANK, text)
}

#[cold]
fn bad_tag(tag: c_int, also: &str) -> Error {
    let text = format!("the tag is {tag}; tags are 0 to {} (MPI_TAG_UB), {also}", c_int::MAX);
    bad(Class::TAG, text)
}

#[inline]
pub(crate) fn check_count(count: i64) -> Result<()> {
    match count {
        0.. => Ok(()),
        _ => Err(bad(Class::COUNT, format!("the count is {count}; it must not be negative"))),
    }
}

/// A null buffer is right only with types that carry absolute addresses (`MPI_BOTTOM`).
#[inline]
fn check_address(buf: *const c_void, count: i64, ty: &Datatype) -> Result<()> {
    if buf == MPI_IN_PLACE {
        return Err(bad(Class::BUFFER, "MPI_IN_PLACE is not allowed for this argument"));
    }
    if buf.is_null() && count > 0 && ty.as_basic().is_some() {
        let text = format!("the buffer is a null pointer, but {count} elements are to be moved");
        return Err(bad(Class::BUFFER, text));
    }
    if ty.size().checked_mul(count).is_none() {
        let text = format!("{count} elements of {} bytes exceed 2^63 bytes", ty.size());
        return Err(bad(Class::COUNT, text));
    }
    Ok(())
}

/// Things of this crate that hang off a rank, one of each type.
pub(crate) trait Extra {
    /// The rank's `T`, made by `new` at the first use.
    fn extra<T: 'static>(&self, new: impl FnOnce() -> T) -> Rc<T>;
}

impl Extra for Rank {
    fn extra<T: 'static>(&self, new: impl FnOnce() -> T) -> Rc<T> {
        let mut extra = self.extra.borrow_mut();
        let entry = extra.entry(std::any::TypeId::of::<T>()).or_insert_with(|| Rc::new(new()));
        entry.clone().downcast().expect("the key is the type")
    }
}
