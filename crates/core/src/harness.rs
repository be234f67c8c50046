//! Ranks as threads of one process: the proof that no MPI state is global. Runs every test on
//! both transports. Used by the tests of this crate.

use crate::dynamic::Universe;
use crate::rank::{self, Node, Rank};
use starling_sys::bell::Bell;
use starling_sys::fence::Fences;
use starling_transport::{local, shm, Attachment, Transport};
use std::cell::Cell;
use std::io::Write;
use std::sync::{mpsc, Arc};
use std::time::Duration;

/// Far more than any run of a test takes.
const WATCHDOG: Duration = Duration::from_secs(300);

/// Runs `body` on `n` ranks as threads, first over `local`, then over `shm`.
pub fn on_ranks(n: u32, body: impl Fn(&'static Rank) + Sync) {
    on_local(n, &body);
    on_shm(n, &body);
}

fn on_local(n: u32, body: &(impl Fn(&'static Rank) + Sync)) {
    let hub = local::Hub::new(0, n);
    run(n, body, |me, rank| {
        let bell: &'static Bell = Box::leak(Box::default());
        let fences = Fences::SYMMETRIC;
        let attachment = Attachment { rank: me, bell, fences };
        let local = local::Local::attach(hub.clone(), attachment);
        node(rank, me, n, bell, fences, vec![Box::new(local)])
    });
}

fn on_shm(n: u32, body: &(impl Fn(&'static Rank) + Sync)) {
    let fd = shm::segment::create(n, 0).expect("a segment");
    let segment = Arc::new(shm::segment::Segment::map(fd).expect("our own segment"));
    // The ranks leak, and their bells lie in the segment: so must it.
    let kept: &'static Arc<shm::segment::Segment> = Box::leak(Box::new(segment));
    run(n, body, |me, rank| {
        let (bell, fences) = (kept.bell(me), kept.fences());
        let attachment = Attachment { rank: me, bell, fences };
        let own = local::Local::attach(local::Hub::new(me, 1), attachment);
        let shm = shm::Shm::attach(kept.clone(), attachment, rank.counters);
        node(rank, me, n, bell, fences, vec![Box::new(own), Box::new(shm)])
    });
}

fn node(
    _rank: &Rank,
    me: u32,
    size: u32,
    bell: &'static Bell,
    fences: Fences,
    transports: Vec<Box<dyn Transport>>,
) -> Node {
    Node {
        me,
        first: 0,
        size,
        bell,
        fences,
        routes: crate::bootstrap::routes(&transports, size),
        eager_max: crate::bootstrap::eager_max(&transports),
        transports,
        spin_ns: Cell::new(0),
        spin_now: Box::new(|| 0),
        generation: Box::new(|_| 0),
        universe: Universe::alone(),
        app_number: 0,
        universe_size: None,
        abort: Box::new(|code, text| panic!("aborted with {code}: {text}")),
        leave: Box::new(|| {}),
    }
}

fn run(
    n: u32,
    body: &(impl Fn(&'static Rank) + Sync),
    join: impl Fn(u32, &'static Rank) -> Node + Sync,
) {
    die_loudly();
    let _watched = watch();
    std::thread::scope(|scope| {
        for me in 0..n {
            let join = &join;
            scope.spawn(move || {
                let rank: &'static Rank = Box::leak(Box::new(Rank::new()));
                rank::enter(rank);
                rank.join(join(me, rank)).unwrap();
                body(rank);
                // As MPI_Finalize does: nobody leaves while others still need an answer.
                let world = rank.world().unwrap();
                // SAFETY: a barrier has no buffers.
                let coll = unsafe { crate::coll::Coll::new(rank, &world) };
                rank.block_on(crate::coll::barrier::barrier(coll)).unwrap().unwrap();
            });
        }
    });
}

/// A rank that panics would leave the others waiting for ever: it ends the test program instead.
fn die_loudly() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if rank::current().is_none() {
                return before(panic);
            }
            // Not by a print macro: the test runner would keep that to itself.
            let name = std::thread::current().name().map(str::to_string);
            let _ = writeln!(std::io::stderr(), "a rank failed ({name:?}): {panic}");
            std::process::abort();
        }));
    });
}

/// Ends the test program if what is returned still lives after a time that no test needs.
fn watch() -> mpsc::Sender<()> {
    let (alive, watched) = mpsc::channel();
    std::thread::spawn(move || {
        if watched.recv_timeout(WATCHDOG) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = writeln!(std::io::stderr(), "the ranks hang: no end after {WATCHDOG:?}");
            std::process::abort();
        }
    });
    alive
}
