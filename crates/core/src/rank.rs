//! The rank context: everything that belongs to one rank. There is no MPI state outside it.
//!
//! A thread reaches its rank through one thread-local pointer ([`current`]). A process with one
//! rank also has a default for the threads that the user starts. Ranks as threads of one process
//! (tests, and virtual ranks) set the pointer when the rank is entered ([`enter`]).
//!
//! A rank is made at the first MPI call of any kind, because handles for infos and error handlers
//! exist before `MPI_Init`; it gets transports with its first session or when the world starts,
//! whichever comes first ([`Rank::attach`]), and keeps them.
//! Phases, of the world only: `Before` -> `Active` -> `Finalized`; the owner is the thread that
//! initialises.

use crate::attr::Keyval;
use crate::comm::{Comm, CONTEXTS};
use crate::dynamic::Universe;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::handle::{Kind, Table};
use crate::info::Info;
use crate::lock::RankLock;
use crate::p2p::P2p;
use crate::progress::Waiters;
use crate::request::Request;
use crate::session::Session;
use crate::tool::Watch;
use starling_datatype::{Basic, Datatype};
use starling_settings::Counters;
use starling_sys::bell::Bell;
use starling_sys::fence::Fences;
use starling_transport::Transport;
use std::cell::{Cell, OnceCell, RefCell};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The ABI's number of `MPI_COMM_WORLD`.
pub const WORLD: u32 = 0x101;
/// The ABI's number of `MPI_COMM_SELF`.
pub const SELF: u32 = 0x102;

/// Where a rank is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not initialised yet.
    Before,
    /// Between initialisation and finalisation.
    Active,
    /// Finalised.
    Finalized,
}

/// Ends the whole job with this exit code, saying why; does not return.
pub type Abort = Box<dyn Fn(i32, &str)>;

/// The process's place among all that it can reach, and its ways to the others.
///
/// A process has a number that no other living one has: the initial job's processes count from 0,
/// those of a job that is started later from its `first`. Groups, routes and transports know
/// processes by these numbers ("world ranks" of groups mean them). Every process belongs to one
/// world, `first .. first + size`, for good.
pub struct Node {
    /// The process's number.
    pub me: u32,
    /// Number of the world's rank 0.
    pub first: u32,
    /// Number of ranks in the world.
    pub size: u32,
    /// Where the rank sleeps.
    pub bell: &'static Bell,
    /// The fences of the node.
    pub fences: Fences,
    /// In the order of preference.
    pub transports: Vec<Box<dyn Transport>>,
    /// Per process number: index into `transports`.
    pub routes: Vec<u8>,
    /// Largest message that is sent at once, in bytes.
    pub eager_max: u64,
    /// How long to poll before sleeping, in nanoseconds; `spin_now` says it anew now and then.
    pub spin_ns: Cell<u64>,
    /// How long to poll before sleeping with the processes that live now.
    pub spin_now: Box<dyn Fn() -> u64>,
    /// Which process of those that had a number one after the other has it now.
    pub generation: Box<dyn Fn(u32) -> u32>,
    /// The launcher, and what tells this job's processes from those of others.
    pub universe: Universe,
    /// Number given to MPMD parts, from 0.
    pub app_number: i32,
    /// How many ranks could be started in all, if the launcher says.
    pub universe_size: Option<i32>,
    /// Ends the whole job with this exit code; does not return.
    pub abort: Abort,
    /// Tells the launcher that this rank is done.
    pub leave: Box<dyn Fn()>,
}

/// A user-defined or predefined reduction; made by `abi`, which knows C function types.
pub type OpObject = Rc<crate::coll::reduction::Reduction>;

