//! The serving end of PMI-1: bytes of a client in, bytes for clients out.
//!
//! The launcher's agent owns one `Server` and moves the bytes; nothing here opens a socket or
//! waits, so the whole protocol is tested without processes. The server begins with one job;
//! clients may ask for more processes, which form further jobs with key-value spaces and barriers
//! of their own. Clients are numbered through all jobs. States of a client:
//!
//! ```text
//! Silent --init--> Running --finalize--> Finalized
//! ```
//! A program that ends in `Running` ended without MPI_Finalize.

use crate::spawn::Request;
use crate::wire::{Command, Malformed, Reader};
use crate::wire::{KEY_BYTES_MAX, KVSNAME_BYTES_MAX, VALUE_BYTES_MAX};
use std::collections::{BTreeMap, HashMap};

/// What the server has to know of a job.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program of each rank, as its index on the command line; its length is the job's size.
    pub appnums: Vec<u32>,
    /// What MPI_UNIVERSE_SIZE says; None when the number is not limited.
    pub universe_size: Option<u32>,
    /// The name of the key-value space.
    pub kvsname: String,
}

/// How far a client has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClientState {
    /// It has not said `init`: perhaps not an MPI program.
    #[default]
    Silent,
    /// Between `init` and `finalize`.
    Running,
    /// It said `finalize`.
    Finalized,
}

/// What the owner has to do after it fed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Send these bytes to this rank.
    Reply {
        /// The rank whose connection gets the bytes.
        rank: usize,
        /// Whole lines.
        bytes: Vec<u8>,
    },
    /// This rank wants the job to end.
    Abort {
        /// The rank that called MPI_Abort.
        rank: usize,
        /// The exit code it asked for.
        code: i32,
        /// What it said, if anything.
        message: Option<String>,
    },
    /// This rank wants processes to be started; it waits for [`spawned`] or [`not_spawned`].
    Spawn {
        /// The rank that called MPI_Comm_spawn.
        rank: usize,
        /// What is to be started.
        request: Request,
    },
}

#[derive(Debug, Default)]
struct Client {
    /// Index of its job.
    job: usize,
    state: ClientState,
    in_barrier: bool,
    reader: Reader,
    /// The part of a request that has come.
    request: Request,
}

/// A job, and what its clients are doing.
#[derive(Debug)]
struct Served {
    job: Job,
    /// Number of its first client.
    first: usize,
    waiting: usize,
}

/// A name that somebody published.
#[derive(Debug)]
struct Published {
    port: Vec<u8>,
    by: usize,
}

/// The state of all jobs.
#[derive(Debug)]
pub struct Server {
    jobs: Vec<Served>,
    clients: Vec<Client>,
    /// Key-value spaces by name; sorted, so that `getbyidx` has a stable order.
    spaces: HashMap<String, BTreeMap<Vec<u8>, Vec<u8>>>,
    spaces_made: u32,
    published: HashMap<Vec<u8>, Published>,
}

impl Server {
    /// A server for `job` on one node.
    pub fn new(job: Job) -> Server {
        let mut server = Server {
            jobs: Vec::new(),
            clients: Vec::new(),
            spaces: HashMap::new(),
            spaces_made: 0,
            published: HashMap::new(),
        };
        server.add(job, &[]);
        server
    }

    /// Adds a job, with these values in its key-value space, beside `PMI_process_mapping`, from
    /// which MPICH reads that all ranks share the node. Returns the number of its first client.
    pub fn add(&mut self, job: Job, values: &[(String, Vec<u8>)]) -> usize {
        let (first, size, index) = (self.clients.len(), job.appnums.len(), self.jobs.len());
        let new = || Client { job: index, ..Client::default() };
        self.clients.extend(std::iter::repeat_with(new).take(size));
        let values = values.iter().map(|(key, value)| (key.clone().into_bytes(), value.clone()));
        let mut space: BTreeMap<Vec<u8>, Vec<u8>> = values.collect();
        let mapping = format!("(vector,(0,1,{size}))");
        space.insert(b"PMI_process_mapping".to_vec(), mapping.into_bytes());
        self.spaces.insert(job.kvsname.clone(), space);
        self.jobs.push(Served { job, first, waiting: 0 });
        first
    }

    /// A client has ended: what it published goes.
    pub fn ended(&mut self, rank: usize) {
        self.published.retain(|_, published| published.by != rank);
    }

    /// How far `rank` has come.
    pub fn state(&self, rank: usize) -> ClientState {
        self.clients[rank].state
    }

    /// How many clients wait in the barrier of `rank`'s job that is not complete.
    pub fn in_barrier(&self, rank: usize) -> usize {
        self.jobs[self.clients[rank].job].waiting
    }

