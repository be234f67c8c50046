//! Neighbourhood collectives (MPI 5.0, section 8.6): made in `coll.rs`.

pub(crate) use crate::coll::*;
