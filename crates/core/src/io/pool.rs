//! The worker threads that do non-blocking input and output. A few per process, started when the
//! first job comes, and asleep without one. They see jobs only: owned lists of places in a file
//! and in memory; nothing of MPI.

use super::job::Job;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Threads per process: enough to keep a file system busy, few enough to leave the cores alone.
const THREADS_MAX: usize = 4;

#[derive(Default)]
struct State {
    jobs: VecDeque<Arc<Job>>,
    threads: usize,
    idle: usize,
}

/// Not MPI state: which rank a job belongs to is the job's business.
static STATE: Mutex<State> = Mutex::new(State { jobs: VecDeque::new(), threads: 0, idle: 0 });
static WORK: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    // No code that can panic runs under the lock.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has `job` done by a worker; where no thread can be made, it is done now.
pub(super) fn submit(job: Arc<Job>) {
    let mut state = state();
    let wants_thread = state.jobs.len() >= state.idle && state.threads < THREADS_MAX;
    state.jobs.push_back(job);
    if wants_thread {
        state.threads += 1;
        if !start_thread() {
            state.threads -= 1;
            if state.threads == 0 {
                let job = state.jobs.pop_back();
                drop(state);
                job.into_iter().for_each(|job| job.run());
                return;
            }
        }
    }
    drop(state);
    WORK.notify_one();
}

/// Signals are for the program's own threads: a new thread has those blocked that its maker has.
fn start_thread() -> bool {
    // SAFETY: both sets are locals of the right type; the old mask is put back below.
    let (all, mut before) = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        (all, std::mem::zeroed::<libc::sigset_t>())
    };
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) };
    let started = std::thread::Builder::new().name("starling-io".into()).spawn(work);
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    started.is_ok()
}

fn work() {
    let mut state = state();
    loop {
        match state.jobs.pop_front() {
            Some(job) => {
                drop(state);
                job.run();
                drop(job);
                state = self::state();
            }
            None => {
                state.idle += 1;
                state = WORK.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}
