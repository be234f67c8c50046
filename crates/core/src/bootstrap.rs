//! How a process finds out which rank it is, and gets the node's segment. Called by `MPI_Init` and
//! `MPI_Session_init`, whichever comes first.
//!
//! In this order:
//! 1. Our own launcher passes the segment's descriptor (`STARLING_SEGMENT_FD`) and the numbers.
//! 2. Any launcher that speaks PMI-1 (`PMI_FD`, `PMI_PORT`): rank 0 makes the segment and puts
//!    its process id and descriptor into the key-value space; the others open
//!    `/proc/<pid>/fd/<n>`, so that nothing has a name.
//! 3. No launcher: a world of one rank. If the environment looks like that of a launcher that we
//!    do not speak with, it is an error that names the remedy, not N worlds of one.

use crate::dynamic::{Source, Universe};
use crate::error::{Class, Error, Result};
use crate::rank::{Abort, Node, Rank};
use starling_pmi::client::Client;
use starling_transport::shm::segment::{self, Segment};
use starling_transport::{local, shm, Attachment, Transport};
use std::cell::{Cell, RefCell};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;

/// What the environment says.
struct Place {
    me: u32,
    first: u32,
    size: u32,
    segment: OwnedFd,
    client: Option<Client>,
    launcher: Started,
}

/// Who started this process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Started {
    /// Our launcher.
    Ours,
    /// A launcher of others.
    Foreign,
    /// None.
    Alone,
}

fn failed(what: &str, error: impl std::fmt::Display) -> Error {
    Error::new(Class::OTHER, format!("{what}: {error}"))
}

fn number(name: &str) -> Result<Option<u32>> {
    let Ok(text) = std::env::var(name) else { return Ok(None) };
    let parsed = text.trim().parse();
    parsed.map(Some).map_err(|_| failed(&format!("{name}={text}"), "not a number"))
}

/// Which transport reaches each process; their numbers are below `size`.
pub fn routes(transports: &[Box<dyn Transport>], size: u32) -> Vec<u8> {
    let way = |peer| transports.iter().position(|t| t.reaches(peer)).unwrap_or(usize::MAX);
    (0..size).map(|peer| u8::try_from(way(peer)).unwrap_or(u8::MAX)).collect()
}

/// Largest message that is sent at once: the tunable, or what the transports allow. A message
/// whose sender waits for the match carries eight bytes more.
pub fn eager_max(transports: &[Box<dyn Transport>]) -> u64 {
    let most = transports.iter().map(|t| t.body_max() as u64 - 8).min().unwrap_or(0);
    starling_settings::tunables().eager_limit.min(most)
}

/// Gives `rank` its place among the ranks that this process was started with, if it has none yet.
pub fn join(rank: &'static Rank) -> Result<()> {
    if rank.try_node().is_some() {
        return Ok(());
    }
    let place = find_place()?;
    let (me, first, size) = (place.me, place.first, place.size);
    let segment =
        Segment::map(place.segment).map_err(|e| failed("cannot map the node's segment", e))?;
    let places = segment.places();
    if first.checked_add(size).is_none_or(|end| end > places) {
        let text =
            format!("it has {places} places, the job needs those from {first}, {size} of them");
        return Err(failed("the node's segment belongs to another job", text));
    }
    // The rank and its transports live as long as the process.
    let segment: &'static Arc<Segment> = Box::leak(Box::new(Arc::new(segment)));
    let (bell, fences) = (segment.bell(me), segment.fences());
    let attachment = Attachment { rank: me, bell, fences };
    let own = local::Local::attach(local::Hub::new(me, 1), attachment);
    let shm = shm::Shm::attach(segment.clone(), attachment, rank.counters);
    let transports: Vec<Box<dyn Transport>> = vec![Box::new(own), Box::new(shm)];
    let client = Rc::new(RefCell::new(place.client));
    let source = match place.launcher {
        Started::Ours => Source::Launcher,
        Started::Foreign => Source::Foreign,
        Started::Alone => {
            let copy = segment.fd().try_clone();
            Source::Nobody(copy.map_err(|e| failed("cannot keep the node's segment", e))?)
        }
    };
    let spin_now = spin_by_load(segment);
    let universe = number("STARLING_UNIVERSE_SIZE")?.map(|n| n as i32);
    rank.attach(Node {
        me,
        first,
        size,
        bell,
        fences,
        routes: routes(&transports, places),
        eager_max: eager_max(&transports),
        transports,
        spin_ns: Cell::new(spin_now()),
        spin_now,
        generation: Box::new(|place| segment.generation(place)),
        universe: Universe::new(segment.universe(), client.clone(), source),
        app_number: app_number(&client)?,
        universe_size: universe.or_else(|| universe_of(&client)),
        abort: abort_through(client.clone()),
        leave: leave_through(client),
    })
}

/// Polling is for processes that have a CPU each.
fn spin_by_load(segment: &'static Segment) -> Box<dyn Fn() -> u64> {
    let tunables = starling_settings::tunables();
    let cpus = online_cpus();
    Box::new(move || match segment.living() as usize > cpus {
        true => tunables.spin_oversubscribed_ns,
        false => tunables.spin_ns,
    })
}

fn app_number(client: &Rc<RefCell<Option<Client>>>) -> Result<i32> {
    if let Some(n) = number("STARLING_APPNUM")? {
        return Ok(n as i32);
    }
    match client.borrow_mut().as_mut() {
        Some(client) => client.appnum().map_err(|e| failed("the launcher does not answer", e)),
        None => Ok(0),
    }
}

