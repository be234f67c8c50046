//! Pack and unpack (MPI 5.0, sections 5.2 and 5.3).

use crate::decode::{bad, check_count, require};
use crate::entry::Call;
use crate::generated::constants::MPI_MAX_DATAREP_STRING;
use crate::generated::types::*;
use crate::ints::IntPtr;
use crate::text;
use starling_core::buffer::Data;
use starling_core::error::{Class, Error, Result};
use starling_datatype::{self as engine, external32};
use std::ffi::{c_char, c_void};

/// The one representation that the standard names for packing (section 5.3).
const EXTERNAL32: &str = "external32";

/// The packed side of a call: where the next bytes are, and how many there are up to its end.
struct Packed {
    /// Address of byte `at`.
    addr: *mut u8,
    at: i64,
    left: i64,
}

impl Packed {
    /// Checks `size` and `position`; `names` are those of buffer and size.
    fn decode(buf: *mut c_void, size: i64, position: IntPtr, names: [&str; 2]) -> Result<Packed> {
        let [buffer, limit] = names;
        require_int(position, "position")?;
        if size < 0 {
            return Err(bad(Class::ARG, format!("{limit} is {size}; it must not be negative")));
        }
        let at = position.get();
        if !(0..=size).contains(&at) {
            let text = format!("position is {at}, but {buffer} has the bytes 0 to {size}");
            return Err(bad(Class::ARG, text));
        }
        if buf.is_null() && size > at {
            return Err(bad(Class::BUFFER, format!("{buffer} is a null pointer")));
        }
        Ok(Packed { addr: buf.cast::<u8>().wrapping_offset(at as isize), at, left: size - at })
    }

    /// The next `bytes` bytes, for reading.
    ///
    /// # Safety
    /// The user's buffer is as large as was said and nobody changes it meanwhile.
    unsafe fn source<'a>(&self, bytes: i64) -> &'a [u8] {
        match bytes {
            0 => &[],
            // SAFETY: not null, and `bytes` is at most `left`; the rest is the caller's contract.
            _ => unsafe { std::slice::from_raw_parts(self.addr, bytes as usize) },
        }
    }

    /// The next `bytes` bytes, for writing.
    ///
    /// # Safety
    /// The user's buffer is as large as was said and nobody uses it meanwhile.
    unsafe fn target<'a>(&self, bytes: i64) -> &'a mut [u8] {
        match bytes {
            0 => &mut [],
            // SAFETY: as for `source`.
            _ => unsafe { std::slice::from_raw_parts_mut(self.addr, bytes as usize) },
        }
    }

    /// Refuses more bytes than there are.
    fn check(&self, bytes: i64, names: [&str; 2]) -> Result<()> {
        if bytes <= self.left {
            return Ok(());
        }
        let [buffer, limit] = names;
        let (at, size) = (self.at, self.at + self.left);
        let text = format!(
            "the elements take {bytes} packed bytes, but {buffer} has only {} from position {at} \
             on; {limit} is {size}",
            self.left
        );
        Err(bad(Class::TRUNCATE, text))
    }
}

const OUT: [&str; 2] = ["outbuf", "outsize"];
const IN: [&str; 2] = ["inbuf", "insize"];

fn require_int(pointer: IntPtr, name: &str) -> Result<()> {
    match pointer.is_null() {
        false => Ok(()),
        true => Err(bad(Class::ARG, format!("the argument {name} is a null pointer"))),
    }
}

fn too_many(count: i64) -> Error {
    bad(Class::COUNT, format!("{count} elements take more than 2^63 packed bytes"))
}

fn bytes_of(data: &Data) -> i64 {
    // `Call::data` checked that it fits.
    data.count * data.ty.size()
}

fn external_bytes_of(data: &Data) -> Result<i64> {
    external32::packed_size(data.count, &data.ty).ok_or_else(|| too_many(data.count))
}

