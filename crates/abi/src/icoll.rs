//! Non-blocking collectives (MPI 5.0, section 6.12): made in `coll.rs`.

pub(crate) use crate::coll::*;
