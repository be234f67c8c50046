//! No process is left, however the job or the launcher ends.

mod launched;

use launched::{launcher, send, Folder, Launched};
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

/// Ranks that write `rank pid parent` into a file and sleep, each with a grandchild that sleeps.
fn sleepers(folder: &Folder, ranks: usize, options: &[&str], first: &str) -> (Launched, Vec<i32>) {
    let file = folder.path("pids");
    let script = format!(
        "{first} sh -c 'trap \"\" HUP; sleep 1000' & echo $$ $PPID >> {}; wait; sleep 1000",
        file.display()
    );
    let ranks_text = ranks.to_string();
    let line = [options, &["-n", &ranks_text, "sh", "-c", &script]].concat();
    let mut launched = Launched::start(&mut launcher(&line));
    let lines = launched.until_lines(&file, ranks);
    let words = lines.iter().flat_map(|line| line.split(' ').collect::<Vec<_>>());
    let pids: Vec<i32> = words.map(|word| word.parse().unwrap()).collect();
    let (ranks, agent) = (pids.iter().step_by(2).copied().collect(), pids[1]);
    launched.until("grandchildren", |l| l.processes().len() >= 3 * lines.len() + 2);
    assert!(launched.processes().contains(&agent));
    (launched, [vec![agent], ranks].concat())
}

#[test]
fn a_launcher_that_is_killed_leaves_nothing() {
    let folder = Folder::new("killed");
    let (mut launched, _) = sleepers(&folder, 3, &[], "");
    launched.signal(libc::SIGKILL);
    launched.until("front is dead", |l| l.child().try_wait().unwrap().is_some());
    launched.until_nothing_is_left();
}

#[test]
fn an_agent_that_is_killed_leaves_nothing() {
    let folder = Folder::new("agent");
    let (launched, pids) = sleepers(&folder, 3, &[], "");
    send(pids[0], libc::SIGKILL);
    let outcome = launched.finish();
    assert_eq!(outcome.code, 128 + libc::SIGKILL);
    assert!(outcome.stderr.contains("agent"), "{}", outcome.stderr);
}

#[test]
fn both_killed_at_once_leave_no_rank() {
    let folder = Folder::new("both");
    let (mut launched, pids) = sleepers(&folder, 2, &[], "");
    launched.signal(libc::SIGSTOP);
    send(pids[0], libc::SIGKILL);
    launched.signal(libc::SIGKILL);
    // Nobody is left to look for grandchildren; ranks die with their parent.
    launched.until("the ranks are dead", |l| {
        let left = l.processes();
        pids.iter().all(|pid| !left.contains(pid))
    });
}

#[test]
fn signals_end_the_job_with_their_code() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let folder = Folder::new(&format!("signal-{signal}"));
        let (mut launched, _) = sleepers(&folder, 2, &[], "");
        launched.signal(signal);
        let outcome = launched.finish();
        assert_eq!(outcome.code, 128 + signal);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("ending 2 ranks"), "{}", outcome.stderr);
    }
}

#[test]
fn ranks_may_clean_up_before_they_are_killed() {
    let folder = Folder::new("cleanup");
    let mark = folder.path("clean");
    let trap = format!("trap 'echo $PMI_RANK >> {}; exit 0' TERM;", mark.display());
    let (mut launched, _) = sleepers(&folder, 2, &[], &trap);
    launched.signal(libc::SIGTERM);
    assert_eq!(launched.finish().code, 128 + libc::SIGTERM);
    assert_eq!(std::fs::read_to_string(&mark).unwrap().lines().count(), 2);
}

#[test]
fn ranks_that_ignore_signals_are_killed() {
    let folder = Folder::new("stubborn");
    let (mut launched, _) = sleepers(&folder, 2, &[], "trap '' TERM INT;");
    let begun = Instant::now();
    launched.signal(libc::SIGINT);
    assert_eq!(launched.finish().code, 128 + libc::SIGINT);
    let passed = begun.elapsed();
    assert!(passed > Duration::from_millis(900), "the grace is a second, not {passed:?}");
}

#[test]
fn a_second_signal_does_not_wait_for_the_grace() {
    let folder = Folder::new("stubborn-twice");
    let (mut launched, pids) = sleepers(&folder, 2, &["--grace", "1000"], "trap '' TERM INT;");
    launched.signal(libc::SIGINT);
    // Signals that wait together are one signal: the second may be sent when the first is seen.
    let mut said = BufReader::new(launched.child().stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("ending 2 ranks"), "{line}");
    let left = launched.processes();
    assert!(pids.iter().all(|pid| left.contains(pid)));
    launched.signal(libc::SIGINT);
    assert_eq!(launched.finish().code, 128 + libc::SIGINT);
}

#[test]
fn a_signal_to_the_whole_group_is_an_ending_too() {
    use std::os::unix::process::CommandExt;
    let folder = Folder::new("group");
    let file = folder.path("pids");
    let script = format!("echo $$ >> {}; sleep 1000", file.display());
    let mut command = launcher(&["-n", "3", "sh", "-c", &script]);
    let mut launched = Launched::start(command.process_group(0));
    launched.until_lines(&file, 3);
    let group = launched.pid();
    send(-group, libc::SIGINT);
    let outcome = launched.finish();
    assert_eq!(outcome.code, 128 + libc::SIGINT);
    assert!(!outcome.stderr.contains("died by signal"), "{}", outcome.stderr);
}

#[test]
fn processes_that_a_job_leaves_behind_are_ended() {
    let script = "setsid sh -c 'trap \"\" TERM; sleep 1000' & exit 0";
    let outcome = launched::run(&["-n", "2", "sh", "-c", script]);
    assert_eq!(outcome.code, 0);
}

#[test]
fn user_signals_reach_the_ranks() {
    let folder = Folder::new("user");
    let (file, mark) = (folder.path("pids"), folder.path("mark"));
    let script = format!(
        "trap 'echo >> {}; exit 7' USR1; echo >> {}; while :; do sleep 0.05; done",
        mark.display(),
        file.display()
    );
    let mut launched = Launched::start(&mut launcher(&["-n", "2", "sh", "-c", &script]));
    launched.until_lines(&file, 2);
    launched.signal(libc::SIGUSR1);
    assert_eq!(launched.finish().code, 7);
    assert_eq!(std::fs::read_to_string(&mark).unwrap().lines().count(), 2);
}

#[test]
fn a_stopped_job_goes_on() {
    let folder = Folder::new("stopped");
    let file = folder.path("pids");
    let script = format!("echo $$ >> {}; sleep 1000", file.display());
    let mut launched = Launched::start(&mut launcher(&["-n", "2", "sh", "-c", &script]));
    let ranks = launched.until_lines(&file, 2);
    let state = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next())
    };
    launched.signal(libc::SIGTSTP);
    launched.until("ranks stop", |_| ranks.iter().all(|pid| state(pid) == Some('T')));
    let front = launched.pid().to_string();
    launched.until("the front stops", |_| state(&front) == Some('T'));
    launched.signal(libc::SIGCONT);
    launched.until("ranks go on", |_| ranks.iter().all(|pid| state(pid) == Some('S')));
    launched.signal(libc::SIGTERM);
    assert_eq!(launched.finish().code, 128 + libc::SIGTERM);
}
