//! Categories of the tools interface (MPI 5.0, section 15.3.9): which variables and events belong
//! together (`core::tool`). They never change, and none lies in another.

use crate::entry::Call;
use crate::tool::{at, index_of, open, put, put_text, require, EVENT_NAMES};
use starling_core::error::Result;
use starling_core::tool::{categories, category_of, Category};
use starling_settings::describe;
use std::ffi::{c_char, c_int};

fn all(call: &Call) -> Vec<Category> {
    let tunables: Vec<&str> = describe().iter().map(|tunable| tunable.name).collect();
    let counters: Vec<&str> = call.rank.counters.list().iter().map(|row| row.0).collect();
    categories(&tunables, &counters)
}

/// Indices of the events of a category.
fn events_of(category: c_int) -> Vec<usize> {
    let belongs = |i: &usize| category_of(EVENT_NAMES[*i]) == category as usize;
    (0..EVENT_NAMES.len()).filter(belongs).collect()
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_num(call: &Call, num_cat: *mut c_int) -> Result<()> {
    open(call)?;
    require(num_cat, "num_cat")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *num_cat = all(call).len() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
#[allow(clippy::too_many_arguments)] // the standard's own list
pub(crate) unsafe fn t_category_get_info(
    call: &Call,
    cat_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    num_cvars: *mut c_int,
    num_pvars: *mut c_int,
    num_categories: *mut c_int,
) -> Result<()> {
    open(call)?;
    let all = all(call);
    let category = at(&all, cat_index, "categories")?;
    // SAFETY: as for this function.
    unsafe {
        put_text(category.name, name, name_len);
        put_text(category.doc, desc, desc_len);
        put(num_cvars, category.tunables.len() as c_int);
        put(num_pvars, category.counters.len() as c_int);
        put(num_categories, 0);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_num_events(
    call: &Call,
    cat_index: c_int,
    num_events: *mut c_int,
) -> Result<()> {
    open(call)?;
    require(num_events, "num_events")?;
    at(&all(call), cat_index, "categories")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *num_events = events_of(cat_index).len() as c_int };
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_index(
    call: &Call,
    name: *const c_char,
    cat_index: *mut c_int,
) -> Result<()> {
    open(call)?;
    require(cat_index, "cat_index")?;
    let all = all(call);
    // SAFETY: as for this function; the pointer is not null.
    unsafe { *cat_index = index_of(name, all.iter().map(|c| c.name), "category")? };
    Ok(())
}

/// Gives as many indices as there is room for.
///
/// # Safety
/// `indices` has room for `len` numbers.
unsafe fn give(list: &[usize], len: c_int, indices: *mut c_int) -> Result<()> {
    if len > 0 {
        require(indices, "indices")?;
    }
    for (i, index) in list.iter().take(len.max(0) as usize).enumerate() {
        // SAFETY: the caller's contract; i < len.
        unsafe { indices.add(i).write(*index as c_int) };
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_cvars(
    call: &Call,
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> Result<()> {
    open(call)?;
    // SAFETY: as for this function.
    unsafe { give(&at(&all(call), cat_index, "categories")?.tunables, len, indices) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_pvars(
    call: &Call,
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> Result<()> {
    open(call)?;
    // SAFETY: as for this function.
    unsafe { give(&at(&all(call), cat_index, "categories")?.counters, len, indices) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_events(
    call: &Call,
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> Result<()> {
    open(call)?;
    at(&all(call), cat_index, "categories")?;
    // SAFETY: as for this function.
    unsafe { give(&events_of(cat_index), len, indices) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_get_categories(
    call: &Call,
    cat_index: c_int,
    len: c_int,
    indices: *mut c_int,
) -> Result<()> {
    open(call)?;
    at(&all(call), cat_index, "categories")?;
    // SAFETY: as for this function.
    unsafe { give(&[], len, indices) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn t_category_changed(call: &Call, update_number: *mut c_int) -> Result<()> {
    open(call)?;
    require(update_number, "update_number")?;
    // SAFETY: a pointer of the caller, not null.
    unsafe { *update_number = 0 };
    Ok(())
}
