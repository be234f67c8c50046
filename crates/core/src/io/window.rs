//! An aggregator's part of the file in windows that fit in its buffer; arithmetic only. Used by
//! `two_phase.rs`.

use super::two_phase::Extent;

/// The parts of `extents` between each border and the next; `extents` begin in ascending order
/// and lie between the first border and the last.
pub(super) fn cut(extents: &[Extent], borders: &[u64]) -> Vec<Vec<Extent>> {
    let mut parts = vec![Vec::new(); borders.len().saturating_sub(1)];
    for extent in extents {
        let mut rest = *extent;
        let mut index = borders.partition_point(|border| *border <= rest.offset) - 1;
        while rest.len > 0 {
            let len = rest.len.min(borders[index + 1] - rest.offset);
            parts[index].push(Extent { len, ..rest });
            rest = Extent {
                offset: rest.offset + len,
                len: rest.len - len,
                stream: rest.stream + len,
            };
            index += 1;
        }
    }
    parts
}

/// One window.
pub(super) struct Window {
    /// What is accessed: rows that do not touch each other, ascending; `stream` is the place in
    /// the aggregator's memory.
    pub runs: Vec<Extent>,
    /// Per process: its pieces.
    pub pieces: Vec<Vec<Extent>>,
}

/// All windows of an aggregator.
pub(super) struct Windows {
    /// Where each begins, and the end of the last.
    pub borders: Vec<u64>,
    pub list: Vec<Window>,
}

impl Windows {
    /// `lists` has each process's pieces as offsets and lengths; none of them lies before
    /// `start`. A window holds at most `most` bytes of data.
    pub fn new(start: u64, lists: &[Vec<u64>], most: u64) -> Windows {
        let mut pieces: Vec<(u64, u64)> =
            lists.iter().flat_map(|list| list.chunks_exact(2)).map(|p| (p[0], p[1])).collect();
        pieces.sort_unstable();
        let mut runs: Vec<Extent> = Vec::new();
        for (offset, len) in pieces {
            match runs.last_mut() {
                Some(run) if offset <= run.offset + run.len => {
                    run.len = run.len.max(offset + len - run.offset);
                }
                _ => runs.push(Extent { offset, len, stream: 0 }),
            }
        }
        let borders = borders(start, &runs, most);
        let mut of_windows = cut(&runs, &borders);
        let mut list: Vec<Window> = of_windows
            .iter_mut()
            .map(|runs| {
                let mut at = 0;
                for run in runs.iter_mut() {
                    run.stream = at;
                    at += run.len;
                }
                Window { runs: std::mem::take(runs), pieces: Vec::new() }
            })
            .collect();
        for one in lists {
            let extents: Vec<Extent> = one
                .chunks_exact(2)
                .map(|p| Extent { offset: p[0], len: p[1], stream: 0 })
                .collect();
            for (window, part) in list.iter_mut().zip(cut(&extents, &borders)) {
                window.pieces.push(part);
            }
        }
        Windows { borders, list }
    }

    /// Bytes of the fullest window.
    pub fn bytes_max(&self) -> u64 {
        self.list.iter().map(|w| w.runs.iter().map(|r| r.len).sum()).max().unwrap_or(0)
    }
}

fn borders(start: u64, runs: &[Extent], most: u64) -> Vec<u64> {
    let Some(last) = runs.last() else { return Vec::new() };
    let mut borders = vec![start];
    let mut room = most;
    for run in runs {
        let mut rest = *run;
        while rest.len > room {
            rest = Extent { offset: rest.offset + room, len: rest.len - room, ..rest };
            borders.push(rest.offset);
            room = most;
        }
        room -= rest.len;
    }
    borders.push(last.offset + last.len);
    borders.dedup();
    borders
}

impl Window {
    /// Where the byte at `offset` of the file is in the aggregator's memory.
    pub fn position(&self, offset: u64) -> usize {
        let run = &self.runs[self.runs.partition_point(|run| run.offset <= offset) - 1];
        (run.stream + offset - run.offset) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_all_bytes_once_and_no_more_than_allowed() {
        // Two processes, interleaved, with a gap and an overlap.
        let a = vec![100, 10, 120, 10, 500, 50];
        let b = vec![110, 10, 130, 10, 520, 60];
        for most in [1, 7, 16, 64, 1000] {
            let windows = Windows::new(96, &[a.clone(), b.clone()], most);
            let mut covered = Vec::new();
            for (i, window) in windows.list.iter().enumerate() {
                let bytes: u64 = window.runs.iter().map(|r| r.len).sum();
                assert!(bytes <= most && bytes > 0, "{bytes} of {most}");
                for run in &window.runs {
                    assert!(run.offset >= windows.borders[i]);
                    assert!(run.offset + run.len <= windows.borders[i + 1]);
                    covered.extend(run.offset..run.offset + run.len);
                    assert_eq!(window.position(run.offset), run.stream as usize);
                }
            }
            let wanted: Vec<u64> = (100..140).chain(500..580).collect();
            assert_eq!(covered, wanted);
            let of = |i: usize| -> u64 {
                windows.list.iter().flat_map(|w| &w.pieces[i]).map(|p| p.len).sum()
            };
            assert_eq!((of(0), of(1)), (70, 80));
        }
    }

    #[test]
    fn nothing_makes_no_window() {
        let windows = Windows::new(0, &[vec![], vec![]], 10);
        assert!(windows.list.is_empty() && windows.borders.is_empty());
        assert!(cut(&[], &windows.borders).is_empty());
    }
}
