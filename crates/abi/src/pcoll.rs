//! Persistent collectives (MPI 5.0, section 6.13): made in `coll.rs`.

pub(crate) use crate::coll::*;
