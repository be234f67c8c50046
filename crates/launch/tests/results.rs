//! What a job's exit code is, and what is said when it fails.

mod launched;

use launched::{launcher, run, Folder, Launched};

#[test]
fn exit_codes_are_propagated() {
    assert_eq!(run(&["-n", "3", "true"]).code, 0);
    assert_eq!(run(&["-n", "3", "false"]).code, 1);
    let only_one = run(&["-n", "3", "sh", "-c", "test $PMI_RANK != 2 || exit 42"]);
    assert_eq!((only_one.code, only_one.stderr.as_str()), (42, ""));
    // A program without MPI that fails does not end the others.
    let folder = Folder::new("codes");
    let mark = folder.path("mark");
    let script = format!("test $PMI_RANK = 0 && exit 3; sleep 0.3; echo >> {}", mark.display());
    assert_eq!(run(&["-n", "3", "sh", "-c", &script]).code, 3);
    assert_eq!(std::fs::read_to_string(&mark).unwrap().len(), 2);
}

#[test]
fn a_rank_that_a_signal_kills_ends_the_job_with_one_line() {
    let script = "test $PMI_RANK = 1 && kill -SEGV $$; sleep 1000";
    let outcome = run(&["-n", "3", "sh", "-c", script]);
    assert_eq!(outcome.code, 128 + libc::SIGSEGV);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    for part in ["starling: rank 1 (host ", "pid ", "sh)", "died by signal 11 (SIGSEGV"] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
}

#[test]
fn all_exit_codes() {
    let script = "exit $((PMI_RANK / 2 * 5))";
    let outcome = run(&["-n", "4", "-print-all-exitcodes", "sh", "-c", script]);
    assert_eq!(outcome.code, 5);
    assert_eq!(outcome.stderr, "starling: exit codes: ranks 0-1: 0; ranks 2-3: 5\n");
}

#[test]
fn programs_that_cannot_run_are_named_before_anything_starts() {
    let folder = Folder::new("programs");
    let mark = folder.path("mark");
    let script = format!("echo >> {}", mark.display());
    for (program, code) in [("/no/such/program", 127), ("no-such-program", 127), ("/tmp", 126)] {
        let outcome = run(&["-n", "2", "sh", "-c", &script, ":", "-n", "1", program]);
        assert_eq!(outcome.code, code, "{program}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(program), "{}", outcome.stderr);
        assert!(!mark.exists(), "a rank was started");
    }
    let script = folder.path("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    make_executable(&script);
    let outcome = run(&["-n", "2", script.to_str().unwrap()]);
    assert_eq!(outcome.code, 127);
    assert!(outcome.stderr.contains("interpreter"), "{}", outcome.stderr);
    // A script without a first line is one for the shell.
    std::fs::write(&script, "echo $0 $1 $PMI_RANK\n").unwrap();
    let outcome = run(&["-n", "1", script.to_str().unwrap(), "x"]);
    assert_eq!(outcome.text(), format!("{} x 0\n", script.display()));
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn mistakes_on_the_command_line_exit_with_2() {
    for line in [
        &["-n", "0", "true"][..],
        &["-n", "-3", "true"],
        &["-n", "x", "true"],
        &["-n", "2"],
        &["-n", "999999", "true"],
        &["--hostfiel", "x", "true"],
        &["-host", "no-such-host", "true"],
        &["--virtual", "true"],
    ] {
        let outcome = run(line);
        assert_eq!(outcome.code, 2, "{line:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{line:?}: {}", outcome.stderr);
        assert!(outcome.stderr.starts_with("starling: "), "{line:?}: {}", outcome.stderr);
    }
    let outcome = run(&["--hostfiel", "x", "true"]);
    assert!(outcome.stderr.contains("--hostfile"), "{}", outcome.stderr);
}

#[test]
fn hundreds_of_ranks_start_and_end() {
    let outcome = run(&["-n", "512", "/bin/true"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let outcome = run(&["-n", "200", "sh", "-c", "echo $PMI_RANK"]);
    let mut numbers: Vec<usize> = outcome.text().lines().map(|l| l.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..200).collect::<Vec<_>>());
}

#[test]
fn a_job_that_takes_too_long_is_ended() {
    let outcome = run(&["-n", "2", "--timeout", "0.3", "sleep", "60"]);
    assert_eq!(outcome.code, 124);
    assert!(outcome.stderr.contains("longer than 0.3 s"), "{}", outcome.stderr);
    let mut command = launcher(&["-n", "1", "sleep", "60"]);
    let outcome = Launched::start(command.env("MPIEXEC_TIMEOUT", "0.3")).finish();
    assert_eq!(outcome.code, 124);
}
