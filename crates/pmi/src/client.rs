//! The asking end of PMI-1: what the library uses to join a job under any launcher that speaks
//! it. Blocking; one question at a time.
//!
//! The launcher gives a connected socket by number (`PMI_FD`, with `PMI_RANK` and `PMI_SIZE`), or
//! an address to connect to (`PMI_PORT` as `host:port`, with `PMI_ID`).

use crate::spawn::Request;
use crate::wire::{Command, Reader};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// A connection to the launcher.
#[derive(Debug)]
pub struct Client {
    stream: File,
    reader: Reader,
    rank: u32,
    size: u32,
    kvsname: String,
}

impl Client {
    /// Joins the job that the environment describes; None when no launcher speaks PMI-1 to us.
    ///
    /// Takes over the descriptor that `PMI_FD` names: call it once per process.
    pub fn from_env() -> Option<io::Result<Client>> {
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(number) = text("PMI_FD") {
            return Some(Client::from_descriptor(&number, text("PMI_RANK"), text("PMI_SIZE")));
        }
        text("PMI_PORT").map(|address| Client::from_port(&address, text("PMI_ID")))
    }

    fn from_descriptor(
        number: &str,
        rank: Option<String>,
        size: Option<String>,
    ) -> io::Result<Client> {
        let descriptor: RawFd = parse("PMI_FD", Some(number))?;
        let rank = parse("PMI_RANK", rank.as_deref())?;
        let size = parse("PMI_SIZE", size.as_deref())?;
        // SAFETY: F_GETFD only asks whether the number is an open descriptor.
        if descriptor < 0 || unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            let message = format!("PMI_FD={number} is not an open file descriptor");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        // SAFETY: the descriptor is open, and the launcher's contract gives it to the MPI
        // library of this process alone, so nobody else closes it.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Client::connect(descriptor, rank, size)
    }

