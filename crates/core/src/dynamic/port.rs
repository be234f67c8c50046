//! Ports: how two groups of one universe meet, and names for them (MPI 5.0, section 11.9).
//!
//! A port is a context of the process that opened it. Its name says which universe, which process
//! and which context; the launcher knows which ports are open, so that connecting to another one
//! is an error and not a wait without end. A connecting root sends its number and a fresh context
//! to the port, where the accepting root receives them: so both have what a bridge needs.

use super::{bridge, from_words, to_words, Universe};
use crate::buffer::Buffer;
use crate::coll::Coll;
use crate::comm::{intercomm, Comm};
use crate::error::{Class, Error, Result};
use crate::p2p::{Destination, Mode};
use crate::rank::Rank;
use crate::status::ANY_SOURCE;
use std::rc::Rc;

/// What the launcher calls a port that is open; users' names begin with something else.
const OPEN: &str = "starling-open-port:";
/// What it calls a name of a user.
const NAMED: &str = "starling-name:";
/// The tag of the message to a port.
const KNOCK: i32 = 0;

/// A port's name, read.
#[derive(Debug, PartialEq, Eq)]
struct Port {
    universe: u64,
    process: u32,
    context: u64,
}

impl Port {
    fn name(&self) -> String {
        format!("starling-port:{:x}:{}:{:x}", self.universe, self.process, self.context)
    }

    fn read(name: &str) -> Result<Port> {
        let parse = || {
            let mut parts = name.strip_prefix("starling-port:")?.split(':');
            let universe = u64::from_str_radix(parts.next()?, 16).ok()?;
            let process = parts.next()?.parse().ok()?;
            let context = u64::from_str_radix(parts.next()?, 16).ok()?;
            parts.next().is_none().then_some(Port { universe, process, context })
        };
        parse().ok_or_else(|| bad_port(name, "it is not a name that MPI_Open_port returned"))
    }
}

fn bad_port(name: &str, why: &str) -> Error {
    Error::new(Class::PORT, format!("the port \"{name}\" cannot be used: {why}"))
}

/// `MPI_Open_port`: the new port's name.
pub fn open_port(rank: &Rank) -> Result<String> {
    let (node, context) = (rank.node(), rank.new_context());
    let universe = &node.universe;
    let name = Port { universe: universe.id, process: node.me, context }.name();
    let open = format!("{OPEN}{name}");
    if !universe.ask(Class::OTHER, |client| client.publish(&open, "open"))? {
        return Err(Error::new(Class::OTHER, "the launcher refuses to open a port"));
    }
    universe.ports.borrow_mut().insert(context);
    Ok(name)
}

/// The port of that name, if this process has opened it.
fn own_port(rank: &Rank, name: &str) -> Result<Port> {
    let port = Port::read(name)?;
    let universe = &rank.node().universe;
    let ours = port.universe == universe.id && port.process == rank.node().me;
    match ours && universe.ports.borrow().contains(&port.context) {
        true => Ok(port),
        false => Err(bad_port(name, "this process has not opened it, or has closed it")),
    }
}

/// `MPI_Close_port`.
pub fn close_port(rank: &Rank, name: &str) -> Result<()> {
    let port = own_port(rank, name)?;
    let universe = &rank.node().universe;
    universe.ports.borrow_mut().remove(&port.context);
    rank.p2p.forget(port.context);
    universe.ask(Class::OTHER, |client| client.unpublish(&format!("{OPEN}{name}")))?;
    Ok(())
}

/// `MPI_Comm_accept`; `port` counts at the root.
pub async fn accept(c: Coll, root: u32, port: Option<Result<String>>) -> Result<Rc<Comm>> {
    let mut peer = None;
    let words = match port {
        None => Vec::new(),
        Some(name) => match name.and_then(|name| own_port(c.rank, &name)) {
            Err(error) => to_words(Err(error)),
            Ok(port) => {
                peer = Some(next_at(&c, &port).await?);
                to_words(Ok(Vec::new()))
            }
        },
    };
    let words = intercomm::from_member(&c, root, words).await?;
    from_words(&words)?;
    let way = match peer {
        Some((number, context)) => Some(bridge(c.rank, context, number)?),
        None => None,
    };
    intercomm::create(c, root, way).await
}

/// Waits for somebody at a port: the number and the context.
async fn next_at(c: &Coll, port: &Port) -> Result<(u32, u64)> {
    let mut context = [0u64];
    let buffer = Buffer::contiguous(context.as_mut_ptr().cast(), 8);
    let queue = c.rank.p2p.queue(port.context);
    // SAFETY: `context` outlives the receive, which is awaited here.
    let received = unsafe { c.rank.receive(&queue, ANY_SOURCE, KNOCK, &buffer) }?;
    let status = c.rank.done(received).await?;
    // SAFETY: plain read of what the engine wrote through `buffer`.
    let context = unsafe { context.as_ptr().read_volatile() };
    Ok((status.source as u32, context))
}

