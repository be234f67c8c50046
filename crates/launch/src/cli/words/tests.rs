//! Every option in every spelling, and what mistakes look like.

use super::*;

fn words(line: &str) -> Vec<OsString> {
    split_words(line).unwrap()
}

fn parse(line: &str) -> Vec<RunOptions> {
    match read(&words(line), "mpiexec") {
        Ok(programs) => programs,
        Err(answer) => panic!("{line}: {answer:?}"),
    }
}

fn one(line: &str) -> RunOptions {
    let mut programs = parse(line);
    assert_eq!(programs.len(), 1, "{line}");
    programs.remove(0)
}

fn mistake(line: &str) -> String {
    match read(&words(line), "mpiexec") {
        Err(Answer::Refusal(refusal)) => {
            assert_eq!(refusal.exit_code, 2);
            assert_eq!(refusal.message.lines().count(), 1, "{refusal}");
            refusal.message
        }
        other => panic!("{line}: a mistake was expected, got {other:?}"),
    }
}

/// Each spelling of an option, with its values, and a way to see that it was understood.
type Row = (&'static [&'static str], &'static str, fn(&RunOptions) -> bool);

const ROWS: &[Row] = &[
    (&["n", "np", "c"], "7", |o| o.app.ranks == Some(7)),
    (&["N", "ppn", "perhost", "npernode"], "3", |o| o.job.per_node == Some(3)),
    (&["host", "hosts", "H"], "a:2,b", |o| o.app.hosts == ["a:2,b"]),
    (&["f", "hostfile", "machinefile"], "hf", |o| o.job.hostfile == Some("hf".into())),
    (&["genv"], "A -1", |o| o.job.genv == ["A", "-1"]),
    (&["genv"], "A=b=c", |o| o.job.genv == ["A", "b=c"]),
    (&["genvlist"], "A,B", |o| o.job.genvlist == Some("A,B".into())),
    (&["genvall"], "", |o| o.job.genvall),
    (&["genvnone"], "", |o| o.job.genvnone),
    (&["env"], "A 'x y'", |o| o.app.env == ["A", "x y"]),
    (&["envlist"], "A", |o| o.app.envlist == Some("A".into())),
    (&["envall"], "", |o| o.app.envall),
    (&["envnone"], "", |o| o.app.envnone),
    (&["x", "export"], "A=v", |o| o.app.export == ["A=v"]),
    (&["wdir", "wd"], "/tmp", |o| o.app.wdir == Some("/tmp".into())),
    (&["bind-to"], "core:2", |o| o.job.bind_to.as_deref() == Some("core:2")),
    (&["map-by"], "ppr:2:socket", |o| o.job.map_by.as_deref() == Some("ppr:2:socket")),
    (&["l", "prepend-rank", "tag-output"], "", |o| o.job.prepend_rank),
    (&["outfile-pattern"], "o.%r", |o| o.job.outfile_pattern == Some("o.%r".into())),
    (&["errfile-pattern"], "e.%r", |o| o.job.errfile_pattern == Some("e.%r".into())),
    (&["launcher"], "ssh", |o| o.job.launcher.as_deref() == Some("ssh")),
    (&["iface"], "eth0", |o| o.job.iface.as_deref() == Some("eth0")),
    (&["usize"], "INFINITE", |o| o.job.usize.as_deref() == Some("INFINITE")),
    (&["print-all-exitcodes"], "", |o| o.job.print_all_exitcodes),
    (&["oversubscribe"], "", |o| o.job.oversubscribe),
    (&["allow-run-as-root"], "", |o| o.job.allow_run_as_root),
    (&["timeout"], "5", |o| o.job.timeout.as_deref() == Some("5")),
    (&["grace"], "2.5", |o| o.job.grace.as_deref() == Some("2.5")),
    (&["show-binding", "report-bindings"], "", |o| o.job.show_binding),
    (&["virtual"], "", |o| o.job.virtual_ranks),
    (&["s", "stdin"], "all", |o| o.job.stdin == "all"),
];

