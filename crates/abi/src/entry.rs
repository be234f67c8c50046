//! Where every MPI call enters and leaves: finds the rank, takes its lock, checks the phase, runs
//! the body, and turns an error into what the object's error handler says (MPI 5.0, 9.3).
//! Called by the generated entry points only.

use crate::generated::constants::MPI_SUCCESS;
use crate::generated::types::{MPI_Comm, MPI_File, MPI_Session, MPI_Win};
use crate::report;
use starling_core::error::{Class, Error};
use starling_core::rank::{self, Phase, Rank};
use std::ffi::c_int;

/// What is known of a function.
pub(crate) struct Function {
    /// Its name, for messages.
    pub name: &'static str,
    /// Whether it may be called before initialisation and after finalisation (section 11.4.1),
    /// when no session is open either.
    pub any_time: bool,
}

/// The object whose error handler is used.
#[derive(Clone, Copy)]
pub(crate) enum On {
    /// None: `MPI_COMM_SELF`'s.
    None,
    Comm(MPI_Comm),
    Win(MPI_Win),
    File(MPI_File),
    Session(MPI_Session),
}

/// One MPI call on its way.
pub(crate) struct Call {
    /// Which.
    pub function: &'static Function,
    /// Of which rank.
    pub rank: &'static Rank,
}

/// Runs the body of a call.
///
/// # Safety
/// The arguments that `body` captured are what a C caller passed to `function`.
#[inline(always)]
pub(crate) unsafe fn run(
    function: &'static Function,
    on: On,
    body: impl FnOnce(&Call) -> Result<(), Error>,
) -> c_int {
    let rank = match rank::current() {
        Some(rank) => rank,
        None => rank::of_process(),
    };
    let _held = rank.lock.hold();
    let call = Call { function, rank };
    if rank.phase.get() != Phase::Active && !function.any_time && !rank.has_session() {
        return wrong_phase(&call);
    }
    match body(&call) {
        Ok(()) => MPI_SUCCESS,
        Err(error) => report::handle(&call, on, error),
    }
}

#[cold]
fn wrong_phase(call: &Call) -> c_int {
    let text = match call.rank.phase.get() {
        Phase::Before => {
            "it is called before MPI_Init; call MPI_Init or MPI_Init_thread first, on every rank, \
             or open a session (MPI_Session_init)"
        }
        _ => {
            "it is called after MPI_Finalize, with no session open; move the call in front of \
             MPI_Finalize"
        }
    };
    report::handle(call, On::None, Error::new(Class::OTHER, text))
}

/// A procedure that this version does not have.
///
/// # Safety
/// None needed; unsafe to have the type of its siblings.
#[cold]
#[allow(dead_code)] // called by the entry points of rows that are not done, while there are any
pub(crate) unsafe fn unsupported(function: &'static Function, on: On) -> c_int {
    // SAFETY: the body uses no argument.
    unsafe {
        run(function, on, |call| {
            let text = format!("{} is not supported by this version", call.function.name);
            Err(Error::new(Class::UNSUPPORTED_OPERATION, text))
        })
    }
}
