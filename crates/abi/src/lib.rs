//! The C entry points of the MPI 5.0 standard ABI.
//!
//! A call goes: generated entry point (`generated/exports`) -> `entry::run` (rank, lock, phase)
//! -> the body in the file of its chapter -> `core`. One body serves the plain and the `_c`
//! variant. `decode.rs` turns C handles and buffers into objects; errors go back up to
//! `entry.rs`, which calls the error handler. Only this crate knows C handles.

mod decode;
mod entry;
pub mod generated;
mod ints;
pub mod removed;
mod report;
mod status;
mod text;

mod attr;
mod attr_predefined;
mod attr_win;
mod caller;
mod coll;
mod coll_args;
mod comm;
mod comm_create;
mod comm_idup;
mod comm_inter;
mod convert;
mod counter_report;
mod datatype;
mod dims;
mod dist_graph;
mod dynamic;
mod dynamic_spawn;
mod env;
mod errhandler;
mod error_codes;
mod graph;
mod grequest;
mod group;
mod icoll;
mod info;
mod io;
mod io_access;
mod io_datarep;
mod io_errhandler;
mod io_split;
mod neighbor;
mod op;
mod p2p;
mod pack;
mod part;
mod pcoll;
mod persistent;
mod probe;
mod request;
mod request_status;
mod rma;
mod rma_accumulate;
mod rma_create;
mod rma_query;
mod rma_sync;
mod rma_transfer;
mod sendrecv;
mod session;
mod session_buffer;
mod status_access;
mod tool;
mod tool_category;
mod tool_cvar;
mod tool_event;
mod tool_event_handle;
mod tool_pvar;
mod topology;
mod type_create;
mod type_query;
mod type_unnamed;
