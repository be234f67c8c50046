//! The shared memory of the node: made by the agent, inherited by the ranks.

use std::io;
use std::os::fd::OwnedFd;

/// Makes the segment for a number of ranks.
///
/// # Errors
/// When memory or descriptors are short.
pub fn create(ranks: usize) -> io::Result<OwnedFd> {
    let ranks = u32::try_from(ranks).map_err(io::Error::other)?;
    starling_transport::shm::segment::create(ranks)
}
