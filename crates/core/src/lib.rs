//! The MPI engine, without C: ranks, communicators, matching, protocols, collectives.
//!
//! Called by `abi` (which decodes C handles, checks arguments and calls error handlers) and by
//! tests that host ranks as threads. Relies on `transport` for moving bytes, on `datatype` and
//! `op` for what the bytes mean. There is no process-global MPI state: everything hangs off a
//! [`rank::Rank`].

pub mod attr;
pub mod bootstrap;
pub mod buffer;
pub mod coll;
pub mod comm;
pub mod dynamic;
pub mod errhandler;
pub mod error;
pub mod group;
pub mod handle;
pub mod info;
pub mod io;
pub mod lock;
pub mod p2p;
pub mod part;
pub mod progress;
pub mod rank;
pub mod request;
pub mod rma;
pub mod session;
pub mod status;
pub mod tool;
pub mod topo;

#[cfg(test)]
mod harness;

pub use starling_sys::clock::now_ns;
