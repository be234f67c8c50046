//! How the bytes of a message move, one file per protocol.
//!
//! | file | messages | copies |
//! |---|---|---|
//! | `eager.rs` | up to the eager limit | two: into the ring, out of it |
//! | `rendezvous.rs` | longer ones; announced, then single copy or fragments | |
//! | `single_copy.rs` | the receiver reads the sender's memory | one |

mod eager;
mod rendezvous;
mod single_copy;
