//! What ranks find when they start: environment, folder, binding, descriptors; and the other
//! subcommands.

mod launched;

use launched::{launcher, run, Folder, Launched, Outcome};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

#[test]
fn ranks_know_who_they_are() {
    let script = "echo $PMI_RANK $PMI_SIZE $PMI_LOCAL_RANK $MPI_LOCALRANKID $MPI_LOCALNRANKS \
                  $PMI_ID $STARLING_RANK $STARLING_SIZE $STARLING_LOCAL_RANK \
                  $STARLING_LOCAL_SIZE $STARLING_APPNUM";
    let outcome = run(&["-n", "2", "sh", "-c", script, ":", "sh", "-c", script]);
    let expected = ["0 3 0 0 3 0 0 3 0 3 0", "1 3 1 1 3 1 1 3 1 3 0", "2 3 2 2 3 2 2 3 2 3 1"];
    assert_eq!(outcome.sorted(), expected);
    let script = "echo $STARLING_JOB $STARLING_UNIVERSE_SIZE $STARLING_SEGMENT_FD $PMI_FD";
    let outcome = run(&["-n", "2", "-usize", "9", "sh", "-c", script]);
    let lines = outcome.sorted();
    assert_eq!(lines[0], lines[1]);
    assert!(lines[0].starts_with("starling-") && lines[0].ends_with(" 9 62 63"), "{}", lines[0]);
}

#[test]
fn ranks_have_their_descriptors_and_no_others() {
    // No pipeline: its pipes would be seen. The second command keeps the shell from becoming ls.
    let show = "ls -m -w 0 /proc/$$/fd; true";
    // What this test was started with is passed on, as by any program.
    let mut plain = Command::new("sh");
    plain.args(["-c", show]).stdin(Stdio::null()).stdout(Stdio::piped());
    let plain = Launched::start(&mut plain).finish();
    let numbers = |line: &str| -> Vec<u32> {
        let mut numbers: Vec<u32> =
            line.split(',').map(|word| word.trim().parse().unwrap()).collect();
        numbers.sort_unstable();
        numbers.dedup(); // we may have been started with one of these numbers open
        numbers
    };
    let expected = numbers(&format!("{},62,63", plain.text().trim()));
    let outcome = run(&["-n", "3", "sh", "-c", show]);
    assert_eq!((outcome.code, outcome.text().lines().count()), (0, 3), "{}", outcome.stderr);
    for line in outcome.text().lines() {
        assert_eq!(numbers(line), expected);
    }
    let outcome = run(&["-n", "1", "sh", "-c", "readlink /proc/$$/fd/62; readlink /proc/$$/fd/63"]);
    assert!(outcome.text().contains("memfd:") && outcome.text().contains("socket:"));
    // The limit of open files is the one that the launcher was started with.
    let mut command = Command::new("sh");
    let script =
        format!("ulimit -Sn 99; {} run -n 1 sh -c 'ulimit -Sn'", env!("CARGO_BIN_EXE_starling"));
    command.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped());
    assert_eq!(Launched::start(&mut command).finish().text(), "99\n");
}

#[test]
fn variables_are_passed_and_set() {
    let show = "echo $A.$B.$C.$D";
    let start = |line: &[&str]| -> Outcome {
        let arguments = [line, &["/bin/sh", "-c", show]].concat();
        Launched::start(launcher(&arguments).env("A", "1").env("B", "2")).finish()
    };
    assert_eq!(start(&["-n", "1"]).text(), "1.2..\n");
    assert_eq!(start(&["-n", "1", "-genv", "C", "3", "-env", "D", "4"]).text(), "1.2.3.4\n");
    assert_eq!(start(&["-n", "1", "-genvnone", "-x", "B", "-x", "C=x y"]).text(), ".2.x y.\n");
    assert_eq!(start(&["-n", "1", "-genvlist", "A"]).text(), "1...\n");
    assert_eq!(start(&["-n", "1", "-envlist", "B"]).text(), ".2..\n");
    assert_eq!(start(&["-n", "1", "-genvnone", "-envall"]).text(), "1.2..\n");
    // What another launcher told us is not for our ranks; other MPIs' variables are not set.
    let mut command = launcher(&["-n", "1", "env"]);
    let outcome = Launched::start(command.env("PMIX_RANK", "5").env("PMI_PORT", "x:1")).finish();
    for prefix in ["PMIX_", "PMI_PORT", "OMPI_", "MPIR_", "I_MPI_"] {
        let set = outcome.text().lines().any(|line| line.starts_with(prefix));
        assert!(!set, "{prefix}: {}", outcome.text());
    }
    assert!(outcome.text().contains("LD_LIBRARY_PATH="));
}

