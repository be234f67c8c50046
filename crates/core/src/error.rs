//! What went wrong, in words and as an MPI error class. Made anywhere in the engine; only `abi`
//! turns it into a return code and calls error handlers.

use std::fmt;

/// An MPI error class (MPI 5.0, section 9.4); the numbers are those of the standard ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(pub i32);

macro_rules! classes {
    ($($name:ident = $value:literal, $abi:literal;)*) => {
        impl Class {
            $(#[doc = concat!("`", $abi, "`")] pub const $name: Class = Class($value);)*
            /// Every class that the engine uses, with its name in the standard.
            pub const ALL: &'static [(&'static str, Class)] = &[$(($abi, Class::$name)),*];
        }
    };
}

classes! {
    BUFFER = 1, "MPI_ERR_BUFFER";
    COUNT = 2, "MPI_ERR_COUNT";
    TYPE = 3, "MPI_ERR_TYPE";
    TAG = 4, "MPI_ERR_TAG";
    COMM = 5, "MPI_ERR_COMM";
    RANK = 6, "MPI_ERR_RANK";
    REQUEST = 7, "MPI_ERR_REQUEST";
    ROOT = 8, "MPI_ERR_ROOT";
    GROUP = 9, "MPI_ERR_GROUP";
    OP = 10, "MPI_ERR_OP";
    TOPOLOGY = 11, "MPI_ERR_TOPOLOGY";
    DIMS = 12, "MPI_ERR_DIMS";
    ARG = 13, "MPI_ERR_ARG";
    UNKNOWN = 14, "MPI_ERR_UNKNOWN";
    TRUNCATE = 15, "MPI_ERR_TRUNCATE";
    OTHER = 16, "MPI_ERR_OTHER";
    INTERN = 17, "MPI_ERR_INTERN";
    PENDING = 18, "MPI_ERR_PENDING";
    IN_STATUS = 19, "MPI_ERR_IN_STATUS";
    ACCESS = 20, "MPI_ERR_ACCESS";
    AMODE = 21, "MPI_ERR_AMODE";
    BAD_FILE = 23, "MPI_ERR_BAD_FILE";
    ASSERT = 22, "MPI_ERR_ASSERT";
    BASE = 24, "MPI_ERR_BASE";
    DISP = 26, "MPI_ERR_DISP";
    CONVERSION = 25, "MPI_ERR_CONVERSION";
    DUP_DATAREP = 27, "MPI_ERR_DUP_DATAREP";
    FILE_EXISTS = 28, "MPI_ERR_FILE_EXISTS";
    FILE_IN_USE = 29, "MPI_ERR_FILE_IN_USE";
    IO = 35, "MPI_ERR_IO";
    NOT_SAME = 40, "MPI_ERR_NOT_SAME";
    NO_SPACE = 41, "MPI_ERR_NO_SPACE";
    NO_SUCH_FILE = 42, "MPI_ERR_NO_SUCH_FILE";
    PORT = 43, "MPI_ERR_PORT";
    QUOTA = 44, "MPI_ERR_QUOTA";
    READ_ONLY = 45, "MPI_ERR_READ_ONLY";
    INFO_KEY = 31, "MPI_ERR_INFO_KEY";
    INFO_NOKEY = 32, "MPI_ERR_INFO_NOKEY";
    INFO_VALUE = 33, "MPI_ERR_INFO_VALUE";
    INFO = 34, "MPI_ERR_INFO";
    KEYVAL = 36, "MPI_ERR_KEYVAL";
    LOCKTYPE = 37, "MPI_ERR_LOCKTYPE";
    NAME = 38, "MPI_ERR_NAME";
    NO_MEM = 39, "MPI_ERR_NO_MEM";
    FILE = 30, "MPI_ERR_FILE";
    RMA_ATTACH = 46, "MPI_ERR_RMA_ATTACH";
    RMA_RANGE = 48, "MPI_ERR_RMA_RANGE";
    RMA_SHARED = 49, "MPI_ERR_RMA_SHARED";
    RMA_SYNC = 50, "MPI_ERR_RMA_SYNC";
    SERVICE = 51, "MPI_ERR_SERVICE";
    SIZE = 52, "MPI_ERR_SIZE";
    WIN = 56, "MPI_ERR_WIN";
    RMA_FLAVOR = 57, "MPI_ERR_RMA_FLAVOR";
    SPAWN = 53, "MPI_ERR_SPAWN";
    UNSUPPORTED_DATAREP = 54, "MPI_ERR_UNSUPPORTED_DATAREP";
    UNSUPPORTED_OPERATION = 55, "MPI_ERR_UNSUPPORTED_OPERATION";
    VALUE_TOO_LARGE = 59, "MPI_ERR_VALUE_TOO_LARGE";
    SESSION = 60, "MPI_ERR_SESSION";
    ERRHANDLER = 61, "MPI_ERR_ERRHANDLER";
    ABI = 62, "MPI_ERR_ABI";
}

/// An error: its class and what a person needs to know. Boxed, so that `Result` stays small.
#[derive(Clone, Debug)]
pub struct Error(Box<Report>);

#[derive(Clone, Debug)]
struct Report {
    /// The error code: a class, or a code the user added.
    code: i32,
    text: String,
    /// Handle of the communicator whose error handler is used, where the call does not name it.
    comm: Option<u32>,
}

impl Error {
    /// An error of `class`; `text` names what happened, with which values, and what to do.
    #[cold]
    pub fn new(class: Class, text: impl Into<String>) -> Error {
        Error(Box::new(Report { code: class.0, text: text.into(), comm: None }))
    }

    /// An error code that a user's callback returned.
    #[cold]
    pub fn from_code(code: i32, text: impl Into<String>) -> Error {
        Error(Box::new(Report { code, text: text.into(), comm: None }))
    }

    /// The error code for the caller.
    pub fn code(&self) -> i32 {
        self.0.code
    }

    /// The same, as a class of the engine.
    pub fn class(&self) -> Class {
        Class(self.0.code)
    }

    /// The same error, to be handled by the communicator with this handle.
    pub fn on_comm(mut self, handle: u32) -> Error {
        self.0.comm = Some(handle);
        self
    }

    /// The communicator whose error handler is used, if the error names one.
    pub fn comm(&self) -> Option<u32> {
        self.0.comm
    }

    /// The words.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl From<starling_transport::TransportError> for Error {
    fn from(error: starling_transport::TransportError) -> Error {
        use starling_transport::TransportError::*;
        let class = match error {
            OutOfMemory { .. } => Class::NO_MEM,
            Corrupt { .. } => Class::INTERN,
        };
        Error::new(class, error.to_string())
    }
}

/// What most functions of the engine return.
pub type Result<T> = std::result::Result<T, Error>;