/// `MPI_Comm_connect`; `port` counts at the root.
pub async fn connect(c: Coll, root: u32, port: Option<Result<String>>) -> Result<Rc<Comm>> {
    let outcome = port.map(|name| name.and_then(|name| find(c.rank, &name)));
    let (words, mut way) = match outcome {
        None => (Vec::new(), None),
        Some(Err(error)) => (to_words(Err(error)), None),
        Some(Ok(port)) => (to_words(Ok(Vec::new())), Some(port)),
    };
    let words = intercomm::from_member(&c, root, words).await?;
    from_words(&words)?;
    let way = match way.take() {
        Some(port) => {
            let way = bridge(c.rank, c.rank.new_context(), port.process)?;
            knock(&c, &port, way.context).await?;
            Some(way)
        }
        None => None,
    };
    intercomm::create(c, root, way).await
}

/// The port of that name, if it is open and can be reached.
fn find(rank: &Rank, name: &str) -> Result<Port> {
    let port = Port::read(name)?;
    let node = rank.node();
    if port.universe != node.universe.id {
        let why = "it was opened in another job; only processes that one launcher has started, \
                   at once or one by the other, can connect";
        return Err(bad_port(name, why));
    }
    if port.process == node.me {
        return Err(bad_port(name, "this process has opened it itself"));
    }
    let open = format!("{OPEN}{name}");
    match node.universe.ask(Class::PORT, |client| client.lookup(&open))? {
        Some(_) => Ok(port),
        None => Err(bad_port(name, "it has been closed")),
    }
}

/// Tells the port who is there.
async fn knock(c: &Coll, port: &Port, context: u64) -> Result<()> {
    let source = c.rank.node().me as i32;
    let to = Destination { context: port.context, peer: port.process, source, tag: KNOCK };
    let context = [context];
    let buffer = Buffer::contiguous(context.as_ptr().cast_mut().cast(), 8);
    // SAFETY: `context` outlives the send, which is awaited here; it is only read.
    if let Some(send) = unsafe { c.rank.send(to, &buffer, Mode::Standard) }? {
        c.rank.done(send).await?;
    }
    Ok(())
}

fn named(universe: &Universe, name: &str) -> String {
    // Names of different jobs under one launcher never clash with what others publish there.
    match universe.source {
        super::Source::Foreign => name.to_string(),
        _ => format!("{NAMED}{name}"),
    }
}

/// `MPI_Publish_name`.
pub fn publish_name(rank: &Rank, name: &str, port: &str) -> Result<()> {
    let universe = &rank.node().universe;
    let known = named(universe, name);
    match universe.ask(Class::SERVICE, |client| client.publish(&known, port))? {
        true => Ok(()),
        false => {
            let text = format!("the name \"{name}\" is published already; unpublish it first");
            Err(Error::new(Class::SERVICE, text))
        }
    }
}

/// `MPI_Lookup_name`: the port of a published name.
pub fn look_name_up(rank: &Rank, name: &str) -> Result<String> {
    let universe = &rank.node().universe;
    let known = named(universe, name);
    let port = universe.ask(Class::NAME, |client| client.lookup(&known))?;
    port.ok_or_else(|| {
        let text = format!("nobody has published the name \"{name}\" in this job");
        Error::new(Class::NAME, text)
    })
}

/// `MPI_Unpublish_name`.
pub fn unpublish_name(rank: &Rank, name: &str, port: &str) -> Result<()> {
    let universe = &rank.node().universe;
    let known = named(universe, name);
    let not_so = |what: String| Err(Error::new(Class::SERVICE, what));
    match universe.ask(Class::SERVICE, |client| client.lookup(&known))? {
        None => return not_so(format!("the name \"{name}\" is not published")),
        Some(other) if other != port => {
            return not_so(format!("the name \"{name}\" is published for the port \"{other}\""));
        }
        Some(_) => {}
    }
    universe.ask(Class::SERVICE, |client| client.unpublish(&known))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ports_are_read_back() {
        let port = Port { universe: u64::MAX, process: 12, context: 1 << 52 | 8 };
        assert_eq!(Port::read(&port.name()).unwrap(), port);
        for name in ["", "x", "starling-port:", "starling-port:1:2", "starling-port:1:2:3:4"] {
            assert_eq!(Port::read(name).unwrap_err().class(), Class::PORT, "{name}");
        }
    }
}
