//! How bytes reach another rank: the [`Transport`] trait, and one folder per transport.
//!
//! `core` owns a list of transports and asks each, in order, whether it reaches a peer; it never
//! names one. A transport knows world ranks and bytes, never a communicator. Every implementation
//! runs the suite in `conformance.rs`.
//!
//! | folder | reaches |
//! |---|---|
//! | `local` | ranks that live in the same process, the rank itself included |
//! | `shm` | ranks of the same node, through the memory segment that all of them map |

pub mod local;
pub mod shm;

#[cfg(test)]
mod conformance;

use starling_sys::bell::Bell;
use starling_sys::cross_memory::Piece;
use starling_sys::fence::Fences;
pub use starling_sys::queue::spsc_ring::{Head, INLINE_MAX};
use std::fmt;

/// A message as it arrives. The body is only valid during the call that delivers it.
pub struct Packet<'a> {
    /// The sender's world rank.
    pub from: u32,
    /// What the sender put in front of the body.
    pub head: Head,
    /// The bytes.
    pub body: &'a [u8],
}

/// Why a transport could not do what it was asked.
#[derive(Debug)]
pub enum TransportError {
    /// Memory for a ring or a message could not be had.
    OutOfMemory {
        /// What was to be made.
        what: &'static str,
        /// How many bytes it needs.
        bytes: usize,
        /// The system's reason.
        cause: String,
    },
    /// Shared memory holds what no Starling process writes there.
    Corrupt {
        /// World rank of the other end.
        peer: u32,
    },
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransportError::OutOfMemory { what, bytes, cause } => write!(
                f,
                "no memory for {what} ({bytes} bytes: {cause}); free memory on the node, raise \
                 the job's memory limit, or lower STARLING_RING_BYTES"
            ),
            TransportError::Corrupt { peer } => write!(
                f,
                "the ring from rank {peer} holds bytes that no MPI call wrote; some rank writes \
                 outside its own memory"
            ),
        }
    }
}

/// Whether a message went out.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It is on its way; the body may be reused.
    Yes,
    /// No place for now: try again after some progress, in the same order.
    Full,
}

/// Writes the body of a message into the place that the transport found for it.
pub type Fill<'a> = &'a mut dyn FnMut(&mut [u8]);

/// Takes messages as they arrive. It may send on the same transport, but not poll it.
pub type Sink<'a> = &'a mut dyn FnMut(Packet<'_>);

/// What stands at the front of what a peer has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// Nothing.
    Empty,
    /// The message that was wanted; it has been taken.
    Taken,
    /// Another message; it is still there.
    Other,
}

/// Looks at the message at the front and takes it (true) or leaves it (false).
pub type Take<'a> = &'a mut dyn FnMut(&Head, &[u8]) -> bool;

/// One way to reach other ranks. Owned by one rank and used under that rank's lock only, hence
/// not thread-safe by itself.
///
/// Messages from one rank to another arrive in the order in which `try_send` answered
/// [`Sent::Yes`].
pub trait Transport {
    /// The folder's name.
    fn name(&self) -> &'static str;

    /// Whether `peer` (a world rank) is reached this way.
    fn reaches(&self, peer: u32) -> bool;

    /// Largest body of one message in bytes, at least 4096.
    fn body_max(&self) -> usize;

    /// Sends `body` behind `head`.
    fn try_send(&self, peer: u32, head: &Head, body: &[u8]) -> Result<Sent, TransportError>;

    /// As [`Transport::try_send`]; the body of `len` bytes is written by `fill`, which is called
    /// at most once.
    fn try_send_with(
        &self,
        peer: u32,
        head: &Head,
        len: usize,
        fill: Fill<'_>,
    ) -> Result<Sent, TransportError>;

    /// Delivers what has arrived, at most a bounded number of messages; returns how many.
    fn poll(&self, sink: Sink<'_>) -> Result<usize, TransportError>;

    /// As [`Transport::poll`], but looks only for messages from `peer`: cheaper when the caller
    /// knows whom it waits for. Needs a full poll now and then beside it.
    fn poll_from(&self, peer: u32, sink: Sink<'_>) -> Result<usize, TransportError>;

    /// Offers the message at the front of those from `peer` to `take`: the way of a receive that
    /// knows what it waits for, without any list between.
    fn take_from(&self, peer: u32, take: Take<'_>) -> Result<Front, TransportError>;

    /// Whether [`Transport::read`] from `peer` has not been found denied.
    fn can_read(&self, peer: u32) -> bool;

    /// Copies `remote` out of `peer`'s memory into `local`: single copy. After an error the
    /// caller asks the peer to send fragments instead, and `can_read` says no from then on.
    ///
    /// # Safety
    /// `local` pieces are writable memory that nobody else uses; `remote` belongs to a message
    /// that the peer keeps in place until it is told that the copy is done.
    unsafe fn read(&self, peer: u32, remote: Piece, local: &[Piece]) -> Result<(), String>;

    /// Called between `Bell::prepare` and `Bell::sleep`, with messages still unsent (`Full`) for
    /// the given peers: arranges that the bell rings when there is place again.
    fn wait_for_place(&self, peers: &[u32], fences: Fences);

    /// Called before anything is sent to a process that this one has not known: it may have the
    /// number of one that has ended, and what is known of that one is forgotten.
    fn meet(&self, _peer: u32) {}

    /// Wakes `peer` although no message is sent (used to end a job).
    fn ring(&self, peer: u32);
}

/// What a rank tells its transports when it attaches to them.
#[derive(Clone, Copy)]
pub struct Attachment {
    /// The rank's world rank.
    pub rank: u32,
    /// Where the rank sleeps.
    pub bell: &'static Bell,
    /// The fences of the bell's node.
    pub fences: Fences,
}