#[test]
fn several_programs_make_one_job() {
    let folder = Folder::new("several");
    let path = folder.0.to_str().unwrap();
    let a = ["-n", "1", "-wdir", path, "-env", "V", "a", "sh", "-c", "echo $PMI_RANK $V $(pwd)"];
    let b = ["-n", "2", "-env", "V", "b", "sh", "-c", "echo $PMI_RANK $V $PMI_SIZE"];
    let outcome = run(&[&a[..], &[":"], &b[..]].concat());
    let first = format!("0 a {path}");
    assert_eq!(outcome.sorted(), [first.as_str(), "1 b 3", "2 b 3"]);
    let file = folder.path("config");
    std::fs::write(&file, "-n 2 echo one # a comment\n-n 1 sh -c 'echo two words'\n").unwrap();
    let outcome = run(&["-configfile", file.to_str().unwrap()]);
    assert_eq!(outcome.sorted(), ["one", "one", "two words"]);
}

#[test]
fn a_program_may_stand_in_the_ranks_folder() {
    let folder = Folder::new("here");
    symlink("/bin/echo", folder.path("my-echo")).unwrap();
    let path = folder.0.to_str().unwrap();
    for program in ["./my-echo", "my-echo"] {
        assert_eq!(run(&["-n", "1", "-wdir", path, program, "x"]).text(), "x\n");
    }
    assert_eq!(run(&["-n", "1", "-wdir", "/no/such", "true"]).code, 2);
}

#[test]
fn ranks_are_bound_to_disjoint_cpus() {
    let usable = starling_topology::process::allowed_cpus();
    let ranks = usable.len().min(4);
    let show = "grep Cpus_allowed_list /proc/self/status; echo bound $STARLING_BOUND";
    let outcome = run(&["-n", &ranks.to_string(), "sh", "-c", show]);
    let lists = outcome.text().lines().filter_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let sets: Vec<_> = lists.map(|list| starling_topology::CpuSet::parse(list).unwrap()).collect();
    assert_eq!(sets.len(), ranks);
    for (index, set) in sets.iter().enumerate() {
        assert!(!set.is_empty() && set.intersection(&usable) == *set);
        assert!(sets[..index].iter().all(|other| other.intersection(set).is_empty()));
    }
    assert_eq!(outcome.text().matches("bound 1").count(), ranks);
    let outcome = run(&["-n", "1", "--bind-to", "none", "sh", "-c", show]);
    assert_eq!(outcome.text().matches("bound 1").count(), 0);
    assert!(outcome.text().contains(&usable.to_string()), "{}", outcome.text());
    let outcome = run(&["-n", "2", "--show-binding", "true"]);
    assert!(outcome.stderr.contains("socket") && outcome.stderr.contains("2 ranks on"));
    assert_eq!(run(&["-n", "2", "--show-binding"]).code, 0);
}

fn starling(arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starling"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Launched::start(&mut command).finish()
}

#[test]
fn the_other_subcommands() {
    let help = starling(&[]);
    assert_eq!(help.code, 0);
    assert!(help.text().contains("starling run -n 4 ./hello"));
    assert!(starling(&["--version"]).text().contains(env!("CARGO_PKG_VERSION")));
    let info = starling(&["info"]);
    assert_eq!(info.code, 0);
    for part in ["STARLING_", "cross-memory copy", "membarrier", "machine"] {
        assert!(info.text().contains(part), "{part}: {}", info.text());
    }
    assert!(starling(&["info", "--json"]).text().starts_with('{'));
    assert!(starling(&["man"]).text().contains(".TH"));
    let run_help = starling(&["run", "--help"]);
    assert!(run_help.text().contains("--bind-to") && run_help.text().contains("--hosts"));
    let wrong = starling(&["rum"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("run"), "{}", wrong.stderr);
}

#[test]
fn the_name_decides() {
    let folder = Folder::new("names");
    for name in ["mpiexec", "mpirun"] {
        symlink(env!("CARGO_BIN_EXE_starling"), folder.path(name)).unwrap();
        let mut command = Command::new(folder.path(name));
        command.args(["-np", "2", "echo", "x"]).stdin(Stdio::null()).stdout(Stdio::piped());
        assert_eq!(Launched::start(&mut command).finish().text(), "x\nx\n");
        let mut command = Command::new(folder.path(name));
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped());
        assert!(Launched::start(&mut command).finish().text().contains("Starling MPI"));
    }
}
