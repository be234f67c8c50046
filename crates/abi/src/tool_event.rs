//! Events of the tools interface (MPI 5.0, section 15.3.8): which there are, where they come
//! from, and what one that happens holds. Registrations and their callbacks are in
//! `tool_event_handle.rs`, re-exported here.
//!
//! There is one event, the message that arrives before its receive is posted. It happens inside
//! MPI calls, so only callbacks that cope with that are called.

pub(crate) use crate::tool_event_handle::*;

use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::info;
use crate::tool::{at, bad_index, fails, index_of, open, put, put_text, require};
use starling_core::error::{Error, Result};
use starling_core::info::Info;
use starling_core::now_ns;
use std::ffi::{c_char, c_int, c_void};

/// The names of the events. Each belongs to the category that its name falls in.
pub(crate) const EVENT_NAMES: [&str; 1] = ["unexpected_message"];
const DOC: &str = "A message arrived before its receive was posted: world rank of the sender, \
                   tag, bytes.";

/// What an event holds, laid out as `MPI_T_event_copy` gives it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub source: c_int,
    pub tag: c_int,
    pub bytes: u64,
}

/// Type, place and size of each element of a `Record`.
const ELEMENTS: [(MPI_Datatype, usize, usize); 3] = [
    (MPI_INT, std::mem::offset_of!(Record, source), size_of::<c_int>()),
    (MPI_INT, std::mem::offset_of!(Record, tag), size_of::<c_int>()),
    (MPI_UNSIGNED_LONG, std::mem::offset_of!(Record, bytes), size_of::<u64>()),
];

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_get_num(call: &Call, num_events: *mut c_int) -> Result<()> {
    open(call)?;
    require(num_events, "num_events")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *num_events = EVENT_NAMES.len() as c_int };
    Ok(())
}

/// Gives an info object without hints to a caller that wants one.
///
/// # Safety
/// `to` is null or a pointer of the caller.
pub(crate) unsafe fn put_info(call: &Call, to: *mut MPI_Info) -> Result<()> {
    if !to.is_null() {
        // SAFETY: the caller's contract.
        unsafe { *to = info::new_handle(call, Info::default())? };
    }
    Ok(())
}

/// The arrays get as many elements as they have room for; the number becomes that of all.
///
/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn t_event_get_info(
    call: &Call,
    event_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatypes: *mut MPI_Datatype,
    displacements: *mut MPI_Aint,
    num_elements: *mut c_int,
    enumtype: *mut MPI_T_enum,
    info: *mut MPI_Info,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
) -> Result<()> {
    open(call)?;
    let event = at(&EVENT_NAMES, event_index, "events")?;
    // SAFETY: as for this function; the arrays have as many elements as the caller says.
    unsafe {
        put_text(event, name, name_len);
        put(verbosity, MPI_T_VERBOSITY_TUNER_DETAIL);
        if !num_elements.is_null() {
            let room = (*num_elements).max(0) as usize;
            for (i, (ty, at, _)) in ELEMENTS.iter().enumerate().take(room) {
                if !datatypes.is_null() {
                    datatypes.add(i).write(*ty);
                }
                if !displacements.is_null() {
                    displacements.add(i).write(*at as MPI_Aint);
                }
            }
            *num_elements = ELEMENTS.len() as c_int;
        }
        put(enumtype, MPI_T_ENUM_NULL);
        put_info(call, info)?;
        put_text(DOC, desc, desc_len);
        put(bind, MPI_T_BIND_NO_OBJECT);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_get_index(
    call: &Call,
    name: *const c_char,
    event_index: *mut c_int,
) -> Result<()> {
    open(call)?;
    require(event_index, "event_index")?;
    // SAFETY: as for this function; the pointer is not null.
    unsafe { *event_index = index_of(name, EVENT_NAMES.iter().copied(), "event")? };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_read(
    call: &Call,
    event_instance: MPI_T_event_instance,
    element_index: c_int,
    buffer: *mut c_void,
) -> Result<()> {
    let instance = find_instance(call, event_instance)?;
    let (_, offset, size) = *usize::try_from(element_index)
        .ok()
        .and_then(|i| ELEMENTS.get(i))
        .ok_or_else(|| bad_index("elements", element_index, ELEMENTS.len()))?;
    require(buffer, "buffer")?;
    let record = std::ptr::from_ref(&instance.record).cast::<u8>();
    // SAFETY: the element lies in the record; the caller's memory has room for its type.
    unsafe { std::ptr::copy_nonoverlapping(record.add(offset), buffer.cast(), size) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_copy(
    call: &Call,
    event_instance: MPI_T_event_instance,
    buffer: *mut c_void,
) -> Result<()> {
    let instance = find_instance(call, event_instance)?;
    require(buffer, "buffer")?;
    // SAFETY: the caller's memory has room for all elements at their displacements.
    unsafe { buffer.cast::<Record>().write_unaligned(instance.record) };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_get_timestamp(
    call: &Call,
    event_instance: MPI_T_event_instance,
    event_timestamp: *mut MPI_Count,
) -> Result<()> {
    let instance = find_instance(call, event_instance)?;
    require(event_timestamp, "event_timestamp")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *event_timestamp = instance.time_ns as MPI_Count };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_event_get_source(
    call: &Call,
    event_instance: MPI_T_event_instance,
    source_index: *mut c_int,
) -> Result<()> {
    find_instance(call, event_instance)?;
    require(source_index, "source_index")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *source_index = 0 };
    Ok(())
}

/// Events come from the one place where messages arrive, in the order of its clock.
const SOURCES: [(&str, &str); 1] =
    [("arrivals", "Messages as they arrive at this rank; time in nanoseconds.")];

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_source_get_num(call: &Call, num_sources: *mut c_int) -> Result<()> {
    open(call)?;
    require(num_sources, "num_sources")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *num_sources = SOURCES.len() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn t_source_get_info(
    call: &Call,
    source_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    ordering: *mut MPI_T_source_order,
    ticks_per_second: *mut MPI_Count,
    max_ticks: *mut MPI_Count,
    info: *mut MPI_Info,
) -> Result<()> {
    open(call)?;
    let (source, doc) = at(&SOURCES, source_index, "sources")?;
    // SAFETY: as for this function.
    unsafe {
        put_text(source, name, name_len);
        put_text(doc, desc, desc_len);
        put(ordering, MPI_T_SOURCE_ORDERED);
        put(ticks_per_second, 1_000_000_000);
        put(max_ticks, MPI_Count::MAX);
        put_info(call, info)
    }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_source_get_timestamp(
    call: &Call,
    source_index: c_int,
    timestamp: *mut MPI_Count,
) -> Result<()> {
    open(call)?;
    at(&SOURCES, source_index, "sources")?;
    require(timestamp, "timestamp")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *timestamp = now_ns() as MPI_Count };
    Ok(())
}

/// An error about an instance.
pub(crate) fn no_instance(instance: MPI_T_event_instance) -> Error {
    let text = format!("{:#x} is not an event; it is one during its callback only", instance.0);
    fails(MPI_T_ERR_INVALID_HANDLE, text)
}
