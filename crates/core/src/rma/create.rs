//! Making windows (MPI 5.0, section 12.2): a communicator of its own, then the shared memory.
//!
//! Rank 0 makes a memfd and says where to find it; the others open `/proc/<pid>/fd/<n>`, so that
//! nothing has a name. Every process reserves its own part, which then lies near it. All learn
//! whether all could.

use super::control::{Control, Layout};
use super::epoch::Epochs;
use super::reach::first_access;
use super::{Flavor, Place, Win};
use crate::coll::Coll;
use crate::comm::create::{duplicate, share};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::info::Info;
use crate::rank::Rank;
use starling_sys::memory::{self, Mapping};
use std::cell::{Cell, RefCell};
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;

const PAGE: u64 = 4096;

/// The memory that a process gives to a new window, or wants from it.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// How the window is made.
    pub flavor: Flavor,
    /// Address of the user's memory; not used where MPI allocates it.
    pub base: usize,
    /// Bytes.
    pub size: i64,
    /// Bytes of one unit of displacement.
    pub disp_unit: i64,
    /// Whether the parts of a shared window may lie apart (`alloc_shared_noncontig`).
    pub apart: bool,
}

/// What a process shows to prove that it is the one that is meant.
pub(super) fn probe_word(context: u64, rank: u32) -> u64 {
    context.rotate_left(17) ^ u64::from(rank) ^ u64::from_ne_bytes(*b"starling")
}

/// Makes a window; called by all processes of `comm`.
pub async fn create(
    rank: &'static Rank,
    comm: Rc<Comm>,
    mine: Memory,
    info: Info,
) -> Result<Rc<Win>> {
    // SAFETY: these collectives have no buffers of the user.
    let own = duplicate(unsafe { Coll::new(rank, &comm) }).await?;
    let probe = Box::new(probe_word(own.context, own.rank));
    let row = vec![
        mine.base as u64,
        mine.size as u64,
        mine.disp_unit as u64,
        u64::from(starling_sys::process_id()),
        &raw const *probe as u64,
        u64::from(mine.apart),
        u64::from(rank.node().fences.is_heard()),
    ];
    let rows = exchange(rank, &own, row).await?;
    let layout = Layout::new(own.size());
    let (offsets, total) = offsets(mine.flavor, &rows);
    let memory = PAGE * (layout.memory as u64 + total).div_ceil(PAGE);
    let is_mapped = matches!(mine.flavor, Flavor::Allocate | Flavor::Shared);
    let begin = layout.memory as u64 + offsets[own.rank as usize];
    let part = (is_mapped && mine.size > 0).then_some((begin as usize, mine.size as usize));
    let mapping = shared_mapping(rank, &own, memory, layout.memory, part).await?;
    let control = Control::new(mapping, layout);
    let place = |(row, offset): (&Vec<u64>, &u64)| Place {
        base: if is_mapped { control.memory(*offset as usize) as usize } else { row[0] as usize },
        size: row[1] as i64,
        disp_unit: row[2] as i64,
        process: row[3] as u32,
        probe: row[4] as usize,
    };
    let places = rows.iter().zip(&offsets).map(place).collect();
    let ranks = own.size() as usize;
    let win = Rc::new(Win {
        comm: own.clone(),
        flavor: mine.flavor,
        name: RefCell::default(),
        errhandler: RefCell::default(),
        attributes: Default::default(),
        info: RefCell::new(info),
        handle: Cell::new(0),
        numbers: Default::default(),
        control,
        places,
        _probe: probe,
        access: RefCell::new(vec![first_access(); ranks]),
        epochs: Epochs::new(ranks),
        has_bulk: is_mapped && rows.iter().all(|row| row[6] != 0),
        regions: RefCell::default(),
    });
    rank.rma.windows.borrow_mut().insert(own.context, Rc::downgrade(&win));
    // Nobody uses the window before all can answer.
    // SAFETY: a barrier has no buffers.
    crate::coll::barrier::barrier(unsafe { Coll::new(rank, &own) }).await?;
    Ok(win)
}

async fn exchange(rank: &'static Rank, comm: &Rc<Comm>, mine: Vec<u64>) -> Result<Vec<Vec<u64>>> {
    // SAFETY: the lists belong to the collective.
    share(unsafe { Coll::new(rank, comm) }, mine).await
}

/// Where each process's part begins in the windows' own memory, and how much there is.
fn offsets(flavor: Flavor, rows: &[Vec<u64>]) -> (Vec<u64>, u64) {
    let adjoining = flavor == Flavor::Shared && rows[0][5] == 0;
    let mut end = 0u64;
    let mut offsets = Vec::new();
    for row in rows {
        offsets.push(end);
        if matches!(flavor, Flavor::Allocate | Flavor::Shared) {
            // No less than a page apart, so that processes do not share lines or pages.
            end =
                end.saturating_add(if adjoining { row[1] } else { row[1].next_multiple_of(PAGE) });
        }
    }
    (offsets, end)
}

/// Maps the memory of a new window, `len` bytes, in all its processes. Rank 0 reserves what is in
/// front of `start`, every process its own part: offset and length.
async fn shared_mapping(
    rank: &'static Rank,
    comm: &Rc<Comm>,
    len: u64,
    start: usize,
    part: Option<(usize, usize)>,
) -> Result<Mapping> {
    let mut fd = None;
    let mut note = Vec::new();
    if comm.rank == 0 {
        // Each reserves its part; together they could still ask for more than there is.
        let made = match memory::available() {
            Some(bytes) if len > bytes => Err(std::io::Error::from_raw_os_error(libc::ENOMEM)),
            _ => memory::create(len),
        };
        match made {
            Ok(made) => {
                note = vec![u64::from(starling_sys::process_id()), made.as_raw_fd() as u64];
                fd = Some(made);
            }
            Err(error) => note = vec![error.raw_os_error().unwrap_or(0) as u64],
        }
    }
    let notes = exchange(rank, comm, note).await?;
    let mapped = match notes[0][..] {
        [process, number] => fd.map_or_else(|| open(process, number), Ok).and_then(|fd| {
            let mapping = Mapping::new(fd)?;
            if comm.rank == 0 {
                mapping.reserve(0, start)?;
            }
            if let Some((offset, bytes)) = part {
                mapping.reserve(offset, bytes)?;
            }
            Ok(mapping)
        }),
        _ => Err(std::io::Error::from_raw_os_error(notes[0][0] as i32)),
    };
    let well = exchange(rank, comm, vec![u64::from(mapped.is_ok())]).await?;
    let failed = well.iter().position(|row| row[0] == 0);
    match (mapped, failed) {
        (Ok(mut mapping), None) => {
            mapping.close();
            Ok(mapping)
        }
        (Err(error), _) => Err(no_memory(len, &error.to_string())),
        (Ok(_), Some(other)) => Err(no_memory(len, &format!("rank {other} could not have it"))),
    }
}

fn open(process: u64, number: u64) -> std::io::Result<OwnedFd> {
    let path = format!("/proc/{process}/fd/{number}");
    Ok(std::fs::OpenOptions::new().read(true).write(true).open(path)?.into())
}

#[cold]
fn no_memory(bytes: u64, cause: &str) -> Error {
    let text = format!(
        "no memory for a window ({bytes} bytes for all its processes: {cause}); use smaller \
         windows, or raise the job's memory limit"
    );
    Error::new(Class::NO_MEM, text)
}