    /// Whether any client waits in a barrier.
    pub fn somebody_waits(&self) -> bool {
        self.jobs.iter().any(|served| served.waiting > 0)
    }

    /// Whether `rank` waits in a barrier.
    pub fn waits(&self, rank: usize) -> bool {
        self.clients[rank].in_barrier
    }

    fn job(&self, rank: usize) -> &Job {
        &self.jobs[self.clients[rank].job].job
    }

    /// Takes bytes that `rank` sent and says what to do, in order.
    ///
    /// # Errors
    /// When the bytes are not PMI-1; what follows on that connection has no meaning.
    pub fn feed(&mut self, rank: usize, bytes: &[u8]) -> Result<Vec<Action>, Malformed> {
        let mut actions = Vec::new();
        self.clients[rank].reader.push(bytes);
        while let Some(command) = self.clients[rank].reader.next_command()? {
            self.answer(rank, &command, &mut actions);
        }
        Ok(actions)
    }

    fn answer(&mut self, rank: usize, command: &Command, actions: &mut Vec<Action>) {
        let reply = match command.name.as_str() {
            "init" => self.init(rank, command),
            "get_maxes" => ok("maxes")
                .with("kvsname_max", KVSNAME_BYTES_MAX.to_string())
                .with("keylen_max", KEY_BYTES_MAX.to_string())
                .with("vallen_max", VALUE_BYTES_MAX.to_string()),
            "get_appnum" => {
                let served = &self.jobs[self.clients[rank].job];
                let number = served.job.appnums[rank - served.first];
                ok("appnum").with("appnum", number.to_string())
            }
            "get_my_kvsname" => ok("my_kvsname").with("kvsname", &self.job(rank).kvsname),
            "get_universe_size" => {
                let size = self.job(rank).universe_size.map_or(-1, i64::from);
                ok("universe_size").with("size", size.to_string())
            }
            "put" => self.put(command),
            "get" => self.get(command),
            "getbyidx" => self.get_by_index(command),
            "create_kvs" => self.create_space(rank),
            "destroy_kvs" => self.destroy_space(command),
            "barrier_in" => return self.barrier(rank, actions),
            "finalize" => {
                self.clients[rank].state = ClientState::Finalized;
                ok("finalize_ack")
            }
            "abort" => {
                let code = command.number("exitcode").unwrap_or(1) as i32;
                let message = command.get("message").or_else(|| command.get("error_msg"));
                let message = message
                    .map(|text| String::from_utf8_lossy(text).trim().to_string())
                    .filter(|text| !text.is_empty());
                actions.push(Action::Abort { rank, code, message });
                return;
            }
            "publish_name" => self.publish(rank, command),
            "lookup_name" => self.lookup(command),
            "unpublish_name" => self.unpublish(command),
            "spawn" => match self.spawn(rank, command) {
                Ok(None) => return,
                Ok(Some(action)) => return actions.push(action),
                Err(reason) => failed("spawn_result", &reason),
            },
            other => failed(&format!("{other}_result"), "unknown_command"),
        };
        actions.push(Action::Reply { rank, bytes: reply.to_line() });
    }

    fn init(&mut self, rank: usize, command: &Command) -> Command {
        let reply = Command::new("response_to_init");
        let version = command.number("pmi_version").unwrap_or(1);
        let reply = reply.with("pmi_version", "1").with("pmi_subversion", "1");
        if version != 1 {
            return reply.with("rc", "-1");
        }
        self.clients[rank].state = ClientState::Running;
        reply.with("rc", "0")
    }

    fn put(&mut self, command: &Command) -> Command {
        let (Some(name), Some(key), Some(value)) =
            (command.text("kvsname"), command.get("key"), command.get("value"))
        else {
            return failed("put_result", "put_needs_kvsname_key_value");
        };
        match self.spaces.get_mut(name) {
            Some(space) => {
                space.insert(key.to_vec(), value.to_vec());
                ok("put_result").with("msg", "success")
            }
            None => failed("put_result", &format!("kvs_{name}_not_found")),
        }
    }

    fn get(&self, command: &Command) -> Command {
        let key = command.get("key").unwrap_or_default();
        let space = command.text("kvsname").and_then(|name| self.spaces.get(name));
        match space.and_then(|space| space.get(key)) {
            Some(value) => ok("get_result").with("msg", "success").with("value", value),
            None => {
                let message = format!("key_{}_not_found", String::from_utf8_lossy(key));
                failed("get_result", &message).with("value", "unknown")
            }
        }
    }

