//! What is wrong with the arguments of a constructor.
//!
//! `abi` turns the kind into an MPI error class and hands the message to the error handler.

use std::fmt;

/// Which sort of argument was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A count or block length is negative (`MPI_ERR_COUNT`).
    Count,
    /// Another argument is out of its range (`MPI_ERR_ARG`).
    Argument,
    /// The number of dimensions, or one of the sizes, is wrong (`MPI_ERR_DIMS`).
    Dimension,
    /// The datatype cannot be used here (`MPI_ERR_TYPE`).
    Type,
    /// The new type would be larger than 64 bits can say (`MPI_ERR_VALUE_TOO_LARGE`).
    TooLarge,
    /// The new type is nested too deeply (`MPI_ERR_NO_MEM`).
    TooDeep,
}

/// A constructor refused its arguments; the message names the argument and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// Which sort of argument was wrong.
    pub kind: ErrorKind,
    /// What is wrong, with the argument's name in the standard and its value.
    pub message: String,
}

impl TypeError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> TypeError {
        TypeError { kind, message: message.into() }
    }

    pub(crate) fn too_large(what: &str) -> TypeError {
        let message = format!("{what} of the new datatype does not fit in 64 bits");
        TypeError::new(ErrorKind::TooLarge, message)
    }
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TypeError {}
