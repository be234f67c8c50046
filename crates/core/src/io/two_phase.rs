//! Two-phase input and output (del Rosario, Bordawekar, Choudhary 1993; Thakur, Gropp, Lusk 1999).
//!
//! The accessed part of the file is divided among a few processes, the aggregators. An aggregator
//! learns all pieces of its part, divides them into windows that fit in its buffer, and tells the
//! borders. Then, window by window: for writing, everybody sends its bytes and the aggregator
//! writes them in long rows; for reading, the aggregator reads and sends everybody its bytes.
//!
//! Messages between a pair of processes come in the same order on both sides, so one tag serves.

use super::access::{run as run_job, How};
use super::collective::Summary;
use super::failure::Failure;
use super::hints::Hints;
use super::job::{Direction, Job, Moved, Piece};
use super::stream::Stream;
use super::window::{cut, Window, Windows};
use super::File;
use crate::buffer::Data;
use crate::coll::{Coll, Started};
use crate::error::{Error, Result};
use starling_datatype::{Basic, Datatype};
use std::rc::Rc;

/// Bytes that follow each other in the file and in a process's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub offset: u64,
    pub len: u64,
    pub stream: u64,
}

/// Which aggregator has which part of the file.
pub(super) struct Domains {
    /// Rank of each aggregator.
    aggregators: Vec<u32>,
    /// Where each part begins, and the end of the last.
    borders: Vec<u64>,
    /// Per rank: the part of the file that it accesses, empty without data.
    ranges: Vec<(u64, u64)>,
    buffer_bytes: u64,
}

/// Parts begin at multiples of a page at least, so that two processes do not share one.
const PAGE: u64 = 4096;

impl Domains {
    pub fn new(all: &[Summary], hints: &Hints) -> Domains {
        let size = all.len() as u64;
        let with_data = || all.iter().filter(|s| s[2] > 0);
        let low = with_data().map(|s| s[0]).min().unwrap_or(0);
        let high = with_data().map(|s| s[1]).max().unwrap_or(0);
        let unit = hints.striping_unit.max(PAGE);
        let first = low / unit * unit;
        let count = hints.cb_nodes.clamp(1, size).min((high - first).div_ceil(unit).max(1));
        let width = (high - first).div_ceil(count).div_ceil(unit) * unit;
        // Rounding up may leave the last ones without a part.
        let count = (high - first).div_ceil(width);
        let aggregators = (0..count).map(|i| (i * size / count) as u32).collect();
        let borders = (0..=count).map(|i| first + i * width).collect();
        let ranges = all.iter().map(|s| if s[2] > 0 { (s[0], s[1]) } else { (0, 0) }).collect();
        Domains { aggregators, borders, ranges, buffer_bytes: hints.cb_buffer_size }
    }

    /// Whether `rank` may have data in part `index`. All processes say the same.
    fn meets(&self, rank: usize, index: usize) -> bool {
        let (from, to) = self.ranges[rank];
        from < self.borders[index + 1] && to > self.borders[index]
    }

    fn part_of(&self, rank: u32) -> Option<usize> {
        self.aggregators.iter().position(|a| *a == rank)
    }
}

/// Transfers on their way; what they move stays in place until all have landed.
#[derive(Default)]
struct Flight {
    started: Vec<Started>,
    error: Option<Error>,
}

impl Flight {
    fn add(&mut self, started: Result<Started>) {
        match started {
            Ok(started) => self.started.push(started),
            Err(error) => self.error = self.error.take().or(Some(error)),
        }
    }

    async fn land(self) -> Result<()> {
        let landed = Started::finish_all(self.started).await;
        self.error.map_or(landed, Err)
    }
}

/// What both roles need.
struct Exchange<'a> {
    c: &'a Coll,
    byte: Rc<Datatype>,
}

impl Exchange<'_> {
    fn data(&self, addr: usize, bytes: u64) -> Data {
        Data { addr: addr as *mut u8, count: bytes as i64, ty: self.byte.clone() }
    }

    fn words(&self, words: &[u64]) -> Data {
        self.data(words.as_ptr() as usize, size_of_val(words) as u64)
    }

    /// Sends each of `lists` to its process and receives a list from each of `sources`.
    async fn lists(&self, lists: &[(u32, Vec<u64>)], sources: &[u32]) -> Result<Vec<Vec<u64>>> {
        let lengths: Vec<[u64; 1]> = lists.iter().map(|(_, list)| [list.len() as u64]).collect();
        let mut sending = Flight::default();
        for ((to, list), length) in lists.iter().zip(&lengths) {
            sending.add(self.c.send_start(*to, &self.words(length)));
            sending.add(self.c.send_start(*to, &self.words(list)));
        }
        let mut counts = vec![[0u64; 1]; sources.len()];
        let mut receiving = Flight::default();
        for (from, count) in sources.iter().zip(&mut counts) {
            receiving.add(self.c.recv_start(*from, &self.words(count)));
        }
        let mut result = receiving.land().await;
        let mut received: Vec<Vec<u64>> = counts.iter().map(|[n]| vec![0; *n as usize]).collect();
        if result.is_ok() {
            let mut receiving = Flight::default();
            for (from, list) in sources.iter().zip(&mut received) {
                receiving.add(self.c.recv_start(*from, &self.words(list)));
            }
            result = receiving.land().await;
        }
        let sent = sending.land().await;
        result.and(sent).map(|()| received)
    }
}