    fn get_by_index(&self, command: &Command) -> Command {
        let index = command.number("idx").and_then(|index| usize::try_from(index).ok());
        let space = command.text("kvsname").and_then(|name| self.spaces.get(name));
        match (space, index) {
            (Some(space), Some(index)) => match space.iter().nth(index) {
                Some((key, value)) => ok("getbyidx_results")
                    .with("nextidx", (index + 1).to_string())
                    .with("key", key)
                    .with("val", value),
                None => Command::new("getbyidx_results")
                    .with("rc", "-2")
                    .with("reason", "no_more_keyvals"),
            },
            _ => Command::new("getbyidx_results").with("rc", "-1").with("reason", "not_found"),
        }
    }

    /// The parts of a request come one by one.
    fn spawn(&mut self, rank: usize, command: &Command) -> Result<Option<Action>, String> {
        let open = &mut self.clients[rank].request;
        match open.take(command) {
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(Action::Spawn { rank, request: std::mem::take(open) })),
            Err(reason) => {
                *open = Request::default();
                Err(reason)
            }
        }
    }

    fn create_space(&mut self, rank: usize) -> Command {
        self.spaces_made += 1;
        let name = format!("{}_{}", self.job(rank).kvsname, self.spaces_made);
        self.spaces.insert(name.clone(), BTreeMap::new());
        ok("newkvs").with("kvsname", name)
    }

    fn destroy_space(&mut self, command: &Command) -> Command {
        let name = command.text("kvsname").unwrap_or_default();
        let of_job = self.jobs.iter().any(|served| served.job.kvsname == name);
        if !of_job && self.spaces.remove(name).is_some() {
            ok("kvs_destroyed")
        } else {
            failed("kvs_destroyed", "not_found")
        }
    }

    fn barrier(&mut self, rank: usize, actions: &mut Vec<Action>) {
        let served = &mut self.jobs[self.clients[rank].job];
        if !self.clients[rank].in_barrier {
            self.clients[rank].in_barrier = true;
            served.waiting += 1;
        }
        let size = served.job.appnums.len();
        if served.waiting < size {
            return;
        }
        served.waiting = 0;
        let bytes = ok("barrier_out").to_line();
        for rank in served.first..served.first + size {
            self.clients[rank].in_barrier = false;
            actions.push(Action::Reply { rank, bytes: bytes.clone() });
        }
    }

    fn publish(&mut self, rank: usize, command: &Command) -> Command {
        match (command.get("service"), command.get("port")) {
            (Some(service), Some(port)) if !self.published.contains_key(service) => {
                let published = Published { port: port.to_vec(), by: rank };
                self.published.insert(service.to_vec(), published);
                ok("publish_result").with("info", "ok").with("msg", "success")
            }
            (Some(_), Some(_)) => published_error("publish_result", "name_is_taken"),
            _ => published_error("publish_result", "publish_needs_service_port"),
        }
    }

    fn lookup(&self, command: &Command) -> Command {
        match self.published.get(command.get("service").unwrap_or_default()) {
            Some(found) => ok("lookup_result").with("info", "ok").with("port", &found.port),
            None => published_error("lookup_result", "service_not_found"),
        }
    }

    fn unpublish(&mut self, command: &Command) -> Command {
        match self.published.remove(command.get("service").unwrap_or_default()) {
            Some(_) => ok("unpublish_result").with("info", "ok").with("msg", "success"),
            None => published_error("unpublish_result", "service_not_found"),
        }
    }
}

/// The answer to a rank whose request was fulfilled by `count` processes. `first` is where the
/// first of them is among all processes of the node.
pub fn spawned(first: u32, count: usize) -> Vec<u8> {
    let codes = vec!["0"; count].join(",");
    ok("spawn_result").with("errcodes", codes).with("first", first.to_string()).to_line()
}

/// The answer to a rank whose request was not fulfilled.
pub fn not_spawned(reason: &str) -> Vec<u8> {
    Command::new("spawn_result").with("rc", "-1").with("message", reason).to_line()
}

fn ok(name: &str) -> Command {
    Command::new(name).with("rc", "0")
}

fn failed(name: &str, reason: &str) -> Command {
    Command::new(name).with("rc", "-1").with("msg", reason.replace(' ', "_"))
}

