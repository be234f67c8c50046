//! Put and get (MPI 5.0, sections 12.3.1, 12.3.2, 12.3.5): bodies of the chapter `rma`. An
//! operation is complete when its call returns, so the variants with a request give one that is.

use crate::decode::require;
use crate::entry::Call;
use crate::generated::types::*;
use crate::rma::{complete_request, shape, target};
use starling_core::buffer::Data;
use starling_core::error::Result;
use starling_core::rma::Win;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// A put or get, decoded and allowed.
struct Transfer {
    win: Rc<Win>,
    target: u32,
    origin: Data,
    there: Data,
}

/// Decodes the arguments; `None` if the target is `MPI_PROC_NULL`.
#[allow(clippy::too_many_arguments)] // the standard's own list
fn decode(
    call: &Call,
    origin_addr: *const c_void,
    origin_count: i64,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: i64,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    passive: bool,
) -> Result<Option<Transfer>> {
    let win = call.win(win)?;
    let rank = target(&win, target_rank)?;
    let origin = call.data(origin_addr, origin_count, origin_datatype)?;
    let there = shape(call, target_count, target_datatype)?;
    let Some(target) = rank else { return Ok(None) };
    win.enter(call.rank, target, passive)?;
    let there = win.target(target, target_disp as i64, there)?;
    Ok(Some(Transfer { win, target, origin, there }))
}

macro_rules! transfers {
    ($($plain:ident $with_request:ident $origin:ty, $run:ident;)*) => { $(
        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $plain(
            call: &Call,
            origin_addr: $origin,
            origin_count: i64,
            origin_datatype: MPI_Datatype,
            target_rank: c_int,
            target_disp: MPI_Aint,
            target_count: i64,
            target_datatype: MPI_Datatype,
            win: MPI_Win,
        ) -> Result<()> {
            let decoded = decode(
                call, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, win, false,
            )?;
            let Some(t) = decoded else { return Ok(()) };
            // SAFETY: the caller's buffer; synchronised by the user (section 12.7).
            unsafe { t.win.$run(call.rank, t.target, &t.origin, &t.there) }
        }

        /// # Safety
        /// The arguments are those of the C caller.
        #[allow(clippy::too_many_arguments)] // the standard's own list
        pub(crate) unsafe fn $with_request(
            call: &Call,
            origin_addr: $origin,
            origin_count: i64,
            origin_datatype: MPI_Datatype,
            target_rank: c_int,
            target_disp: MPI_Aint,
            target_count: i64,
            target_datatype: MPI_Datatype,
            win: MPI_Win,
            request: *mut MPI_Request,
        ) -> Result<()> {
            require(request, "request")?;
            let decoded = decode(
                call, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, win, true,
            )?;
            // SAFETY: the caller's buffers; synchronised by the user (section 12.7).
            unsafe {
                if let Some(t) = decoded {
                    t.win.$run(call.rank, t.target, &t.origin, &t.there)?;
                }
                complete_request(call, request)
            }
        }
    )* };
}

transfers! {
    put rput *const c_void, put;
    get rget *mut c_void, get;
}