/// # Safety
/// `datarep` is null or points to a C string.
unsafe fn check_representation(datarep: *const c_char) -> Result<()> {
    require(datarep, "datarep")?;
    // SAFETY: not null, so a C string.
    let name = unsafe { text::bytes(datarep, MPI_MAX_DATAREP_STRING as usize) };
    if name == EXTERNAL32.as_bytes() {
        return Ok(());
    }
    let name = String::from_utf8_lossy(name);
    let text = format!("datarep is \"{name}\"; the one to pack for others is \"{EXTERNAL32}\"");
    Err(bad(Class::UNSUPPORTED_DATAREP, text))
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn pack(
    call: &Call,
    inbuf: *const c_void,
    incount: i64,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: i64,
    position: IntPtr,
    comm: MPI_Comm,
) -> Result<()> {
    call.comm(comm)?;
    let data = call.data(inbuf, incount, datatype)?;
    let packed = Packed::decode(outbuf, outsize, position, OUT)?;
    let bytes = bytes_of(&data);
    packed.check(bytes, OUT)?;
    // SAFETY: buffers of the caller, which do not overlap.
    unsafe { engine::pack(data.addr, data.count, &data.ty, 0, packed.target(bytes)) };
    position.set(packed.at + bytes);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn unpack(
    call: &Call,
    inbuf: *const c_void,
    insize: i64,
    position: IntPtr,
    outbuf: *mut c_void,
    outcount: i64,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    call.comm(comm)?;
    let packed = Packed::decode(inbuf.cast_mut(), insize, position, IN)?;
    let data = call.data(outbuf, outcount, datatype)?;
    let bytes = bytes_of(&data);
    packed.check(bytes, IN)?;
    // SAFETY: buffers of the caller, which do not overlap.
    unsafe { engine::unpack(packed.source(bytes), data.addr, data.count, &data.ty, 0) };
    position.set(packed.at + bytes);
    Ok(())
}

/// Exact, since packing adds nothing; the standard asks for an upper bound.
///
/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn pack_size(
    call: &Call,
    incount: i64,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: IntPtr,
) -> Result<()> {
    call.comm(comm)?;
    require_int(size, "size")?;
    check_count(incount)?;
    let ty = call.datatype(datatype)?;
    size.set(ty.size().checked_mul(incount).ok_or_else(|| too_many(incount))?);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn pack_external(
    call: &Call,
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: i64,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: i64,
    position: IntPtr,
) -> Result<()> {
    // SAFETY: a C string of the caller.
    unsafe { check_representation(datarep) }?;
    let data = call.data(inbuf, incount, datatype)?;
    let packed = Packed::decode(outbuf, outsize, position, OUT)?;
    let bytes = external_bytes_of(&data)?;
    packed.check(bytes, OUT)?;
    // SAFETY: buffers of the caller, which do not overlap.
    unsafe { external32::pack(data.addr, data.count, &data.ty, packed.target(bytes)) };
    position.set(packed.at + bytes);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn unpack_external(
    call: &Call,
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: i64,
    position: IntPtr,
    outbuf: *mut c_void,
    outcount: i64,
    datatype: MPI_Datatype,
) -> Result<()> {
    // SAFETY: a C string of the caller.
    unsafe { check_representation(datarep) }?;
    let packed = Packed::decode(inbuf.cast_mut(), insize, position, IN)?;
    let data = call.data(outbuf, outcount, datatype)?;
    let bytes = external_bytes_of(&data)?;
    packed.check(bytes, IN)?;
    // SAFETY: buffers of the caller, which do not overlap.
    unsafe { external32::unpack(packed.source(bytes), data.addr, data.count, &data.ty) };
    position.set(packed.at + bytes);
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn pack_external_size(
    call: &Call,
    datarep: *const c_char,
    incount: i64,
    datatype: MPI_Datatype,
    size: IntPtr,
) -> Result<()> {
    // SAFETY: a C string of the caller.
    unsafe { check_representation(datarep) }?;
    require_int(size, "size")?;
    check_count(incount)?;
    let ty = call.datatype(datatype)?;
    size.set(external32::packed_size(incount, &ty).ok_or_else(|| too_many(incount))?);
    Ok(())
}
