//! Point-to-point among ranks that are threads of one process, over both transports.

use crate::buffer::Buffer;
use crate::harness::on_ranks;
use crate::p2p::Mode;
use crate::rank::Rank;
use crate::status::{Status, ANY_SOURCE, ANY_TAG};

fn send(rank: &'static Rank, to: u32, tag: i32, data: &[u8], mode: Mode) {
    let comm = rank.world().unwrap();
    let buffer = Buffer::contiguous(data.as_ptr().cast_mut(), data.len() as u64);
    // SAFETY: `data` lives until the transfer is complete, right below.
    if let Some(id) = unsafe { rank.send(comm.destination(to, tag), &buffer, mode) }.unwrap() {
        rank.finish(id, None).unwrap();
    }
}

fn receive(rank: &'static Rank, from: i32, tag: i32, into: &mut [u8]) -> Status {
    let comm = rank.world().unwrap();
    let buffer = Buffer::contiguous(into.as_mut_ptr(), into.len() as u64);
    // SAFETY: `into` lives until the transfer is complete, right below.
    let id = unsafe { rank.receive(&comm.queue, from, tag, &buffer) }.unwrap();
    rank.finish(id, u32::try_from(from).ok()).unwrap()
}

fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + seed * 17) as u8).collect()
}

const SIZES: [usize; 12] = [0, 1, 8, 39, 40, 41, 4096, 8184, 8192, 8193, 100_000, 3_000_001];

#[test]
fn messages_of_all_protocols_arrive_whole() {
    on_ranks(2, |rank| {
        for mode in [Mode::Standard, Mode::Synchronous] {
            for (i, len) in SIZES.into_iter().enumerate() {
                if rank.node().me == 0 {
                    send(rank, 1, i as i32, &pattern(len, i), mode);
                } else {
                    let mut into = vec![0; len];
                    let status = receive(rank, 0, i as i32, &mut into);
                    assert!(status.error.is_none() && status.bytes == len as u64);
                    assert!(into == pattern(len, i), "{len} bytes differ");
                }
            }
        }
    });
}

#[test]
fn messages_of_one_sender_do_not_overtake() {
    on_ranks(3, |rank| {
        const N: usize = 3000;
        let me = rank.node().me;
        if me > 0 {
            for i in 0..N {
                let len = [4, 4, 20_000, 600, 9000][i % 5];
                let mut data = pattern(len, i);
                data[..4].copy_from_slice(&(i as u32).to_ne_bytes());
                send(rank, 0, 7, &data, Mode::Standard);
            }
            return;
        }
        let mut next = [0u32; 3];
        let mut into = vec![0; 20_000];
        for _ in 0..2 * N {
            let status = receive(rank, ANY_SOURCE, ANY_TAG, &mut into);
            let from = status.source as usize;
            assert_eq!(u32::from_ne_bytes(into[..4].try_into().unwrap()), next[from]);
            next[from] += 1;
        }
    });
}

#[test]
fn a_message_that_is_too_long_is_an_error_that_says_so() {
    on_ranks(2, |rank| {
        for len in [80usize, 50_000] {
            if rank.node().me == 0 {
                send(rank, 1, 3, &pattern(len, 0), Mode::Standard);
            } else {
                let mut into = [0; 40];
                let status = receive(rank, 0, 3, &mut into);
                let text = status.error.unwrap().to_string();
                let expected = format!("rank 0 sent {len} bytes with tag 3");
                assert!(text.contains(&expected) && text.contains("40 bytes"), "{text}");
            }
        }
    });
}

#[test]
fn ranks_send_to_themselves() {
    on_ranks(1, |rank| {
        let comm = rank.world().unwrap();
        for len in SIZES {
            let data = pattern(len, 5);
            let mut into = vec![0; len];
            let from = Buffer::contiguous(data.as_ptr().cast_mut(), len as u64);
            let to = Buffer::contiguous(into.as_mut_ptr(), len as u64);
            // SAFETY: both buffers live until both transfers are complete.
            let (receive, send) = unsafe {
                let receive = rank.receive(&comm.queue, 0, 1, &to).unwrap();
                let to = comm.destination(0, 1);
                (receive, rank.send(to, &from, Mode::Synchronous).unwrap())
            };
            rank.finish(receive, None).unwrap();
            rank.finish(send.unwrap(), None).unwrap();
            assert!(into == data);
        }
    });
}

#[test]
fn everybody_floods_everybody() {
    on_ranks(4, |rank| {
        // More messages than a ring has slots, to all, before anyone receives.
        let (me, n) = (rank.node().me, rank.node().size);
        let comm = rank.world().unwrap();
        let data: Vec<Vec<u8>> = (0..300).map(|i| pattern(i * 7, i + me as usize)).collect();
        let mut pending = Vec::new();
        for (i, body) in data.iter().enumerate() {
            for to in 0..n {
                let buffer = Buffer::contiguous(body.as_ptr().cast_mut(), body.len() as u64);
                let to = comm.destination(to, i as i32);
                // SAFETY: `data` lives until the transfers are complete.
                pending.extend(unsafe { rank.send(to, &buffer, Mode::Standard) }.unwrap());
            }
        }
        for i in (0..300).rev() {
            for from in 0..n {
                let mut into = vec![0; 300 * 7];
                let status = receive(rank, from as i32, i as i32, &mut into);
                into.truncate(status.bytes as usize);
                assert!(into == pattern(i * 7, i + from as usize));
            }
        }
        for id in pending {
            rank.finish(id, None).unwrap();
        }
    });
}
