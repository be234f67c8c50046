//! The worlds: what is known of the processes that are started together, each world's
//! MPI_COMM_WORLD. World 0 is the job of the command line; a running job may start more.
//!
//! Owned by `ranks`. The agent numbers processes through all worlds, in the order of their start;
//! a number is never used again.

use crate::environment;
use crate::os::spawn::Strings;
use crate::plan::{App, Job};

/// What is the same for all ranks of a program, ready for exec.
pub struct Prepared {
    /// Its arguments.
    pub arguments: Strings,
    /// The same for a script without a `#!` line.
    pub shell_arguments: Strings,
}

/// See the module's page.
pub struct World {
    /// The programs.
    pub apps: Vec<App>,
    /// The program of each rank.
    pub app_of: Vec<u32>,
    /// Its name, that of its key-value space.
    pub name: String,
    /// The agent's number of rank 0.
    pub first: usize,
    /// Where rank 0 is in the segment; the others follow.
    pub place: u32,
    /// Its number.
    pub number: usize,
    /// It could not be started as a whole: how its processes end does not matter.
    pub abandoned: bool,
    prepared: Vec<Prepared>,
}

impl World {
    /// A world of these programs.
    pub fn new(apps: Vec<App>, app_of: Vec<u32>, name: String) -> World {
        let prepared = apps.iter().map(|app| {
            let shell = [c"/bin/sh".to_owned(), app.file.clone()];
            let rest = app.arguments[1..].iter().cloned();
            Prepared {
                arguments: Strings::new(app.arguments.clone()),
                shell_arguments: Strings::new(shell.into_iter().chain(rest).collect()),
            }
        });
        World {
            prepared: prepared.collect(),
            apps,
            app_of,
            name,
            first: 0,
            place: 0,
            number: 0,
            abandoned: false,
        }
    }

    /// The number of its ranks.
    pub fn size(&self) -> usize {
        self.app_of.len()
    }

    /// Whether the running job has started it.
    pub fn is_spawned(&self) -> bool {
        self.number > 0
    }

    /// The program of a rank, and what is ready of it.
    pub fn app(&self, rank: usize) -> (&App, &Prepared) {
        let app = self.app_of[rank] as usize;
        (&self.apps[app], &self.prepared[app])
    }

    /// The variables of a rank.
    pub fn environment(&self, job: &Job, rank: usize) -> Strings {
        let own = environment::Rank {
            rank,
            size: self.size(),
            first: self.place,
            spawned: self.is_spawned(),
            appnum: self.app_of[rank],
            universe_size: job.universe_size,
            job: &self.name,
            bound: !self.is_spawned() && job.places[rank].is_some(),
        };
        Strings::new(environment::of_rank(&self.app(rank).0.variables, own))
    }

    /// How a rank is called in messages.
    pub fn title(&self, rank: usize) -> String {
        match self.number {
            0 => format!("rank {rank}"),
            number => format!("rank {rank} of started world {number}"),
        }
    }
}
