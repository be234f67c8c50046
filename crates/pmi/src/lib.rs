//! Both ends of the process management interface PMI-1: lines of text over a stream socket.
//!
//! The launcher serves it (`server`, a state machine without sockets), the library asks
//! (`client`, blocking, under any launcher that speaks PMI-1). `wire` and `spawn` are what both
//! share.

pub mod client;
pub mod server;
pub mod spawn;
pub mod wire;
