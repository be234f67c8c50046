//! The suite that every transport passes. A transport joins it with one line at the end: how to
//! attach `n` ranks that are threads of one process.

use crate::{local, shm, Attachment, Front, Head, Packet, Sent, Transport};
use starling_sys::bell::Bell;
use starling_sys::cross_memory::Piece;
use starling_sys::fence::Fences;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// One rank of a test: its end of the transport, and where it sleeps.
struct End {
    me: u32,
    transport: Box<dyn Transport>,
    bell: &'static Bell,
    fences: Fences,
}

/// Makes the end of a rank; called in the rank's own thread.
type Attach = Box<dyn Fn(u32) -> End + Send + Sync>;

/// Runs `body` on `n` ranks.
fn on_ranks(n: u32, attach: &Attach, body: impl Fn(&End) + Sync) {
    let everybody = Barrier::new(n as usize);
    std::thread::scope(|scope| {
        for me in 0..n {
            let (body, everybody) = (&body, &everybody);
            scope.spawn(move || {
                let end = attach(me);
                everybody.wait();
                body(&end);
            });
        }
    });
}

impl End {
    /// Sends, polling while there is no place; what arrives meanwhile goes to `sink`.
    fn send(&self, to: u32, head: Head, body: &[u8], sink: &mut dyn FnMut(Packet<'_>)) {
        let started = std::time::Instant::now();
        while self.transport.try_send(to, &head, body).unwrap() == Sent::Full {
            assert!(started.elapsed() < Duration::from_secs(60), "no place is made any more");
            self.transport.poll(sink).unwrap();
            std::thread::yield_now();
        }
    }

    /// Polls, and sleeps when nothing is there, until `done`.
    fn receive(&self, sink: &mut dyn FnMut(Packet<'_>), mut done: impl FnMut() -> bool) {
        let started = std::time::Instant::now();
        while !done() {
            if self.transport.poll(sink).unwrap() > 0 {
                continue;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "nothing arrives any more");
            self.bell.prepare(self.fences);
            if self.transport.poll(sink).unwrap() > 0 || done() {
                self.bell.cancel();
                continue;
            }
            self.bell.sleep(Some(Duration::from_secs(20)));
        }
    }
}

fn head(number: u64) -> Head {
    Head { context: number, tag: number as i32 ^ 0x55, source: -(number as i32), kind: 3 }
}

fn body(number: u64, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u64 * 13 + number * 7) as u8).collect()
}

fn length(number: u64, most: usize) -> usize {
    [0, 1, 8, 40, 41, 64, 1000, most.min(50_000)][number as usize % 8]
}

/// Everything arrives once, whole, in order, with its head, from each of several senders that
/// send more than any ring holds, to a receiver that sleeps when it can.
fn keeps_order_and_bytes(attach: Attach) {
    const N: u64 = 2000;
    on_ranks(4, &attach, |end| {
        if end.me > 0 {
            for number in 0..N {
                let body = body(number, length(number, end.transport.body_max()));
                end.send(0, head(number), &body, &mut |_| panic!("nobody sends to a sender"));
            }
            return;
        }
        let next = std::cell::Cell::new([0u64; 4]);
        let mut sink = |packet: Packet<'_>| {
            let mut counts = next.get();
            let number = counts[packet.from as usize];
            counts[packet.from as usize] += 1;
            next.set(counts);
            assert_eq!(packet.head, head(number));
            assert!(packet.body == body(number, length(number, end.transport.body_max())));
        };
        end.receive(&mut sink, || next.get() == [0, N, N, N]);
    });
}

/// `try_send_with` writes the body in place, and is answered within a delivery.
fn answers_from_within_a_delivery(attach: Attach) {
    const N: usize = 500;
    on_ranks(2, &attach, |end| {
        let other = 1 - end.me;
        let seen = AtomicUsize::new(0);
        let mut sink = |packet: Packet<'_>| {
            assert!(packet.body == body(packet.head.context, 300));
            seen.fetch_add(1, Ordering::Relaxed);
            if end.me == 1 {
                let number = packet.head.context;
                let mut fill = |place: &mut [u8]| place.copy_from_slice(&body(number, 300));
                let sent = end.transport.try_send_with(other, &head(number), 300, &mut fill);
                assert_eq!(sent.unwrap(), Sent::Yes);
            }
        };
        for number in 0..N {
            if end.me == 0 {
                end.send(other, head(number as u64), &body(number as u64, 300), &mut |_| {});
            }
            end.receive(&mut sink, || seen.load(Ordering::Relaxed) > number);
        }
    });
}

