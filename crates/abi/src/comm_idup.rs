//! Duplicating a communicator without waiting for it (MPI 5.0, section 7.4.2): bodies of the
//! chapter `comm`.
//!
//! The handle is given out at once. Until the duplicate is complete it names the parent, and
//! nobody may use it. Attributes are copied at once as well, as the standard says.

use crate::attr::{self, Copied, Owner};
use crate::comm_create::hints;
use crate::decode::{insert, narrow, require};
use crate::entry::Call;
use crate::generated::types::*;
use starling_core::coll::{Coll, Operation};
use starling_core::comm::{create, Comm};
use starling_core::error::Result;
use starling_core::info::Info;
use starling_core::request::{Activity, Request};
use std::rc::Rc;

/// What a duplicate takes over from its parent as it is now.
struct Inherited {
    /// The handle that waits for it.
    handle: u32,
    attributes: Copied,
    hints: Info,
}

/// Starts to duplicate `parent`. Without `inherited` the result is thrown away: this process
/// cannot use it, but the others need its part.
fn begin(call: &Call, parent: &Rc<Comm>, inherited: Option<Inherited>) -> Rc<Operation> {
    // SAFETY: making a communicator has no buffers of the user.
    let (rank, coll) = (call.rank, unsafe { Coll::non_blocking(call.rank, parent) });
    let topology = parent.topology.borrow().clone();
    let errhandler = parent.errhandler.borrow().clone();
    Operation::start(rank, async move {
        let made = create::duplicate(coll).await?;
        let Some(inherited) = inherited else { return Ok(()) };
        made.topology.replace(topology);
        made.errhandler.replace(errhandler);
        made.info.replace(inherited.hints);
        made.handle.set(inherited.handle);
        for (key, value) in inherited.attributes {
            made.attributes.set(&key, value);
        }
        if let Ok(place) = rank.comms.borrow_mut().get_mut(inherited.handle) {
            *place = made;
        }
        Ok(())
    })
}

/// # Safety
/// The pointers are those of the C caller.
unsafe fn idup(
    call: &Call,
    comm: MPI_Comm,
    hints: Info,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    require(newcomm, "newcomm")?;
    require(request, "request")?;
    let parent = call.comm(comm)?;
    let handle = insert(&call.rank.comms, parent.clone(), "communicators")?;
    let new = MPI_Comm(handle as usize);
    let (from, into) = (Owner::comm(&parent), Owner::comm_handle(new));
    let attributes = match attr::copy(call, &parent.attributes, from, into) {
        Ok(copied) => copied,
        Err(error) => {
            let gone = call.rank.comms.borrow_mut().remove(narrow(new.0));
            drop(gone);
            begin(call, &parent, None);
            return Err(error);
        }
    };
    let operation = begin(call, &parent, Some(Inherited { handle, attributes, hints }));
    let made = Request {
        activity: Some(Activity::Collective(operation)),
        start: None,
        comm: Some(parent),
        made_by: call.function.name,
        keep: None,
        is_send: false,
    };
    let named = insert(&call.rank.requests, made, "requests")?;
    // SAFETY: pointers of the caller, not null.
    unsafe {
        *newcomm = new;
        *request = MPI_Request(named as usize);
    }
    Ok(())
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_idup(
    call: &Call,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: as for this function.
    unsafe { idup(call, comm, Info::default(), newcomm, request) }
}

/// # Safety
/// The arguments are those of the C caller.
pub(crate) unsafe fn comm_idup_with_info(
    call: &Call,
    comm: MPI_Comm,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    let hints = hints(call, info)?;
    // SAFETY: as for this function.
    unsafe { idup(call, comm, hints, newcomm, request) }
}
