//! Error handlers, and the error classes, codes and strings that a user adds (MPI 5.0, sections
//! 9.3 to 9.5). The engine only keeps them; `abi` calls them, since it knows the C types.

use std::cell::Cell;
use std::collections::BTreeMap;

/// What an error handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `MPI_ERRORS_ARE_FATAL`: ends all connected processes.
    Fatal,
    /// `MPI_ERRORS_ABORT`: ends the processes of the communicator.
    Abort,
    /// `MPI_ERRORS_RETURN`: gives the code to the caller.
    Return,
    /// Calls the user's function at this address, of the object kind it was made for.
    User(For, usize),
}

/// For which kind of object a user's error handler was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum For {
    Comm,
    Win,
    File,
    Session,
}

/// An error handler. Objects that use it share it, so it outlives `MPI_Errhandler_free`.
#[derive(Debug)]
pub struct Errhandler {
    /// What it does.
    pub action: Action,
    /// The handle that `MPI_Comm_get_errhandler` gives: shared by all who ask.
    pub handle: Cell<u32>,
    /// How many handles the user holds (get and create each give one).
    pub held: Cell<u32>,
}

impl Errhandler {
    /// One that is not in a table yet.
    pub fn new(action: Action, handle: u32) -> Errhandler {
        Errhandler { action, handle: Cell::new(handle), held: Cell::new(1) }
    }
}

/// Error classes, codes and strings that the user added.
#[derive(Default)]
pub struct UserErrors {
    /// Per added class: nothing; per added code: its class. Strings beside them.
    pub codes: BTreeMap<i32, UserError>,
    /// Highest number in use (`MPI_LASTUSEDCODE`), or 0 for the predefined one.
    pub last: i32,
}

/// An added class or code.
#[derive(Clone, Debug, Default)]
pub struct UserError {
    /// The class of a code; `None` for a class.
    pub class: Option<i32>,
    /// The string, empty until `MPI_Add_error_string`.
    pub text: String,
}