/// See the module's page.
pub struct Rank {
    /// Taken by every call.
    pub lock: RankLock,
    /// Where in its life the rank is.
    pub phase: Cell<Phase>,
    /// Thread level provided, as the ABI's constant.
    pub thread_level: Cell<i32>,
    /// Tools that want to hear of what happens.
    pub watch: Watch,
    /// Identifies the thread that initialised.
    pub main_thread: Cell<u64>,
    /// What it counts.
    pub counters: &'static Counters,
    node: OnceCell<Node>,
    /// Matching and transfers.
    pub p2p: P2p,
    /// Who waits, and what progresses.
    pub waiters: Waiters,
    /// Communicators that the user made.
    pub comms: RefCell<Table<Rc<Comm>>>,
    everybody: OnceCell<Rc<Comm>>,
    myself: OnceCell<Rc<Comm>>,
    world: RefCell<Option<Rc<Comm>>>,
    self_comm: RefCell<Option<Rc<Comm>>>,
    left: Cell<bool>,
    /// Handle of the communicator with those who started this job (`MPI_Comm_get_parent`); 0 if
    /// nobody did, or it is gone.
    pub parent: Cell<u32>,
    /// Open sessions.
    pub sessions: RefCell<Table<Rc<Session>>>,
    /// Numbers for context ids that this rank gives out.
    pub next_context: Cell<u32>,
    /// Groups that the user made.
    pub groups: RefCell<Table<Rc<Group>>>,
    /// Datatypes that the user made.
    pub datatypes: RefCell<Table<Rc<Datatype>>>,
    basics: Vec<Option<Rc<Datatype>>>,
    /// Sizes of the predefined datatypes without holes, by ABI number - 0x200; others have 0.
    dense_sizes: [u8; 256],
    /// Operations that the user made.
    pub ops: RefCell<Table<OpObject>>,
    /// The user's requests.
    pub requests: RefCell<Table<Request>>,
    /// Matched messages (`MPI_Mprobe`).
    pub messages: RefCell<Table<crate::p2p::probe::Matched>>,
    /// Info objects.
    pub infos: RefCell<Table<Rc<RefCell<Info>>>>,
    /// Error handlers that the user made.
    pub errhandlers: RefCell<Table<Rc<Errhandler>>>,
    /// Open files.
    pub files: RefCell<Table<Rc<crate::io::File>>>,
    /// Attribute keys.
    pub keyvals: RefCell<Table<Rc<Keyval>>>,
    /// Error classes, codes and strings that the user added.
    pub user_errors: RefCell<crate::errhandler::UserErrors>,
    /// Buffered sends.
    pub bsend: RefCell<crate::p2p::bsend::Buffers>,
    /// Windows that the user made.
    pub wins: RefCell<Table<Rc<crate::rma::Win>>>,
    /// One-sided communication.
    pub rma: crate::rma::Rma,
    /// Things that `abi` hangs off the rank (attributes of types, names …).
    pub extra: RefCell<std::collections::HashMap<std::any::TypeId, Rc<dyn std::any::Any>>>,
}

// SAFETY: threads other than the rank's first touch it only under `lock` (taken by every call in
// `abi::entry`), which is enabled before MPI_THREAD_MULTIPLE is granted.
unsafe impl Sync for Rank {}
// SAFETY: as above.
unsafe impl Send for Rank {}

thread_local! {
    static CURRENT: Cell<*const Rank> = const { Cell::new(ptr::null()) };
}

/// The rank of this process where it has one only; threads of the user find it here.
static PROCESS_RANK: AtomicPtr<Rank> = AtomicPtr::new(ptr::null_mut());

/// The rank that this thread runs for, if it is known already.
#[inline(always)]
pub fn current() -> Option<&'static Rank> {
    // First the process's own, because reading a thread-local of a shared library costs a call.
    let shared = PROCESS_RANK.load(Ordering::Acquire); // pairs with the store in `of_process`
    if !shared.is_null() {
        // SAFETY: `of_process` leaked it.
        return Some(unsafe { &*shared });
    }
    let own = CURRENT.with(Cell::get);
    // SAFETY: null, or `enter` got a reference that lives for ever.
    unsafe { own.as_ref() }
}

/// From now on this thread runs for `rank`. Only in processes that host several ranks: where
/// [`of_process`] has made one, that is everybody's.
pub fn enter(rank: &'static Rank) {
    CURRENT.with(|c| c.set(rank));
}