    fn from_port(address: &str, id: Option<String>) -> io::Result<Client> {
        let stream = TcpStream::connect(address).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot connect to PMI_PORT={address}: {error}"))
        })?;
        stream.set_nodelay(true)?;
        let mut client = Client::over(OwnedFd::from(stream), 0, 0);
        let question = Command::new("initack").with("pmiid", id.unwrap_or_else(|| "0".into()));
        client.ask(&question, "initack")?;
        // Size and rank come as commands of their own; `debug` is the last one.
        loop {
            let told = client.receive()?;
            if told.name != "set" {
                return Err(unexpected("set", &told));
            }
            client.size = told.number("size").map_or(client.size, |size| size as u32);
            client.rank = told.number("rank").map_or(client.rank, |rank| rank as u32);
            if told.get("debug").is_some() {
                break;
            }
        }
        client.init()?;
        Ok(client)
    }

    /// Joins over a connected stream socket.
    ///
    /// # Errors
    /// When the other end does not speak PMI-1 or refuses.
    pub fn connect(stream: OwnedFd, rank: u32, size: u32) -> io::Result<Client> {
        let mut client = Client::over(stream, rank, size);
        client.init()?;
        Ok(client)
    }

    fn over(stream: OwnedFd, rank: u32, size: u32) -> Client {
        let stream = File::from(stream);
        Client { stream, reader: Reader::default(), rank, size, kvsname: String::new() }
    }

    fn init(&mut self) -> io::Result<()> {
        let hello = Command::new("init").with("pmi_version", "1").with("pmi_subversion", "1");
        self.ask(&hello, "response_to_init")?;
        let answer = self.ask(&Command::new("get_my_kvsname"), "my_kvsname")?;
        self.kvsname = required(&answer, "kvsname")?;
        Ok(())
    }

    /// This process's rank in its job.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The number of processes of the job.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The name of the job's key-value space.
    pub fn kvsname(&self) -> &str {
        &self.kvsname
    }

    /// Publishes a value for the others; they see it after the next [`Client::barrier`].
    ///
    /// # Errors
    /// When the launcher refuses it or is gone.
    pub fn put(&mut self, key: &str, value: &str) -> io::Result<()> {
        let space = self.kvsname.clone();
        let question =
            Command::new("put").with("kvsname", space).with("key", key).with("value", value);
        self.ask(&question, "put_result").map(|_| ())
    }

    /// The value somebody put; None when nobody did.
    ///
    /// # Errors
    /// When the launcher is gone or answers out of turn.
    pub fn get(&mut self, key: &str) -> io::Result<Option<String>> {
        let space = self.kvsname.clone();
        self.send(&Command::new("get").with("kvsname", space).with("key", key))?;
        let answer = self.receive()?;
        if answer.name != "get_result" {
            return Err(unexpected("get_result", &answer));
        }
        if answer.number("rc").unwrap_or(0) != 0 {
            return Ok(None);
        }
        required(&answer, "value").map(Some)
    }

    /// Waits for all processes of the job.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn barrier(&mut self) -> io::Result<()> {
        self.ask(&Command::new("barrier_in"), "barrier_out").map(|_| ())
    }

    /// Which program of the command line this process runs (MPI_APPNUM).
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn appnum(&mut self) -> io::Result<i32> {
        let answer = self.ask(&Command::new("get_appnum"), "appnum")?;
        parse("appnum", answer.text("appnum"))
    }

    /// How many processes there could be (MPI_UNIVERSE_SIZE); None when the launcher sets no limit.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn universe_size(&mut self) -> io::Result<Option<u32>> {
        let answer = self.ask(&Command::new("get_universe_size"), "universe_size")?;
        let size: i64 = parse("size", answer.text("size"))?;
        Ok(u32::try_from(size).ok().filter(|&size| size > 0))
    }

    /// Makes `port` known under the name `service`; false when the launcher refuses, because the
    /// name is taken.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn publish(&mut self, service: &str, port: &str) -> io::Result<bool> {
        let question = Command::new("publish_name").with("service", escape(service));
        let answer = self.exchange(&question.with("port", escape(port)), "publish_result")?;
        Ok(is_good(&answer))
    }

    /// The port that is known under the name `service`.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn lookup(&mut self, service: &str) -> io::Result<Option<String>> {
        let question = Command::new("lookup_name").with("service", escape(service));
        let answer = self.exchange(&question, "lookup_result")?;
        Ok(answer.text("port").filter(|_| is_good(&answer)).map(unescape))
    }

    /// Takes the name `service` back; false when the launcher does not know it.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn unpublish(&mut self, service: &str) -> io::Result<bool> {
        let question = Command::new("unpublish_name").with("service", escape(service));
        Ok(is_good(&self.exchange(&question, "unpublish_result")?))
    }

    /// Asks for more processes. Where the first of them is among all of the node, or why there
    /// are none.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn spawn(&mut self, request: &Request) -> io::Result<Result<u32, String>> {
        self.stream.write_all(&request.to_lines())?;
        let answer = self.receive()?;
        if answer.name != "spawn_result" {
            return Err(unexpected("spawn_result", &answer));
        }
        if let Some(first) = answer.number("first").filter(|_| is_good(&answer)) {
            return Ok(u32::try_from(first).map_err(|_| format!("first={first}")));
        }
        let reason = answer.text("message").or_else(|| answer.text("msg"));
        Ok(Err(reason.unwrap_or("the launcher says no more").to_string()))
    }

    /// Says that this process is done with MPI.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn finalize(&mut self) -> io::Result<()> {
        self.ask(&Command::new("finalize"), "finalize_ack").map(|_| ())
    }

    /// Asks the launcher to end the whole job with this exit code. There is no answer.
    ///
    /// # Errors
    /// When the launcher is gone.
    pub fn abort(&mut self, code: i32, message: &str) -> io::Result<()> {
        let command = Command::new("abort").with("exitcode", code.to_string());
        self.send(&command.with("message", message))
    }

    /// Asks, and checks that the answer belongs to the question.
    fn exchange(&mut self, question: &Command, answer_name: &str) -> io::Result<Command> {
        self.send(question)?;
        let answer = self.receive()?;
        match answer.name == answer_name {
            true => Ok(answer),
            false => Err(unexpected(answer_name, &answer)),
        }
    }

    fn ask(&mut self, question: &Command, answer_name: &str) -> io::Result<Command> {
        let answer = self.exchange(question, answer_name)?;
        if answer.number("rc").unwrap_or(0) != 0 {
            let line = String::from_utf8_lossy(&answer.to_line()).trim_end().to_string();
            let message = format!("the launcher refused {}: {line}", question.name);
            return Err(io::Error::other(message));
        }
        Ok(answer)
    }

    fn send(&mut self, command: &Command) -> io::Result<()> {
        self.stream.write_all(&command.to_line())
    }

    fn receive(&mut self) -> io::Result<Command> {
        let mut bytes = [0u8; 4096];
        loop {
            let command = self.reader.next_command();
            let command =
                command.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            if let Some(command) = command {
                return Ok(command);
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => {
                    let message = "the launcher closed the PMI connection";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                }
                Ok(count) => self.reader.push(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Old launchers answer with `info`, newer ones with `rc`.
fn is_good(answer: &Command) -> bool {
    match answer.number("rc") {
        Some(code) => code == 0,
        None => answer.text("info").is_none_or(|info| info == "ok"),
    }
}

/// A text as one word of a line: bytes that would end it become `%` and two digits.
fn escape(text: &str) -> String {
    let mut word = String::new();
    for c in text.chars() {
        match c {
            '%' | '=' | ' ' => word.push_str(&format!("%{:02x}", c as u32)),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes);
                bytes[..c.len_utf8()].iter().for_each(|b| word.push_str(&format!("%{b:02x}")));
            }
            c => word.push(c),
        }
    }
    word
}

fn unescape(word: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn required(answer: &Command, key: &str) -> io::Result<String> {
    match answer.text(key) {
        Some(value) => Ok(value.to_string()),
        None => Err(unexpected(key, answer)),
    }
}

fn parse<T: std::str::FromStr>(name: &str, text: Option<&str>) -> io::Result<T> {
    text.and_then(|text| text.trim().parse().ok()).ok_or_else(|| {
        let message = format!("{name} is {}, a number was expected", text.unwrap_or("not set"));
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

fn unexpected(wanted: &str, answer: &Command) -> io::Error {
    let line = String::from_utf8_lossy(&answer.to_line()).trim_end().to_string();
    let message = format!("the launcher answered \"{line}\" where {wanted} was expected");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::{Action, ClientState, Job, Server};
    use std::net::TcpListener;
    use std::os::unix::net::UnixStream;

    /// Serves all clients on one thread until they hang up; returns the server and the aborts.
    fn serve(mut streams: Vec<UnixStream>) -> (Server, Vec<Action>) {
        let appnums = vec![3; streams.len()];
        let mut server = Server::new(Job { appnums, universe_size: None, kvsname: "k".into() });
        let mut aborts = Vec::new();
        let mut open = vec![true; streams.len()];
        while open.iter().any(|&open| open) {
            for rank in 0..streams.len() {
                let mut bytes = [0u8; 512];
                streams[rank].set_nonblocking(true).unwrap();
                let count = match streams[rank].read(&mut bytes) {
                    Ok(count) => count,
                    Err(_) => continue,
                };
                open[rank] &= count > 0;
                for action in server.feed(rank, &bytes[..count]).unwrap() {
                    match action {
                        Action::Reply { rank, bytes } => streams[rank].write_all(&bytes).unwrap(),
                        abort => aborts.push(abort),
                    }
                }
            }
            std::thread::yield_now();
        }
        (server, aborts)
    }

    fn work(rank: u32, stream: UnixStream) {
        let mut client = Client::connect(OwnedFd::from(stream), rank, 4).unwrap();
        assert_eq!((client.rank(), client.size(), client.kvsname()), (rank, 4, "k"));
        assert_eq!(client.appnum().unwrap(), 3);
        assert_eq!(client.universe_size().unwrap(), None);
        client.put(&format!("card-{rank}"), &format!("value {rank} = x")).unwrap();
        client.barrier().unwrap();
        for other in 0..4 {
            let value = client.get(&format!("card-{other}")).unwrap();
            assert_eq!(value.as_deref(), Some(&*format!("value {other} = x")));
        }
        assert_eq!(client.get("nobody").unwrap(), None);
        let (service, port) = (format!("a = %{rank}\n\u{e4}"), format!("100% port={rank}"));
        assert_eq!(client.lookup(&service).unwrap(), None);
        assert!(client.publish(&service, &port).unwrap());
        assert!(!client.publish(&service, &port).unwrap());
        assert_eq!(client.lookup(&service).unwrap(), Some(port));
        assert!(client.unpublish(&service).unwrap());
        assert!(!client.unpublish(&service).unwrap());
        if rank == 2 {
            client.abort(9, "why not").unwrap();
        } else {
            client.finalize().unwrap();
        }
    }

    #[test]
    fn four_clients_exchange_their_cards() {
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..4).map(|_| UnixStream::pair().unwrap()).unzip();
        let workers: Vec<_> = (0u32..)
            .zip(theirs)
            .map(|(rank, stream)| std::thread::spawn(move || work(rank, stream)))
            .collect();
        let (server, aborts) = serve(ours);
        for worker in workers {
            worker.join().unwrap();
        }
        let message = Some("why not".to_string());
        assert_eq!(aborts, [Action::Abort { rank: 2, code: 9, message }]);
        assert_eq!(server.state(1), ClientState::Finalized);
        assert_eq!(server.state(2), ClientState::Running);
    }

    #[test]
    fn a_port_tells_rank_and_size() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let launcher = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let answers: [&[u8]; 3] = [
                b"cmd=initack rc=0\ncmd=set size=5\ncmd=set rank=2\ncmd=set debug=0\n",
                b"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n",
                b"cmd=my_kvsname kvsname=far\n",
            ];
            for answer in answers {
                let mut bytes = [0u8; 256];
                assert!(stream.read(&mut bytes).unwrap() > 0);
                stream.write_all(answer).unwrap();
            }
        });
        let client = Client::from_port(&address, Some("2".into())).unwrap();
        launcher.join().unwrap();
        assert_eq!((client.rank(), client.size(), client.kvsname()), (2, 5, "far"));
    }

    #[test]
    fn a_launcher_that_dies_or_babbles_is_an_error() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        let error = Client::connect(OwnedFd::from(theirs), 0, 1).unwrap_err();
        assert!(!error.to_string().is_empty());
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(b"cmd=something else=1\n").unwrap();
        let error = Client::connect(OwnedFd::from(theirs), 0, 1).unwrap_err();
        assert!(error.to_string().contains("something"), "{error}");
        let error = Client::from_descriptor("99999", Some("0".into()), Some("1".into()));
        assert!(error.unwrap_err().to_string().contains("PMI_FD=99999"));
        let error = Client::from_descriptor("0", None, Some("1".into())).unwrap_err();
        assert!(error.to_string().contains("PMI_RANK is not set"), "{error}");
    }
}
