//! Single copy: the receiver reads the sender's memory. Called by `rendezvous.rs`.
//! Where it is denied the transport says so, once, and the message comes in fragments.

use crate::buffer::Buffer;
use crate::rank::Rank;
use starling_sys::cross_memory::Piece;

impl Rank {
    /// Copies `bytes` bytes at `address` of `peer` into `buffer`; false if that can not be done.
    pub(crate) fn read_from(&self, peer: u32, address: usize, bytes: u64, buffer: &Buffer) -> bool {
        let route = self.route(peer);
        if !route.can_read(peer) {
            return false;
        }
        let remote = Piece { addr: address, len: bytes as usize };
        // SAFETY: the receive is not complete, so its buffer is ours; the sender keeps the
        // message in place until we tell it that we are done.
        let read = unsafe { route.read(peer, remote, &buffer.pieces(bytes)) };
        if read.is_ok() {
            self.counters.single_copy_bytes.add(bytes);
        }
        read.is_ok()
    }
}
