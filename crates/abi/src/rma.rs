//! One-sided communication (MPI 5.0, chapter 12). The bodies are in `rma_create.rs` (windows and
//! their memory), `rma_query.rs` (what a window is), `rma_transfer.rs` and `rma_accumulate.rs`
//! (operations) and `rma_sync.rs`; attributes of windows are in `attr_win.rs`. What the files
//! share is here.

pub(crate) use crate::rma_accumulate::*;
pub(crate) use crate::rma_create::*;
pub(crate) use crate::rma_query::*;
pub(crate) use crate::rma_sync::*;
pub(crate) use crate::rma_transfer::*;

use crate::decode::{bad, check_count, insert, look_up, null_handle};
use crate::entry::Call;
use crate::generated::constants::*;
use crate::generated::types::*;
use starling_core::buffer::Data;
use starling_core::error::{Class, Result};
use starling_core::handle::Kind;
use starling_core::request::{Activity, Request};
use starling_core::rma::Win;
use starling_core::status::Status;
use std::ffi::c_int;
use std::rc::Rc;

impl Call {
    /// The window of a handle.
    #[inline]
    pub fn win(&self, win: MPI_Win) -> Result<Rc<Win>> {
        match win {
            MPI_WIN_NULL => Err(null_handle(Class::WIN, "MPI_WIN_NULL")),
            _ => look_up(&self.rank.wins.borrow(), win.0, Kind::Win, Class::WIN),
        }
    }
}

/// A rank of a window; `None` for `MPI_PROC_NULL`.
#[inline]
pub(crate) fn target(win: &Win, rank: c_int) -> Result<Option<u32>> {
    match rank {
        MPI_PROC_NULL => Ok(None),
        r if r >= 0 && (r as u32) < win.ranks() => Ok(Some(r as u32)),
        _ => {
            let last = win.ranks() - 1;
            let text =
                format!("the target is rank {rank}, but {} has ranks 0 to {last}", win.title());
            Err(bad(Class::RANK, text))
        }
    }
}

/// The target's buffer: count and type; where it lies is found later.
pub(crate) fn shape(call: &Call, count: i64, datatype: MPI_Datatype) -> Result<Data> {
    check_count(count)?;
    let ty = call.committed_datatype(datatype)?;
    if ty.size().checked_mul(count).is_none() {
        let text = format!("{count} elements of {} bytes exceed 2^63 bytes", ty.size());
        return Err(bad(Class::COUNT, text));
    }
    Ok(Data { addr: std::ptr::null_mut(), count, ty })
}

/// A request for an operation that is complete already.
///
/// # Safety
/// `to` points to a request of the caller.
pub(crate) unsafe fn complete_request(call: &Call, to: *mut MPI_Request) -> Result<()> {
    let request = Request {
        activity: Some(Activity::Complete(Status::EMPTY)),
        start: None,
        comm: None,
        made_by: call.function.name,
        keep: None,
        is_send: false,
    };
    let handle = insert(&call.rank.requests, request, "requests")?;
    // SAFETY: the caller's contract.
    unsafe { *to = MPI_Request(handle as usize) };
    Ok(())
}