#[test]
fn every_option_in_every_spelling() {
    let mut seen = HashSet::new();
    let mut command = RunOptions::augment_args(command("mpiexec"));
    command.build();
    for (spellings, values, understood) in ROWS {
        for name in *spellings {
            let dashes: &[&str] = if name.len() == 1 { &["-"] } else { &["-", "--"] };
            for dash in dashes {
                let line = format!("{dash}{name} {values} ./prog -n 9");
                let options = one(&line);
                assert!(understood(&options), "{line}: {options:?}");
                assert_eq!(options.program, ["./prog", "-n", "9"], "{line}");
                if !values.is_empty() && !values.contains(' ') && name.len() > 1 {
                    let line = format!("{dash}{name}={values} ./prog");
                    assert!(understood(&one(&line)), "{line}");
                }
            }
            let letter = name.chars().next().filter(|_| name.len() == 1);
            let option = command.get_arguments().find(|option| {
                is_long_name(option, name) || letter.is_some() && option.get_short() == letter
            });
            seen.insert(option.unwrap().get_id().to_string());
        }
    }
    let missing: Vec<String> = command
        .get_arguments()
        .map(|option| option.get_id().to_string())
        .filter(|id| !["help", "version", "program", "configfile"].contains(&id.as_str()))
        .filter(|id| !seen.contains(id))
        .collect();
    assert!(missing.is_empty(), "options without a row in this table: {missing:?}");
}

#[test]
fn options_end_at_the_program() {
    let options = one("-n 2 prog -n 3 --host x -h --nonsense");
    assert_eq!(options.app.ranks, Some(2));
    assert_eq!(options.program.len(), 7);
    assert_eq!(one("-n 2 -- -odd x").program, ["-odd", "x"]);
    assert_eq!(one("-n4 prog").app.ranks, Some(4));
    assert_eq!(one("-n 2 -n 3 prog").app.ranks, Some(3));
    assert_eq!(one("-x A -x B=1 prog").app.export, ["A", "B=1"]);
}

#[test]
fn several_programs() {
    let programs = parse("-n 1 -env A 1 ./a x : -n 2 -l -wdir /tmp ./b : ./c -n 5");
    assert_eq!(programs.len(), 3);
    assert_eq!(programs[0].program, ["./a", "x"]);
    assert_eq!(programs[0].app.env, ["A", "1"]);
    assert!(programs[0].job.prepend_rank, "an option of the job counts wherever it stands");
    assert_eq!(programs[1].app.ranks, Some(2));
    assert!(programs[1].app.env.is_empty());
    assert_eq!(programs[2].program, ["./c", "-n", "5"]);
    assert_eq!(programs[2].app.ranks, None);
}

#[test]
fn a_configuration_file() {
    let name = std::env::temp_dir().join(format!("starling-config-{}", std::process::id()));
    std::fs::write(&name, "# two programs\n-n 1 ./a 'x y'\n\n-n 2 -l ./b : ./c\n").unwrap();
    let programs = parse(&format!("-configfile {}", name.display()));
    assert_eq!(programs.len(), 3);
    assert_eq!(programs[0].program, ["./a", "x y"]);
    assert!(programs[0].job.prepend_rank);
    std::fs::write(&name, "-configfile x\n").unwrap();
    assert!(mistake(&format!("--configfile={}", name.display())).contains("itself"));
    std::fs::write(&name, "./a 'x\n").unwrap();
    assert!(mistake(&format!("-configfile {}", name.display())).contains("line 1"));
    std::fs::remove_file(&name).unwrap();
    assert!(mistake("-configfile /does/not/exist").contains("/does/not/exist"));
}

#[test]
fn mistakes_are_named_and_corrected() {
    for (line, parts) in [
        ("--hostfiel x prog", &["--hostfiel", "--hostfile"][..]),
        ("-hostfiel x prog", &["-hostfiel", "--hostfile"]),
        ("-bindto core prog", &["-bindto", "--bind-to"]),
        ("-Q prog", &["-Q"]),
        ("-n 0 prog", &["0", "from 1 up"]),
        ("-n -3 prog", &["-3", "from 1 up"]),
        ("-n x prog", &["'x'", "from 1 up"]),
        ("-np 1.5 prog", &["1.5", "from 1 up"]),
        ("-n", &["-n", "needs N"]),
        ("-genv A", &["-genv", "NAME VALUE"]),
        ("-l=1 prog", &["-l", "takes no value"]),
    ] {
        let message = mistake(line);
        for part in parts {
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}

#[test]
fn help_and_version() {
    for line in ["-h", "--help", "-help"] {
        match read(&words(line), "mpiexec") {
            Err(Answer::Text(text)) => {
                assert!(text.contains("--bind-to") && text.contains("mpiexec"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
    for line in ["-V", "--version", "-version"] {
        match read(&words(line), "mpiexec") {
            Err(Answer::Text(text)) => assert!(text.contains("Starling MPI"), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn quoting_in_files() {
    assert_eq!(words(r#"a 'b c' "d \" e" f\ g '' # h"#), ["a", "b c", "d \" e", "f g", ""]);
    assert_eq!(split_words("a 'b"), None);
    assert!(words("  # only a comment").is_empty());
}