/// Old clients look at `info`, newer ones at `rc`.
fn published_error(name: &str, reason: &str) -> Command {
    Command::new(name).with("rc", "1").with("info", reason).with("msg", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(size: usize) -> Server {
        let appnums = (0..size).map(|rank| u32::from(rank > 0)).collect();
        Server::new(Job { appnums, universe_size: Some(8), kvsname: "kvs_t".into() })
    }

    fn ask(server: &mut Server, rank: usize, line: &str) -> Vec<Action> {
        server.feed(rank, format!("{line}\n").as_bytes()).unwrap()
    }

    fn reply(server: &mut Server, rank: usize, line: &str) -> Command {
        match &ask(server, rank, line)[..] {
            [Action::Reply { rank: to, bytes }] => {
                assert_eq!(*to, rank);
                Command::parse(&bytes[..bytes.len() - 1]).unwrap()
            }
            other => panic!("one reply expected, got {other:?}"),
        }
    }

    #[test]
    fn the_questions_of_start_up() {
        let mut s = server(3);
        let r = reply(&mut s, 1, "cmd=init pmi_version=1 pmi_subversion=1");
        assert_eq!(r.to_line(), b"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
        assert_eq!(s.state(1), ClientState::Running);
        assert_eq!(s.state(0), ClientState::Silent);
        assert_eq!(reply(&mut s, 1, "cmd=get_maxes").number("vallen_max"), Some(1024));
        assert_eq!(reply(&mut s, 1, "cmd=get_appnum").number("appnum"), Some(1));
        assert_eq!(reply(&mut s, 0, "cmd=get_appnum").number("appnum"), Some(0));
        assert_eq!(reply(&mut s, 1, "cmd=get_universe_size").number("size"), Some(8));
        assert_eq!(reply(&mut s, 1, "cmd=get_my_kvsname").text("kvsname"), Some("kvs_t"));
        let r = reply(&mut s, 1, "cmd=get kvsname=kvs_t key=PMI_process_mapping");
        assert_eq!(r.text("value"), Some("(vector,(0,1,3))"));
        assert_eq!(reply(&mut s, 1, "cmd=finalize").name, "finalize_ack");
        assert_eq!(s.state(1), ClientState::Finalized);
    }

    #[test]
    fn another_version_is_refused() {
        let mut s = server(1);
        let r = reply(&mut s, 0, "cmd=init pmi_version=2 pmi_subversion=0");
        assert_eq!(r.number("rc"), Some(-1));
        assert_eq!(s.state(0), ClientState::Silent);
    }

    #[test]
    fn keys_are_put_and_got_in_their_space() {
        let mut s = server(2);
        let line = "cmd=put kvsname=kvs_t key=card-0 value=a b=c#$";
        assert_eq!(reply(&mut s, 0, line).number("rc"), Some(0));
        let r = reply(&mut s, 1, "cmd=get kvsname=kvs_t key=card-0");
        assert_eq!((r.number("rc"), r.text("value")), (Some(0), Some("a b=c#$")));
        assert_eq!(reply(&mut s, 1, "cmd=get kvsname=kvs_t key=no").number("rc"), Some(-1));
        assert_eq!(reply(&mut s, 1, "cmd=get kvsname=no key=card-0").number("rc"), Some(-1));
        assert_eq!(reply(&mut s, 1, "cmd=put kvsname=no key=a value=b").number("rc"), Some(-1));
        let made = reply(&mut s, 1, "cmd=create_kvs").text("kvsname").unwrap().to_string();
        let line = format!("cmd=put kvsname={made} key=k value=v");
        assert_eq!(reply(&mut s, 0, &line).number("rc"), Some(0));
        let r = reply(&mut s, 0, &format!("cmd=getbyidx kvsname={made} idx=0"));
        assert_eq!((r.text("key"), r.text("val")), (Some("k"), Some("v")));
        assert_eq!(r.number("nextidx"), Some(1));
        let r = reply(&mut s, 0, &format!("cmd=getbyidx kvsname={made} idx=1"));
        assert_eq!(r.number("rc"), Some(-2));
        let destroy = format!("cmd=destroy_kvs kvsname={made}");
        assert_eq!(reply(&mut s, 0, &destroy).number("rc"), Some(0));
        assert_eq!(reply(&mut s, 0, "cmd=destroy_kvs kvsname=kvs_t").number("rc"), Some(-1));
    }

    #[test]
    fn a_barrier_opens_when_the_last_one_comes() {
        let mut s = server(3);
        for _ in 0..3 {
            assert_eq!(ask(&mut s, 2, "cmd=barrier_in"), []);
            assert_eq!(ask(&mut s, 0, "cmd=barrier_in"), []);
            assert!(s.waits(0) && !s.waits(1) && s.in_barrier(1) == 2);
            let opened = ask(&mut s, 1, "cmd=barrier_in");
            let ranks: Vec<usize> = opened
                .iter()
                .map(|action| match action {
                    Action::Reply { rank, bytes } if bytes == b"cmd=barrier_out rc=0\n" => *rank,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(ranks, [0, 1, 2]);
            assert!(!s.somebody_waits());
        }
    }

    #[test]
    fn abort_names_the_rank_and_its_code() {
        let mut s = server(2);
        let actions = ask(&mut s, 1, "cmd=abort exitcode=7 message=gone = bad");
        let message = Some("gone = bad".to_string());
        assert_eq!(actions, [Action::Abort { rank: 1, code: 7, message }]);
        let actions = ask(&mut s, 0, "cmd=abort");
        assert_eq!(actions, [Action::Abort { rank: 0, code: 1, message: None }]);
    }

    #[test]
    fn names_are_published_once() {
        let mut s = server(2);
        let line = "cmd=publish_name service=my svc port=tag#0$x#";
        assert_eq!(reply(&mut s, 0, line).number("rc"), Some(0));
        assert_ne!(reply(&mut s, 1, line).number("rc"), Some(0));
        let r = reply(&mut s, 1, "cmd=lookup_name service=my svc");
        assert_eq!((r.number("rc"), r.text("port")), (Some(0), Some("tag#0$x#")));
        assert_eq!(reply(&mut s, 0, "cmd=unpublish_name service=my svc").number("rc"), Some(0));
        let r = reply(&mut s, 1, "cmd=lookup_name service=my svc");
        assert_ne!(r.number("rc"), Some(0));
        assert_ne!(reply(&mut s, 0, "cmd=unpublish_name service=my svc").number("rc"), Some(0));
    }

    #[test]
    fn what_a_client_published_goes_with_it() {
        let mut s = server(2);
        let line = "cmd=publish_name service=a port=p";
        assert_eq!(reply(&mut s, 0, line).number("rc"), Some(0));
        s.ended(1);
        assert_eq!(reply(&mut s, 1, "cmd=lookup_name service=a").number("rc"), Some(0));
        s.ended(0);
        assert_ne!(reply(&mut s, 1, "cmd=lookup_name service=a").number("rc"), Some(0));
    }

    #[test]
    fn jobs_have_their_own_ranks_spaces_and_barriers() {
        let mut s = server(2);
        let second = Job { appnums: vec![5, 6], universe_size: None, kvsname: "kvs_2".into() };
        assert_eq!(s.add(second, &[("parent".into(), b"3:7".to_vec())]), 2);
        assert_eq!(reply(&mut s, 3, "cmd=get_appnum").number("appnum"), Some(6));
        assert_eq!(reply(&mut s, 3, "cmd=get_my_kvsname").text("kvsname"), Some("kvs_2"));
        let r = reply(&mut s, 2, "cmd=get kvsname=kvs_2 key=parent");
        assert_eq!(r.text("value"), Some("3:7"));
        assert_eq!(reply(&mut s, 0, "cmd=get kvsname=kvs_t key=parent").number("rc"), Some(-1));
        assert_eq!(ask(&mut s, 0, "cmd=barrier_in"), []);
        assert_eq!(ask(&mut s, 3, "cmd=barrier_in"), []);
        assert_eq!(ask(&mut s, 2, "cmd=barrier_in").len(), 2);
        assert!(s.waits(0) && !s.waits(3) && s.in_barrier(2) == 0 && s.somebody_waits());
    }

    #[test]
    fn requests_to_start_processes_are_handed_on_whole() {
        let mut s = server(1);
        let part = "mcmd=spawn\nnprocs=2\nexecname=a\ntotspawns=2\nspawnssofar=";
        assert_eq!(ask(&mut s, 0, &format!("{part}1\nendcmd")), []);
        match &ask(&mut s, 0, &format!("{part}2\nendcmd"))[..] {
            [Action::Spawn { rank: 0, request }] => assert_eq!(request.programs.len(), 2),
            other => panic!("{other:?}"),
        }
        assert_eq!(spawned(7, 2), b"cmd=spawn_result rc=0 errcodes=0,0 first=7\n");
        assert_eq!(not_spawned("no a = b"), b"cmd=spawn_result rc=-1 message=no a = b\n");
    }

    #[test]
    fn bad_requests_and_unknown_commands_fail_politely() {
        let mut s = server(1);
        let r = reply(&mut s, 0, "mcmd=spawn\nnprocs=2\nendcmd");
        assert_eq!((r.name.as_str(), r.number("rc")), ("spawn_result", Some(-1)));
        let r = reply(&mut s, 0, "cmd=dance");
        assert_eq!((r.name.as_str(), r.number("rc")), ("dance_result", Some(-1)));
        assert!(s.feed(0, b"hello\n").is_err());
    }
}