/// The rank of this process, made now if this is the first call.
#[cold]
pub fn of_process() -> &'static Rank {
    if let Some(rank) = current() {
        return rank;
    }
    let fresh = Rank::new();
    // Several threads may come before the thread level is known.
    fresh.lock.enable_for_now();
    let fresh = Box::into_raw(Box::new(fresh));
    // Two threads may race for the first call: the loser's is dropped.
    // Release publishes the rank's contents to `current`.
    let null = ptr::null_mut();
    match PROCESS_RANK.compare_exchange(null, fresh, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: leaked for good.
        Ok(_) => unsafe { &*fresh },
        Err(winner) => {
            // SAFETY: `fresh` was never shared; `winner` is leaked for good.
            unsafe {
                drop(Box::from_raw(fresh));
                &*winner
            }
        }
    }
}

impl Default for Rank {
    fn default() -> Self {
        Self::new()
    }
}

impl Node {
    /// The process's rank in its world.
    pub fn world_rank(&self) -> u32 {
        self.me - self.first
    }

    /// The processes of its world.
    pub fn world(&self) -> Rc<Group> {
        Group::range(self.first, self.size)
    }
}

impl Rank {
    /// A rank that is not part of a world yet.
    pub fn new() -> Rank {
        let counters: &'static Counters = Box::leak(Box::default());
        Rank {
            lock: RankLock::default(),
            phase: Cell::new(Phase::Before),
            thread_level: Cell::new(0),
            watch: Watch::default(),
            main_thread: Cell::new(0),
            counters,
            node: OnceCell::new(),
            p2p: P2p::default(),
            waiters: Waiters::default(),
            comms: RefCell::new(Table::new(Kind::Comm)),
            everybody: OnceCell::new(),
            myself: OnceCell::new(),
            world: RefCell::new(None),
            self_comm: RefCell::new(None),
            left: Cell::new(false),
            parent: Cell::new(0),
            sessions: RefCell::new(Table::new(Kind::Session)),
            next_context: Cell::new(0),
            groups: RefCell::new(Table::new(Kind::Group)),
            datatypes: RefCell::new(Table::new(Kind::Datatype)),
            dense_sizes: dense_sizes(),
            basics: predefined_datatypes(),
            ops: RefCell::new(Table::new(Kind::Op)),
            requests: RefCell::new(Table::new(Kind::Request)),
            messages: RefCell::new(Table::new(Kind::Message)),
            infos: RefCell::new(Table::new(Kind::Info)),
            errhandlers: RefCell::new(Table::new(Kind::Errhandler)),
            files: RefCell::new(Table::new(Kind::File)),
            keyvals: RefCell::new(Table::new(Kind::Keyval)),
            user_errors: RefCell::default(),
            bsend: RefCell::default(),
            wins: RefCell::new(Table::new(Kind::Win)),
            rma: Default::default(),
            extra: RefCell::default(),
        }
    }

    /// Gets its place among the ranks: from here on messages flow.
    pub fn attach(&'static self, node: Node) -> Result<()> {
        let (me, own_rank, world) = (node.me, node.world_rank(), node.world());
        if self.node.set(node).is_err() {
            return Err(Error::new(Class::OTHER, "the rank has its place already"));
        }
        // All worlds use the same contexts, 0 and up: a message in one of them never leaves its
        // world, and a process belongs to one world only. (`Use::FromGroups` may cross worlds: its
        // messages name their senders by process numbers.)
        let everybody = Comm::predefined(self, world, own_rank, "MPI_COMM_WORLD", 0);
        let myself = Comm::predefined(self, Group::range(me, 1), 0, "MPI_COMM_SELF", CONTEXTS);
        everybody.handle.set(WORLD);
        myself.handle.set(SELF);
        // Neither was set before: `node` was not.
        let _ = (self.everybody.set(everybody), self.myself.set(myself));
        Ok(())
    }

    /// Enters the world: the two predefined communicators can be used.
    pub fn enter_world(&self) {
        *self.world.borrow_mut() = self.everybody.get().cloned();
        *self.self_comm.borrow_mut() = self.myself.get().cloned();
        self.phase.set(Phase::Active);
    }

    /// Leaves the world.
    pub fn leave_world(&self) {
        self.world.borrow_mut().take();
        self.self_comm.borrow_mut().take();
        self.phase.set(Phase::Finalized);
    }

