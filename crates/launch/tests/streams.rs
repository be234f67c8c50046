//! Standard input and the two outputs.

mod launched;

use launched::{launcher, run, run_with_input, Folder, Launched};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

#[test]
fn standard_input_goes_to_rank_0() {
    let script = "echo $PMI_RANK $(cat)";
    let outcome = run_with_input(&["-n", "3", "sh", "-c", script], b"hello\n");
    assert_eq!(outcome.sorted(), ["0 hello", "1", "2"]);
    let outcome = run_with_input(&["-n", "3", "-s", "2", "sh", "-c", script], b"hello\n");
    assert_eq!(outcome.sorted(), ["0", "1", "2 hello"]);
    let outcome = run_with_input(&["-n", "2", "--stdin", "none", "sh", "-c", script], b"hello\n");
    assert_eq!(outcome.sorted(), ["0", "1"]);
}

#[test]
fn standard_input_can_be_copied_to_all() {
    let input: Vec<u8> = (0..700_000u32).map(|i| (i % 253) as u8).collect();
    let line = ["-n", "3", "--stdin", "all", "sh", "-c", "cksum"];
    let outcome = run_with_input(&line, &input);
    let lines = outcome.sorted();
    assert_eq!(lines.len(), 3);
    assert!(lines[0] == lines[1] && lines[1] == lines[2] && lines[0].ends_with("700000"));
    // From a file, and with a rank that does not read to the end.
    let folder = Folder::new("input");
    std::fs::write(folder.path("file"), &input).unwrap();
    let script = "if test $PMI_RANK = 1; then head -c 5 > /dev/null; else wc -c; fi";
    let mut command = launcher(&["-n", "3", "--stdin", "all", "sh", "-c", script]);
    let file = std::fs::File::open(folder.path("file")).unwrap();
    let outcome = Launched::start(command.stdin(file)).finish();
    assert_eq!((outcome.code, outcome.sorted()), (0, vec!["700000", "700000"]));
}

#[test]
fn a_megabyte_through_one_rank_is_unchanged() {
    let input: Vec<u8> = (0..1_000_000u32).map(|i| (i * 31 % 256) as u8).collect();
    for ranks in ["1", "2"] {
        let outcome = run_with_input(&["-n", ranks, "cat"], &input);
        assert!(outcome.stdout == input, "{ranks} ranks");
    }
}

#[test]
fn lines_stay_whole() {
    // Each line is written in two parts, by 16 ranks at once.
    let script = "for i in 0 1 2 3 4 5 6 7 8 9; do printf 'rank %s ' $PMI_RANK; echo line $i; done";
    let outcome = run(&["-n", "16", "sh", "-c", script]);
    let mut next = [0; 16];
    for line in outcome.text().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!((words.len(), words[0], words[2]), (4, "rank", "line"), "{line}");
        let rank: usize = words[1].parse().unwrap();
        assert_eq!(words[3], next[rank].to_string(), "the order of a rank is kept");
        next[rank] += 1;
    }
    assert_eq!(next, [10; 16]);
}

#[test]
fn lines_can_begin_with_their_rank() {
    let script = "printf 'a\\nb'; echo err >&2";
    for flag in ["-l", "-prepend-rank", "--tag-output"] {
        let outcome = run(&["-n", "2", flag, "sh", "-c", script]);
        assert!(outcome.text().contains("[0] a\n") && outcome.text().contains("[1] a\n"));
        assert!(outcome.text().contains("[0] b") && outcome.text().contains("[1] b"));
        let mut errors: Vec<&str> = outcome.stderr.lines().collect();
        errors.sort_unstable();
        assert_eq!(errors, ["[0] err", "[1] err"]);
    }
}

#[test]
fn nothing_is_lost_when_a_rank_dies() {
    let script = "i=0; while test $i -lt 3000; do echo line $i; i=$((i+1)); done; kill -KILL $$";
    let outcome = run(&["-n", "2", "sh", "-c", &format!("test $PMI_RANK = 0 || exit; {script}")]);
    assert_eq!(outcome.code, 128 + libc::SIGKILL);
    assert_eq!(outcome.text().lines().count(), 3000);
}

#[test]
fn a_long_line_passes() {
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; echo";
    let outcome = run(&["-n", "2", "sh", "-c", script]);
    let lengths: Vec<usize> = outcome.text().lines().map(str::len).collect();
    assert_eq!(lengths, [3_000_000; 2]);
}

#[test]
fn a_process_that_a_rank_left_behind_may_finish_its_output() {
    let script = "(sleep 0.2; echo late) & echo early";
    let outcome = run(&["-n", "2", "sh", "-c", script]);
    assert_eq!(outcome.sorted(), ["early", "early", "late", "late"]);
    assert_eq!(outcome.code, 0);
}

#[test]
fn output_goes_to_files() {
    let folder = Folder::new("files");
    let (out, err) = (folder.path("out.%r"), folder.path("all-%h-%%"));
    let line = [
        "-n",
        "3",
        "-outfile-pattern",
        out.to_str().unwrap(),
        "-errfile-pattern",
        err.to_str().unwrap(),
        "sh",
        "-c",
        "echo out $PMI_RANK; echo err >&2",
    ];
    let outcome = run(&line);
    assert_eq!((outcome.text(), outcome.stderr.as_str()), ("", ""));
    for rank in 0..3 {
        let text = std::fs::read_to_string(folder.path(&format!("out.{rank}"))).unwrap();
        assert_eq!(text, format!("out {rank}\n"));
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let shared = folder.path(&format!("all-{}-%", host.trim()));
    assert_eq!(std::fs::read_to_string(shared).unwrap(), "err\nerr\nerr\n");
    let outcome = run(&["-n", "2", "-outfile-pattern", "/no/such/folder/%r", "true"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("/no/such/folder/0"), "{}", outcome.stderr);
}

#[test]
fn a_full_disk_is_named() {
    let outcome =
        run(&["-n", "2", "-outfile-pattern", "/dev/full", "sh", "-c", "echo x; sleep 60"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("/dev/full"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("No space left"), "{}", outcome.stderr);
}

#[test]
fn a_reader_that_leaves_ends_the_job_quietly() {
    for ranks in ["1", "3"] {
        let mut launched = Launched::start(&mut launcher(&["-n", ranks, "yes"]));
        let mut out = BufReader::new(launched.child().stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "y\n");
        drop(out);
        let outcome = launched.finish();
        assert_eq!(outcome.code, 128 + libc::SIGPIPE, "{ranks} ranks");
        assert_eq!(outcome.stderr, "", "{ranks} ranks");
    }
}

#[test]
fn a_slow_reader_loses_nothing_and_holds_the_ranks_back() {
    let mut command = launcher(&["-n", "4", "sh", "-c", "yes $PMI_RANK | head -n 200000"]);
    let mut launched = Launched::start(command.stdout(Stdio::piped()));
    let mut out = launched.child().stdout.take().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let mut bytes = Vec::new();
    out.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len(), 4 * 2 * 200_000);
    assert_eq!(launched.finish().code, 0);
}