/// A sender that found no place sleeps, and is woken when the receiver has made some.
fn wakes_a_sender_that_waits_for_place(attach: Attach) {
    const N: u64 = 3000;
    on_ranks(2, &attach, |end| {
        if end.me == 1 {
            let count = std::cell::Cell::new(0u64);
            let mut sink = |_: Packet<'_>| {
                count.set(count.get() + 1);
                if count.get().is_multiple_of(700) {
                    std::thread::sleep(Duration::from_millis(2));
                }
            };
            return end.receive(&mut sink, || count.get() == N);
        }
        for number in 0..N {
            while end.transport.try_send(1, &head(number), &body(number, 900)).unwrap()
                == Sent::Full
            {
                end.bell.prepare(end.fences);
                end.transport.wait_for_place(&[1], end.fences);
                if end.transport.try_send(1, &head(number), &body(number, 900)).unwrap()
                    == Sent::Yes
                {
                    end.bell.cancel();
                    break;
                }
                let started = std::time::Instant::now();
                end.bell.sleep(Some(Duration::from_secs(20)));
                assert!(started.elapsed() < Duration::from_secs(19), "nobody woke the sender");
            }
        }
    });
}

/// A ring that has been idle for long is found again.
fn finds_messages_after_long_silence(attach: Attach) {
    on_ranks(8, &attach, |end| {
        let seen = std::cell::Cell::new(0);
        let mut sink = |_: Packet<'_>| seen.set(seen.get() + 1);
        for round in 1..4 {
            if end.me > 0 {
                end.send(0, head(round), &[], &mut |_| {});
                end.receive(&mut sink, || seen.get() == round);
                continue;
            }
            end.receive(&mut sink, || seen.get() == 7 * round);
            for _ in 0..20_000 {
                end.transport.poll(&mut |_| panic!("nobody may send yet")).unwrap();
            }
            for to in 1..8 {
                end.send(to, head(round), &[], &mut |_| {});
            }
        }
    });
}

/// Single copy: what lies in the peer's memory, into scattered pieces.
fn reads_the_peers_memory(attach: Attach) {
    on_ranks(2, &attach, |end| {
        let data = body(5, 100_000);
        let other = 1 - end.me;
        let address = (data.as_ptr() as u64).to_ne_bytes();
        end.send(other, head(0), &address, &mut |_| {});
        let (at, done) = (std::cell::Cell::new(0), std::cell::Cell::new(false));
        let mut sink = |packet: Packet<'_>| match packet.head.context {
            0 => at.set(u64::from_ne_bytes(packet.body.try_into().unwrap()) as usize),
            _ => done.set(true),
        };
        end.receive(&mut sink, || at.get() != 0);
        let mut into = vec![0u8; 150_000];
        let base = into.as_mut_ptr() as usize;
        let local: Vec<Piece> =
            (0..100).map(|i| Piece { addr: base + 1500 * i, len: 1000 }).collect();
        let remote = Piece { addr: at.get(), len: data.len() };
        // SAFETY: `into` is ours; the peer's `data` lives until `on_ranks` ends below.
        let read = unsafe { end.transport.read(other, remote, &local) };
        if read.is_err() {
            // Denied in this sandbox: then it must say so from now on.
            assert!(!end.transport.can_read(other));
        } else {
            for (i, chunk) in data.chunks(1000).enumerate() {
                assert!(into[1500 * i..1500 * i + 1000] == *chunk);
            }
        }
        // Nobody's data goes before both have read.
        end.send(other, head(1), &[], &mut |_| {});
        end.receive(&mut sink, || done.get());
    });
}

/// What `take_from` frees reaches a sender that waits for place, also if the receiver takes less
/// than it would publish by itself and then sleeps.
fn gives_back_what_is_taken_from_the_front(attach: Attach) {
    const N: u64 = 400;
    on_ranks(2, &attach, |end| {
        let other = 1 - end.me;
        for number in 0..N {
            if end.me == number as u32 % 2 {
                end.send(other, head(number), &body(number, 9000), &mut |_| {});
                continue;
            }
            let mut wanted = |h: &Head, b: &[u8]| *h == head(number) && b.len() == 9000;
            loop {
                match end.transport.take_from(other, &mut wanted).unwrap() {
                    Front::Taken => break,
                    Front::Other => panic!("only one message is on its way"),
                    Front::Empty => {}
                }
                // A first message makes the ring known to `poll` alone.
                let mut early = 0;
                let mut sink = |packet: Packet<'_>| {
                    assert!(packet.head == head(number));
                    early += 1;
                };
                end.transport.poll(&mut sink).unwrap();
                if early > 0 {
                    break;
                }
            }
        }
    });
}