fn universe_of(client: &Rc<RefCell<Option<Client>>>) -> Option<i32> {
    let size = client.borrow_mut().as_mut()?.universe_size().ok()??;
    i32::try_from(size).ok()
}

fn abort_through(client: Rc<RefCell<Option<Client>>>) -> Abort {
    Box::new(move |code, text| {
        if let Ok(mut client) = client.try_borrow_mut() {
            if let Some(client) = client.as_mut() {
                // The launcher ends everybody; should it be gone, ending ourselves is all we can.
                let _ = client.abort(code, text);
            }
        }
        // Not `exit`: its handlers may call MPI, and another thread may hold the rank's lock.
        // SAFETY: _exit only ends the process.
        unsafe { libc::_exit(code) }
    })
}

fn leave_through(client: Rc<RefCell<Option<Client>>>) -> Box<dyn Fn()> {
    Box::new(move || {
        // The connection stays: a later session may still have to end the job.
        if let Some(client) = client.borrow_mut().as_mut() {
            // A launcher that is gone needs no farewell.
            let _ = client.finalize();
        }
    })
}

fn online_cpus() -> usize {
    // SAFETY: sysconf only reads a number.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    match std::env::var_os("STARLING_BOUND") {
        // Bound ranks have cores of their own, so all of the machine's count.
        Some(_) => usize::try_from(online).unwrap_or(1),
        None => starling_sys::usable_cpus(),
    }
}

fn find_place() -> Result<Place> {
    let client = Client::from_env()
        .transpose()
        .map_err(|e| failed("cannot talk to the launcher (PMI-1)", e))?;
    if let Some(fd) = number("STARLING_SEGMENT_FD")? {
        let missing = |name| failed("the launcher's environment is incomplete", name);
        let me = number("STARLING_RANK")?.ok_or_else(|| missing("STARLING_RANK is missing"))?;
        let size = number("STARLING_SIZE")?.ok_or_else(|| missing("STARLING_SIZE is missing"))?;
        if me >= size {
            return Err(missing(&format!("STARLING_RANK={me}, STARLING_SIZE={size}")));
        }
        // SAFETY: F_GETFD only asks whether the number is an open descriptor.
        if unsafe { libc::fcntl(fd as i32, libc::F_GETFD) } < 0 {
            let text = "its descriptor is closed; start MPI programs directly under the launcher";
            return Err(failed("cannot reach the node's segment", text));
        }
        // SAFETY: the launcher opened it for the MPI library of this process alone.
        let segment = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        close_on_exec(&segment);
        let first = number("STARLING_FIRST")?.unwrap_or(0);
        let me = first.checked_add(me).ok_or_else(|| missing("STARLING_FIRST is impossible"))?;
        return Ok(Place { me, first, size, segment, client, launcher: Started::Ours });
    }
    match client {
        Some(client) => foreign_launcher(client),
        None => singleton(),
    }
}

/// Children of the program must not inherit it.
fn close_on_exec(fd: &OwnedFd) {
    // SAFETY: sets a flag of our own descriptor.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
}

fn singleton() -> Result<Place> {
    for (name, remedy) in [
        ("SLURM_NTASKS", "srun --mpi=pmi2"),
        ("OMPI_COMM_WORLD_SIZE", "Starling's mpiexec"),
        ("PMIX_RANK", "Starling's mpiexec, or a launcher that speaks PMI-1"),
    ] {
        let many = name == "PMIX_RANK" || number(name).ok().flatten().is_some_and(|n| n > 1);
        if many && std::env::var_os(name).is_some() {
            let text = format!(
                "{name} is set, but the launcher does not speak PMI-1; every process would be \
                 rank 0 of 1. Start the program with {remedy}"
            );
            return Err(Error::new(Class::OTHER, text));
        }
    }
    let segment = segment::create(1, segment::spare_places(1));
    let segment = segment.map_err(|e| failed("cannot make a segment", e))?;
    Ok(Place { me: 0, first: 0, size: 1, segment, client: None, launcher: Started::Alone })
}

fn foreign_launcher(mut client: Client) -> Result<Place> {
    let (me, size) = (client.rank(), client.size());
    let talk = |e| failed("the launcher does not answer (PMI-1)", e);
    let host = host_name();
    let made = match me {
        0 => {
            let fd = segment::create(size, 0).map_err(|e| failed("cannot make a segment", e))?;
            let value = format!("{}:{}:{host}", std::process::id(), fd.as_raw_fd());
            client.put("starling-segment", &value).map_err(talk)?;
            Some(fd)
        }
        _ => None,
    };
    client.barrier().map_err(talk)?;
    let segment = match made {
        Some(fd) => fd,
        None => {
            let value = client.get("starling-segment").map_err(talk)?.unwrap_or_default();
            open_segment(&value, &host)?
        }
    };
    // Rank 0 keeps its descriptor open until all have theirs.
    client.barrier().map_err(talk)?;
    let client = Some(client);
    Ok(Place { me, first: 0, size, segment, client, launcher: Started::Foreign })
}

fn open_segment(value: &str, host: &str) -> Result<OwnedFd> {
    let mut parts = value.splitn(3, ':');
    let (process, fd) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let there = parts.next().unwrap_or("");
    if there != host {
        let text = format!("rank 0 is on {there}, this rank on {host}");
        return Err(failed("this version of Starling runs on one node only", text));
    }
    let path = format!("/proc/{process}/fd/{fd}");
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&path);
    file.map(Into::into).map_err(|e| failed(&format!("cannot open rank 0's segment {path}"), e))
}

/// The node's name, as `MPI_Get_processor_name` gives it.
pub fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: gethostname writes at most 255 bytes and the last one stays 0.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|b| *b == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..end]).into_owned()
}
