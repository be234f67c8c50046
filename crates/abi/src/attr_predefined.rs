//! The attributes that every communicator has from the start (MPI 5.0, section 9.1.2).
//!
//! A user gets a pointer to an `int` that stays valid to the end of the process, and sees
//! `MPI_LASTUSEDCODE` change through it.

use crate::decode::Extra;
use crate::entry::Call;
use crate::generated::constants::*;
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;

/// The integers that the pointers point to. They hang off the rank, which is never dropped.
struct Predefined {
    tag_ub: Cell<c_int>,
    host: Cell<c_int>,
    io: Cell<c_int>,
    wtime_is_global: Cell<c_int>,
    appnum: Cell<c_int>,
    universe_size: Option<Cell<c_int>>,
    last_used_code: Cell<c_int>,
}

fn predefined(call: &Call) -> Rc<Predefined> {
    let node = call.rank.node();
    call.rank.extra(|| Predefined {
        tag_ub: Cell::new(c_int::MAX),
        host: Cell::new(MPI_PROC_NULL), // no rank is special
        io: Cell::new(MPI_ANY_SOURCE),  // every rank can use files
        wtime_is_global: Cell::new(1),
        appnum: Cell::new(node.app_number),
        universe_size: node.universe_size.map(Cell::new),
        last_used_code: Cell::new(MPI_ERR_LASTCODE),
    })
}

/// Whether the library itself has made this key.
pub(crate) fn is_predefined(keyval: c_int) -> bool {
    (MPI_TAG_UB..=MPI_UNIVERSE_SIZE).contains(&keyval)
}

/// Address of the value under a predefined key; `None` if it is not known.
pub(crate) fn predefined_value(call: &Call, keyval: c_int) -> Option<usize> {
    let values = predefined(call);
    let cell = match keyval {
        MPI_TAG_UB => &values.tag_ub,
        MPI_HOST => &values.host,
        MPI_IO => &values.io,
        MPI_WTIME_IS_GLOBAL => &values.wtime_is_global,
        MPI_APPNUM => &values.appnum,
        MPI_UNIVERSE_SIZE => values.universe_size.as_ref()?,
        MPI_LASTUSEDCODE => {
            let last = call.rank.user_errors.borrow().last;
            values.last_used_code.set(last.max(MPI_ERR_LASTCODE));
            &values.last_used_code
        }
        _ => return None,
    };
    Some(cell.as_ptr() as usize)
}

/// Brings `MPI_LASTUSEDCODE` up to date, for those who hold its address.
pub(crate) fn update_last_used_code(call: &Call) {
    if call.rank.try_node().is_some() {
        predefined_value(call, MPI_LASTUSEDCODE);
    }
}
