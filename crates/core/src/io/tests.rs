//! Files on ranks as threads of one process: nothing of a file belongs to the process.

use super::*;
use crate::buffer::Data;
use crate::harness::on_ranks;
use crate::info::Info;
use starling_datatype::{Basic, Datatype};
use std::sync::atomic::{AtomicU32, Ordering};

fn opened(rank: &'static Rank, path: &std::path::Path, hints: &[(&str, &str)]) -> Rc<File> {
    let mut info = Info::default();
    hints.iter().for_each(|(key, value)| info.set(key, value));
    let (path, amode) = (path.to_path_buf(), amode::CREATE | amode::RDWR | amode::DELETE_ON_CLOSE);
    let opening = Opening { path, amode, info, errhandler: None };
    // SAFETY: opening moves nothing of the caller's.
    let c = unsafe { Coll::new(rank, &rank.world().unwrap()) };
    rank.block_on(open(c, Ok(opening))).unwrap().unwrap()
}

/// Bytes `rank`, `rank + n`, … of the file.
fn every_nth(me: u32, n: u32) -> View {
    let byte = Datatype::basic(Basic::Byte);
    let tile = Datatype::resized(0, n as i64, &byte).unwrap();
    View::new(me as i64, byte, tile, Representation::Native, true).unwrap()
}

fn data(memory: &mut [u8]) -> Data {
    let ty = Datatype::basic(Basic::Byte);
    Data { addr: memory.as_mut_ptr(), count: memory.len() as i64, ty }
}

fn access_all(
    rank: &'static Rank,
    file: &Rc<File>,
    direction: Direction,
    memory: &mut [u8],
    how: How,
) -> u64 {
    let access = file.access(direction, Place::At(0), data(memory));
    let c = file.collective(rank);
    rank.block_on(collective(c, file.clone(), direction, access, how)).unwrap().unwrap()
}

#[test]
fn interleaved_bytes_go_through_aggregators_of_any_size() {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let bytes = 10_000;
    for n in [1, 2, 3, 5] {
        for (nodes, buffer) in [("1", "4096"), ("2", "5000"), ("8", "1000000")] {
            let number = FILES.fetch_add(1, Ordering::Relaxed);
            let name = format!("starling-io-test-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            on_ranks(n, |rank| {
                let me = rank.node().me;
                let hints = [("cb_nodes", nodes), ("cb_buffer_size", buffer)];
                let file = opened(rank, &path, &hints);
                let c = file.collective(rank);
                let view = Ok(every_nth(me, n));
                rank.block_on(set_view(c, file.clone(), view, Info::default())).unwrap().unwrap();
                for how in [How::Now, How::Later] {
                    let mut out: Vec<u8> = (0..bytes).map(|i| (i * 7 + me) as u8).collect();
                    out[0] = how as u8;
                    let mut into = vec![0; bytes as usize + 3];
                    let moved = access_all(rank, &file, Direction::Write, &mut out, how);
                    assert_eq!(moved, bytes as u64);
                    let moved = access_all(rank, &file, Direction::Read, &mut into, how);
                    assert_eq!(moved, bytes as u64, "the end of the file counts");
                    assert!(into[..bytes as usize] == out, "{n} ranks, {nodes} {buffer} {how:?}");
                }
                let size = file.size().unwrap();
                assert_eq!(size, bytes as u64 * n as u64);
                let c = file.collective(rank);
                rank.block_on(close(c, file)).unwrap().unwrap();
            });
            assert!(!path.exists(), "deleted on close");
        }
    }
}

#[test]
fn independent_accesses_later_are_done_by_workers() {
    let name = format!("starling-io-test-{}-later", std::process::id());
    let path = std::env::temp_dir().join(name);
    on_ranks(2, |rank| {
        let me = rank.node().me as u8;
        let file = opened(rank, &path, &[]);
        let mut parts: Vec<Vec<u8>> = (0..20).map(|i| vec![10 * me + i; 5000]).collect();
        let mut operations = Vec::new();
        for (i, part) in parts.iter_mut().enumerate() {
            let at = (i as i64 * 2 + me as i64) * 5000;
            let access = file.access(Direction::Write, Place::At(at), data(part)).unwrap();
            let future = independent(rank, access, How::Later);
            operations.push(Operation::start_counting(rank, future));
        }
        rank.wait_until(None, || operations.iter().all(|o| o.is_done())).unwrap();
        for (i, operation) in operations.iter().enumerate() {
            assert_eq!(operation.status().bytes, 5000);
            let mut back = vec![0; 5000];
            let at = (i as i64 * 2 + me as i64) * 5000;
            let access = file.access(Direction::Read, Place::At(at), data(&mut back)).unwrap();
            let moved = rank.block_on(independent(rank, access, How::Now)).unwrap().unwrap();
            assert_eq!(moved, 5000);
            assert!(back == parts[i]);
        }
        let c = file.collective(rank);
        rank.block_on(close(c, file)).unwrap().unwrap();
    });
    assert!(!path.exists());
}