    /// Tells the launcher that this rank is done, if it is neither in the world nor in a session;
    /// once only. What comes afterwards (sessions may be opened again) is no concern of it.
    pub fn leave_if_done(&self) {
        if self.phase.get() != Phase::Active && !self.has_session() && !self.left.replace(true) {
            (self.node().leave)();
        }
    }

    /// `attach` and `enter_world`.
    pub fn join(&'static self, node: Node) -> Result<()> {
        self.attach(node)?;
        self.enter_world();
        Ok(())
    }

    /// The communicator of all ranks, whether the world is active or not.
    pub fn everybody(&self) -> Option<&Rc<Comm>> {
        self.everybody.get()
    }

    /// The communicator of this rank alone, whether the world is active or not.
    pub fn myself(&self) -> Option<&Rc<Comm>> {
        self.myself.get()
    }

    /// The rank's place in the world. Only called once it has one.
    #[inline(always)]
    pub fn node(&self) -> &Node {
        self.node.get().expect("a rank communicates only after it has joined a world")
    }

    /// The same, or `None` before `join`.
    pub fn try_node(&self) -> Option<&Node> {
        self.node.get()
    }

    /// The way to a world rank.
    #[inline(always)]
    pub fn route(&self, peer: u32) -> &dyn Transport {
        let node = self.node();
        &*node.transports[node.routes[peer as usize] as usize]
    }

    /// `MPI_COMM_WORLD`, while the world is active.
    pub fn world(&self) -> Option<Rc<Comm>> {
        self.world.borrow().clone()
    }

    /// `MPI_COMM_SELF`, while the world is active.
    pub fn self_comm(&self) -> Option<Rc<Comm>> {
        self.self_comm.borrow().clone()
    }

    /// Runs `f` on `MPI_COMM_WORLD` without touching its reference count.
    #[inline(always)]
    pub fn with_world<R>(&self, f: impl FnOnce(Option<&Rc<Comm>>) -> R) -> R {
        f(self.world.borrow().as_ref())
    }

    /// Bytes of an element of the predefined datatype of the ABI's number `value`, if such
    /// elements lie in memory without holes; otherwise 0.
    #[inline(always)]
    pub fn dense_size(&self, value: u32) -> u8 {
        match value.wrapping_sub(0x200) {
            index @ 0..256 => self.dense_sizes[index as usize],
            _ => 0,
        }
    }

    /// The predefined datatype of the ABI's number `value`.
    #[inline(always)]
    pub fn predefined_datatype(&self, value: u32) -> Option<&Rc<Datatype>> {
        self.basics.get((value as usize).wrapping_sub(0x200))?.as_ref()
    }

    /// A context id that nobody else has: 20 bits name this process, 12 the generation of its
    /// number. Some contexts in a row belong to a communicator (`comm::Use`).
    pub fn new_context(&self) -> u64 {
        let number = self.next_context.get() + 1;
        self.next_context.set(number);
        let node = self.node();
        let generation = u64::from((node.generation)(node.me) & 0xfff);
        (generation << 52) | ((node.me as u64 + 1) << 32) | (number as u64 * CONTEXTS)
    }

    /// Ends the whole job. Does not return from a launched process.
    pub fn abort(&self, code: i32, text: &str) {
        if let Some(node) = self.try_node() {
            (node.abort)(code, text);
        }
    }
}

fn dense_sizes() -> [u8; 256] {
    let mut sizes = [0; 256];
    for basic in Basic::ALL.iter().filter(|b| b.size() == b.extent()) {
        sizes[basic.abi_value() as usize - 0x200] = basic.size() as u8;
    }
    sizes
}

fn predefined_datatypes() -> Vec<Option<Rc<Datatype>>> {
    let mut table = vec![None; 0x100];
    for basic in Basic::ALL {
        if let Some(slot) = table.get_mut((basic.abi_value() as usize).wrapping_sub(0x200)) {
            let ty = Datatype::basic(*basic);
            ty.set_committed();
            *slot = Some(ty);
        }
    }
    table
}
