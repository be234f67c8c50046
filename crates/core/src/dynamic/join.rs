//! Two processes that share a socket (MPI 5.0, section 11.10.4). Each tells the other its
//! universe, its number and a context; the larger context is the one they meet in.

use super::bridge;
use crate::coll::Coll;
use crate::comm::{intercomm, Comm};
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
use std::rc::Rc;

/// The first word of a message: says which protocol follows.
const MAGIC: u64 = u64::from_be_bytes(*b"starling");
const WORDS: usize = 4;
/// How long to wait for the socket between two looks at everything else, in milliseconds.
const PAUSE_MS: i32 = 1;

/// `MPI_Comm_join`; `None` if the other process cannot be reached.
pub fn join(rank: &'static Rank, socket: i32) -> Result<Option<Rc<Comm>>> {
    let node = rank.node();
    let mine = [MAGIC, node.universe.id, u64::from(node.me), rank.new_context()];
    let [magic, universe, number, context] = exchange(rank, socket, mine)?;
    if magic != MAGIC || universe != node.universe.id {
        return Ok(None);
    }
    if number == u64::from(node.me) {
        let text = "both ends of the socket belong to this process";
        return Err(Error::new(Class::ARG, text));
    }
    let way = bridge(rank, context.max(mine[3]), number as u32)?;
    let own = rank.myself().expect("the rank has its place");
    // SAFETY: making a communicator has no buffers.
    let c = unsafe { Coll::new(rank, own) };
    rank.block_on(intercomm::create(c, 0, Some(way)))?.map(Some)
}

/// Sends and receives that many words, and progresses meanwhile: the other process may wait for
/// this one elsewhere before it joins.
fn exchange(rank: &'static Rank, socket: i32, mine: [u64; WORDS]) -> Result<[u64; WORDS]> {
    let out: Vec<u8> = mine.iter().flat_map(|word| word.to_be_bytes()).collect();
    let mut into = [0u8; 8 * WORDS];
    let (mut sent, mut received) = (0, 0);
    while received < into.len() || sent < out.len() {
        rank.poll()?;
        let (flags, rest) = (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL, &out[sent..]);
        if !rest.is_empty() {
            // SAFETY: `rest` is readable for its length.
            let count = unsafe { libc::send(socket, rest.as_ptr().cast(), rest.len(), flags) };
            sent += moved(socket, count)?;
        }
        let rest = &mut into[received..];
        if !rest.is_empty() {
            let (to, room) = (rest.as_mut_ptr().cast(), rest.len());
            // SAFETY: `rest` is writable for its length.
            let count = unsafe { libc::recv(socket, to, room, libc::MSG_DONTWAIT) };
            if count == 0 {
                let text = format!("the other end of the socket {socket} has been closed");
                return Err(Error::new(Class::OTHER, text));
            }
            received += moved(socket, count)?;
        }
        if received < into.len() {
            rank.lock.pause(|| {
                let mut entry = libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 };
                // SAFETY: one entry, and the count says one.
                unsafe { libc::poll(&mut entry, 1, PAUSE_MS) };
            });
        }
    }
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(into.chunks_exact(8)) {
        *word = u64::from_be_bytes(bytes.try_into().expect("chunks of eight bytes"));
    }
    Ok(words)
}

/// Bytes that a call on the socket has moved; none if it would have to wait.
fn moved(socket: i32, count: isize) -> Result<usize> {
    if let Ok(count) = usize::try_from(count) {
        return Ok(count);
    }
    let error = std::io::Error::last_os_error();
    match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted => Ok(0),
        _ => {
            let text = format!("the descriptor {socket} is no connected stream socket: {error}");
            Err(Error::new(Class::ARG, text))
        }
    }
}