/// Moves the bytes of `extents` of all processes.
pub(super) async fn run(
    c: &Coll,
    on: (&File, Direction),
    stream: &Stream,
    how: How,
    domains: &Domains,
    extents: Vec<Extent>,
) -> Result<Moved> {
    let byte = Datatype::basic(Basic::Byte);
    let x = Exchange { c, byte };
    let me = c.me() as usize;
    let parts = cut(&extents, &domains.borders);
    let targets: Vec<usize> =
        (0..domains.aggregators.len()).filter(|i| domains.meets(me, *i)).collect();
    let own = domains.part_of(c.me());
    let sources: Vec<u32> = match own {
        Some(index) => (0..c.size()).filter(|r| domains.meets(*r as usize, index)).collect(),
        None => Vec::new(),
    };
    let lists: Vec<(u32, Vec<u64>)> = targets
        .iter()
        .map(|i| {
            let list = parts[*i].iter().flat_map(|e| [e.offset, e.len]).collect();
            (domains.aggregators[*i], list)
        })
        .collect();
    let pieces = x.lists(&lists, &sources).await?;
    drop(lists);
    let start = own.map_or(0, |index| domains.borders[index]);
    let windows = Windows::new(start, &pieces, domains.buffer_bytes);
    let borders: Vec<(u32, Vec<u64>)> =
        sources.iter().map(|rank| (*rank, windows.borders.clone())).collect();
    let from: Vec<u32> = targets.iter().map(|i| domains.aggregators[*i]).collect();
    let told = x.lists(&borders, &from).await?;
    let mine: Vec<(u32, Vec<Vec<Extent>>)> = targets
        .iter()
        .zip(&told)
        .map(|(i, borders)| (domains.aggregators[*i], cut(&parts[*i], borders)))
        .collect();
    let rounds = mine.iter().map(|(_, windows)| windows.len()).max().unwrap_or(0);
    let rounds = rounds.max(windows.list.len());
    let mut memory = vec![0u8; windows.bytes_max() as usize];
    let mut failure = None;
    for round in 0..rounds {
        let window = windows.list.get(round);
        let outcome = match on.1 {
            Direction::Write => {
                let theirs = Theirs { sources: &sources, window, memory: &mut memory };
                gather(&x, stream, round, &mine, theirs).await?;
                move_window(x.c, on, window, &mut memory, how, failure).await
            }
            Direction::Read => {
                let got = move_window(x.c, on, window, &mut memory, how, failure).await;
                let theirs = Theirs { sources: &sources, window, memory: &mut memory };
                scatter(&x, stream, round, &mine, theirs).await?;
                got
            }
        };
        failure = failure.or(outcome);
    }
    Ok(Moved { bytes: extents.iter().map(|e| e.len).sum(), failure })
}

/// An aggregator's window in a round, and whom it concerns.
struct Theirs<'a> {
    sources: &'a [u32],
    window: Option<&'a Window>,
    memory: &'a mut [u8],
}

/// A row of bytes in `memory`, or a copy of them that has to be brought there.
enum Row {
    Direct(usize),
    Staged(Vec<u8>),
}

/// The one address of all of `extents`, which lie one behind the other.
fn direct(stream: &Stream, extents: &[Extent]) -> Option<usize> {
    let first = extents.first()?;
    let follows = |w: &[Extent]| w[0].stream + w[0].len == w[1].stream;
    let in_a_row = extents.windows(2).all(follows);
    if in_a_row {
        stream.address(first.stream)
    } else {
        None
    }
}

fn total(extents: &[Extent]) -> u64 {
    extents.iter().map(|e| e.len).sum()
}

/// Splits a copy into the extents' parts, joining those that follow each other in the stream.
fn for_each_part(extents: &[Extent], mut visit: impl FnMut(u64, std::ops::Range<usize>)) {
    let (mut at, mut i) = (0, 0);
    while i < extents.len() {
        let (start, mut len) = (extents[i].stream, extents[i].len);
        i += 1;
        while i < extents.len() && extents[i].stream == start + len {
            len += extents[i].len;
            i += 1;
        }
        visit(start, at..at + len as usize);
        at += len as usize;
    }
}

