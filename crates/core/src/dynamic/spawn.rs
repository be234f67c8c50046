//! Starting processes (MPI 5.0, section 11.8).
//!
//! The root makes up a context and gives it, with its own number, to the launcher, which keeps
//! both for the new job (a value in its key-value space). The launcher answers with the number of
//! the new job's first process. So both leaders know the other's number and a common context.
//! The new job meets its parents during `MPI_Init`.

use super::{bridge, from_words, to_words, Source};
use crate::coll::Coll;
use crate::comm::{intercomm, Comm};
use crate::error::{Class, Error, Result};
use crate::rank::Rank;
pub use starling_pmi::spawn::Program;
use starling_pmi::spawn::Request;
use std::rc::Rc;

/// Under which key the new job finds its parent: `number:context`.
const PARENT: &str = "starling-parent";

fn failed(text: impl Into<String>) -> Error {
    Error::new(Class::SPAWN, text)
}

/// Asks the launcher. The number of the first new process, and the context to meet it in.
fn start(rank: &Rank, programs: Vec<Program>) -> Result<Vec<u64>> {
    let node = rank.node();
    if let Source::Foreign = node.universe.source {
        let text = "the launcher of this job cannot start processes that join it; start the \
                    program with Starling's mpiexec, or without a launcher";
        return Err(failed(text));
    }
    let context = rank.new_context();
    let parent = format!("{}:{context}", node.me);
    let request = Request { programs, values: vec![(PARENT.into(), parent.into_bytes())] };
    let first = node.universe.ask(Class::SPAWN, |client| client.spawn(&request))?;
    Ok(vec![u64::from(first.map_err(failed)?), context])
}

/// `MPI_Comm_spawn` and `MPI_Comm_spawn_multiple` on an intracommunicator; `programs` counts at
/// the root, where an error in it becomes everybody's.
pub async fn spawn(c: Coll, root: u32, programs: Option<Result<Vec<Program>>>) -> Result<Rc<Comm>> {
    let words = match programs {
        Some(programs) => to_words(programs.and_then(|list| start(c.rank, list))),
        None => Vec::new(),
    };
    let words = intercomm::from_member(&c, root, words).await?;
    let &[first, context] = from_words(&words)? else {
        return Err(Error::new(Class::INTERN, "two numbers were expected of the root"));
    };
    let bridge = match c.me() == root {
        true => Some(bridge(c.rank, context, first as u32)?),
        false => None,
    };
    intercomm::create(c, root, bridge).await
}

/// The communicator with those who started this job; `None` if nobody did. Collective over the
/// world.
pub fn parent(rank: &'static Rank) -> Result<Option<Rc<Comm>>> {
    let node = rank.node();
    let spawned = std::env::var_os("PMI_SPAWNED").is_some_and(|value| value == "1");
    let world = rank.everybody().expect("the rank has its place").clone();
    if !spawned || !matches!(node.universe.source, Source::Launcher) {
        return Ok(None);
    }
    let way = match world.rank {
        0 => {
            let value = node.universe.ask(Class::OTHER, |client| client.get(PARENT))?;
            let numbers = value.as_deref().and_then(|text| text.split_once(':'));
            let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let Some((number, context)) = numbers else {
                let text = "the launcher does not say who started this job";
                return Err(Error::new(Class::OTHER, text));
            };
            Some(bridge(rank, context, number)?)
        }
        _ => None,
    };
    // SAFETY: making a communicator has no buffers.
    let c = unsafe { Coll::new(rank, &world) };
    let made = rank.block_on(intercomm::create(c, 0, way))??;
    *made.name.borrow_mut() = "MPI_COMM_PARENT".to_string();
    Ok(Some(made))
}
