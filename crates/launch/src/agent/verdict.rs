//! The exit code of a job, and the list of all exit codes.
//!
//! Owned by the agent.

use crate::os::process::Ended;
use crate::os::signals;

/// What is known of the result so far.
#[derive(Debug, Default)]
pub struct Verdict {
    /// The code with which the job was ended early.
    ended: Option<i32>,
    /// The code of the first rank that failed by itself.
    failed: Option<i32>,
}

impl Verdict {
    /// The job is ended early; what failed first counts when it is ended without a failure.
    pub fn end(&mut self, code: i32) {
        self.ended.get_or_insert(code);
    }

    /// A rank ended by itself.
    pub fn add(&mut self, ended: Ended) {
        let code = exit_code(ended);
        if code != 0 && self.ended.is_none() {
            self.failed.get_or_insert(code);
        }
    }

    /// The exit code of the job.
    pub fn code(&self) -> i32 {
        self.ended.or(self.failed).unwrap_or(0)
    }
}

/// `exit codes: ranks 0-2: 0; rank 3: 139 (SIGSEGV)`.
pub fn list(endings: impl Iterator<Item = Option<Ended>>) -> String {
    let mut runs: Vec<(usize, usize, Option<Ended>)> = Vec::new();
    for (rank, ended) in endings.enumerate() {
        match runs.last_mut() {
            Some((_, last, same)) if *same == ended => *last = rank,
            _ => runs.push((rank, rank, ended)),
        }
    }
    let shown = runs.into_iter().map(|(first, last, ended)| {
        let ranks = match first == last {
            true => format!("rank {first}"),
            false => format!("ranks {first}-{last}"),
        };
        let code = match ended {
            None => "not started".to_string(),
            Some(Ended::Exited(code)) => code.to_string(),
            Some(Ended::Signaled(signal)) => {
                let name = signals::describe(signal);
                let name = name.split(',').next().unwrap_or_default();
                format!("{} ({name})", 128 + signal)
            }
        };
        format!("{ranks}: {code}")
    });
    format!("exit codes: {}", shown.collect::<Vec<_>>().join("; "))
}

/// As a shell counts: a signal is 128 and its number.
pub fn exit_code(ended: Ended) -> i32 {
    match ended {
        Ended::Exited(code) => code,
        Ended::Signaled(signal) => 128 + signal,
    }
}

/// The part of MPI_Abort's code that a process can exit with; never 0 for another one.
pub fn abort_code(code: i32) -> i32 {
    match (code, code & 0xff) {
        (0, _) => 0,
        (_, 0) => 1,
        (_, low) => low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_counts_unless_the_job_was_ended() {
        let mut verdict = Verdict::default();
        assert_eq!(verdict.code(), 0);
        verdict.add(Ended::Exited(0));
        verdict.add(Ended::Exited(3));
        verdict.add(Ended::Exited(7));
        assert_eq!(verdict.code(), 3);
        verdict.end(130);
        verdict.end(1);
        verdict.add(Ended::Signaled(9));
        assert_eq!(verdict.code(), 130);
    }

    #[test]
    fn codes_of_abort_fit_and_do_not_become_success() {
        assert_eq!([0, 1, 255, 256, 257, -1].map(abort_code), [0, 1, 255, 1, 1, 255]);
    }

    #[test]
    fn equal_codes_share_an_entry() {
        let endings = [Some(Ended::Exited(0)); 3].into_iter();
        let endings = endings.chain([Some(Ended::Signaled(11)), None, Some(Ended::Exited(2))]);
        assert_eq!(
            list(endings),
            "exit codes: ranks 0-2: 0; rank 3: 139 (SIGSEGV); rank 4: not started; rank 5: 2"
        );
    }
}