/// Writing: brings everybody's bytes of a round into the aggregators' windows.
async fn gather(
    x: &Exchange<'_>,
    stream: &Stream,
    round: usize,
    mine: &[(u32, Vec<Vec<Extent>>)],
    theirs: Theirs<'_>,
) -> Result<()> {
    let mut flight = Flight::default();
    let mut rows = Vec::new();
    for (to, windows) in mine {
        let Some(extents) = windows.get(round).filter(|w| !w.is_empty()) else { continue };
        let bytes = total(extents);
        let row = direct(stream, extents).map_or_else(
            || {
                let mut copy = vec![0; bytes as usize];
                for_each_part(extents, |skip, part| stream.take(skip, &mut copy[part]));
                Row::Staged(copy)
            },
            Row::Direct,
        );
        flight.add(x.c.send_start(*to, &x.data(row.address(), bytes)));
        rows.push(row);
    }
    let Some(window) = theirs.window else { return flight.land().await };
    let mut incoming = Vec::new();
    for (source, pieces) in theirs.sources.iter().zip(&window.pieces) {
        if pieces.is_empty() {
            continue;
        }
        let row = window.row(theirs.memory, pieces);
        flight.add(x.c.recv_start(*source, &x.data(row.address(), total(pieces))));
        incoming.push((row, pieces));
    }
    let landed = flight.land().await;
    for (row, pieces) in &incoming {
        if let Row::Staged(copy) = row {
            window.spread(theirs.memory, pieces, copy);
        }
    }
    drop(rows);
    landed
}

/// Reading: takes everybody's bytes of a round from the aggregators' windows.
async fn scatter(
    x: &Exchange<'_>,
    stream: &Stream,
    round: usize,
    mine: &[(u32, Vec<Vec<Extent>>)],
    theirs: Theirs<'_>,
) -> Result<()> {
    let mut flight = Flight::default();
    let mut incoming = Vec::new();
    for (from, windows) in mine {
        let Some(extents) = windows.get(round).filter(|w| !w.is_empty()) else { continue };
        let bytes = total(extents);
        let row = direct(stream, extents)
            .map_or_else(|| Row::Staged(vec![0; bytes as usize]), Row::Direct);
        flight.add(x.c.recv_start(*from, &x.data(row.address(), bytes)));
        incoming.push((row, extents));
    }
    let mut rows = Vec::new();
    if let Some(window) = theirs.window {
        for (source, pieces) in theirs.sources.iter().zip(&window.pieces) {
            if pieces.is_empty() {
                continue;
            }
            let mut row = window.row(theirs.memory, pieces);
            if let Row::Staged(copy) = &mut row {
                window.collect(theirs.memory, pieces, copy);
            }
            flight.add(x.c.send_start(*source, &x.data(row.address(), total(pieces))));
            rows.push(row);
        }
    }
    let landed = flight.land().await;
    for (row, extents) in &incoming {
        if let Row::Staged(copy) = row {
            for_each_part(extents, |skip, part| stream.put(skip, &copy[part]));
        }
    }
    drop(rows);
    landed
}

impl Row {
    fn address(&self) -> usize {
        match self {
            Row::Direct(address) => *address,
            Row::Staged(copy) => copy.as_ptr() as usize,
        }
    }
}

impl Window {
    /// Where the pieces of a process are: in one row of the window's memory, or in a copy.
    fn row(&self, memory: &mut [u8], pieces: &[Extent]) -> Row {
        let at = |piece: &Extent| self.position(piece.offset);
        let follows = |w: &[Extent]| at(&w[0]) + w[0].len as usize == at(&w[1]);
        match pieces.windows(2).all(follows) {
            true => Row::Direct(memory[at(&pieces[0])..].as_mut_ptr() as usize),
            false => Row::Staged(vec![0; total(pieces) as usize]),
        }
    }

    /// Copies a process's bytes to their places in the window's memory.
    fn spread(&self, memory: &mut [u8], pieces: &[Extent], copy: &[u8]) {
        let mut rest = copy;
        for piece in pieces {
            let (now, later) = rest.split_at(piece.len as usize);
            memory[self.position(piece.offset)..][..now.len()].copy_from_slice(now);
            rest = later;
        }
    }

    /// Copies a process's bytes from their places in the window's memory.
    fn collect(&self, memory: &[u8], pieces: &[Extent], copy: &mut [u8]) {
        let mut rest = copy;
        for piece in pieces {
            let (now, later) = rest.split_at_mut(piece.len as usize);
            now.copy_from_slice(&memory[self.position(piece.offset)..][..now.len()]);
            rest = later;
        }
    }

    fn job(&self, (file, direction): (&File, Direction), memory: *mut u8) -> Job {
        let piece = |run: &Extent| Piece {
            offset: run.offset,
            addr: memory as usize + run.stream as usize,
            len: run.len as usize,
        };
        let pieces = self.runs.iter().map(piece).collect();
        Job::new(&file.descriptor, direction, pieces)
    }
}

/// Reads or writes a window; after a failure nothing more is moved, but the exchange goes on.
async fn move_window(
    c: &Coll,
    on: (&File, Direction),
    window: Option<&Window>,
    memory: &mut [u8],
    how: How,
    before: Option<Failure>,
) -> Option<Failure> {
    let window = window.filter(|_| before.is_none())?;
    if on.1 == Direction::Read {
        // Bytes that vanish while this goes on are zeros, as in a hole.
        memory.fill(0);
    }
    let job = window.job(on, memory.as_mut_ptr());
    run_job(c.rank, job, how).await.failure
}
