//! Attributes of windows (MPI 5.0, sections 7.7.3 and 12.2.6): bodies of the chapter `attr`.
//!
//! The library sets five itself. `MPI_WIN_BASE` is the address; for the others a user gets a
//! pointer to a number, which stays valid as long as the window.

use crate::attr::{delete, delete_each, give, key, set, Owner};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use crate::rma::flavor_number;
use starling_core::attr::On;
use starling_core::error::Result;
use starling_core::rma::Win;
use std::ffi::{c_int, c_void};

/// What the pointers point to.
struct Numbers {
    size: MPI_Aint,
    disp_unit: c_int,
    flavor: c_int,
    model: c_int,
}

/// Whether the library itself has made this key, for windows.
pub(crate) fn is_predefined_for_windows(keyval: c_int) -> bool {
    (MPI_WIN_BASE..=MPI_WIN_MODEL).contains(&keyval)
}

fn predefined(win: &Win, keyval: c_int) -> usize {
    let numbers = win.numbers.get_or_init(|| {
        Box::new(Numbers {
            size: win.size(win.me()) as MPI_Aint,
            disp_unit: win.disp_unit(win.me()) as c_int,
            flavor: flavor_number(win),
            model: MPI_WIN_UNIFIED,
        })
    });
    let numbers: &Numbers = numbers.downcast_ref().expect("only made here");
    match keyval {
        MPI_WIN_BASE => win.base(),
        MPI_WIN_SIZE => &raw const numbers.size as usize,
        MPI_WIN_DISP_UNIT => &raw const numbers.disp_unit as usize,
        MPI_WIN_CREATE_FLAVOR => &raw const numbers.flavor as usize,
        _ => &raw const numbers.model as usize,
    }
}

/// Deletes all attributes of a window, newest first, calling their delete callbacks.
pub(crate) fn delete_win(call: &Call, win: &Win) -> Result<()> {
    delete_each(call, &win.attributes, Owner::win(win))
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_set_attr(
    call: &Call,
    win: MPI_Win,
    keyval: c_int,
    value: *mut c_void,
) -> Result<()> {
    let win = call.win(win)?;
    set(call, &win.attributes, Owner::win(&win), keyval, value)
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_get_attr(
    call: &Call,
    win: MPI_Win,
    keyval: c_int,
    value: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    let win = call.win(win)?;
    let found = match is_predefined_for_windows(keyval) {
        true => Some(predefined(&win, keyval)),
        false => win.attributes.get(&key(call, keyval, On::Win)?),
    };
    // SAFETY: as for this function.
    unsafe { give(found, value, flag) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn win_delete_attr(call: &Call, win: MPI_Win, keyval: c_int) -> Result<()> {
    let win = call.win(win)?;
    delete(call, &win.attributes, Owner::win(&win), keyval)
}