macro_rules! conformance {
    ($name:ident, $attach:expr) => {
        mod $name {
            use super::*;
            #[test]
            fn order_and_bytes() {
                keeps_order_and_bytes($attach(4));
            }
            #[test]
            fn answers() {
                answers_from_within_a_delivery($attach(2));
            }
            #[test]
            fn place() {
                wakes_a_sender_that_waits_for_place($attach(2));
            }
            #[test]
            fn silence() {
                finds_messages_after_long_silence($attach(8));
            }
            #[test]
            fn front() {
                gives_back_what_is_taken_from_the_front($attach(2));
            }
            #[test]
            fn single_copy() {
                reads_the_peers_memory($attach(2));
            }
        }
    };
}

fn attach_local(n: u32) -> Attach {
    let hub = local::Hub::new(0, n);
    Box::new(move |me| {
        let bell: &'static Bell = Box::leak(Box::default());
        let fences = Fences::SYMMETRIC;
        let attachment = Attachment { rank: me, bell, fences };
        let transport = Box::new(local::Local::attach(hub.clone(), attachment));
        End { me, transport, bell, fences }
    })
}

fn attach_shm(n: u32) -> Attach {
    let fd = shm::segment::create(n, 0).unwrap();
    let segment = Arc::new(shm::segment::Segment::map(fd).unwrap());
    let kept: &'static Arc<shm::segment::Segment> = Box::leak(Box::new(segment));
    Box::new(move |me| {
        let (bell, fences) = (kept.bell(me), kept.fences());
        let attachment = Attachment { rank: me, bell, fences };
        let counters = Box::leak(Box::default());
        let transport = Box::new(shm::Shm::attach(kept.clone(), attachment, counters));
        End { me, transport, bell, fences }
    })
}

/// A process that gets the place of one that has ended: its messages arrive though they were sent
/// before the receiver knew of it, the last ones of the old process are not lost, and answers go
/// to the new one.
#[test]
fn shm_gives_a_place_to_another_process() {
    let segment = shm::segment::Segment::map(shm::segment::create(1, 2).unwrap()).unwrap();
    let kept: &'static Arc<shm::segment::Segment> = Box::leak(Box::new(Arc::new(segment)));
    let attach = |rank| {
        let (bell, fences) = (kept.bell(rank), kept.fences());
        shm::Shm::attach(kept.clone(), Attachment { rank, bell, fences }, Box::leak(Box::default()))
    };
    let send = |from: &shm::Shm, to, number| {
        let sent = from.try_send(to, &head(number), &body(number, 100)).unwrap();
        assert_eq!(sent, Sent::Yes);
    };
    let arrived = |at: &shm::Shm| {
        let mut numbers = Vec::new();
        at.poll(&mut |packet| {
            assert!(packet.body == body(packet.head.context, 100));
            numbers.push(packet.head.context);
        })
        .unwrap();
        numbers
    };
    let old = attach(0);
    for round in 0..20 {
        kept.renew(1, 0..2);
        let new = attach(1);
        if round % 2 == 1 {
            // Before the new one has sent anything: only what the old one has left.
            assert_eq!(arrived(&old), [100 * round - 1]);
            assert_eq!(arrived(&old), [0u64; 0]);
        }
        send(&new, 0, 100 * round + 1);
        send(&new, 0, 100 * round + 2);
        let left = (round > 0 && round % 2 == 0).then(|| 100 * round - 1);
        let expected: Vec<u64> =
            left.into_iter().chain([100 * round + 1, 100 * round + 2]).collect();
        let mut numbers = arrived(&old);
        while numbers.len() < expected.len() {
            numbers.extend(arrived(&old));
        }
        assert_eq!(numbers, expected);
        old.meet(1);
        send(&old, 1, 7);
        send(&old, 1, 8);
        assert_eq!(arrived(&new), [7, 8]);
        // Still unread when the next process comes.
        send(&new, 0, 100 * round + 99);
    }
}

conformance!(over_local, attach_local);
conformance!(over_shm, attach_shm);
