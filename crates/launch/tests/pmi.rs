//! MPI programs, as far as the launcher sees them: processes that speak PMI.
//!
//! The ranks are this test program itself, run with a variable that says what to do.

mod launched;

use launched::{launcher, Launched, Outcome};
use starling_pmi::client::Client;

const PART: &str = "STARLING_TEST_PART";

/// Runs ranks that play a part.
fn play(ranks: u32, part: &str) -> Outcome {
    let program = std::env::current_exe().unwrap();
    let ranks = ranks.to_string();
    let line =
        ["-n", &ranks, program.to_str().unwrap(), "--exact", "the_part_of_a_rank", "--nocapture"];
    Launched::start(launcher(&line).env(PART, part)).finish()
}

#[test]
fn the_part_of_a_rank() {
    let Ok(part) = std::env::var(PART) else { return };
    let rank: u32 = std::env::var("PMI_RANK").unwrap().parse().unwrap();
    let late = || std::thread::sleep(std::time::Duration::from_secs(50));
    if part == "absent" && rank == 1 {
        std::process::exit(0);
    }
    let mut client = Client::from_env().expect("there is a launcher").expect("it answers");
    assert_eq!(client.rank(), rank);
    match (part.as_str(), rank) {
        ("exchange", _) => exchange(&mut client),
        ("abort", 2) => client.abort(17, "I have seen enough").unwrap(),
        ("forget", 1) => std::process::exit(0),
        ("fail", 1) => std::process::exit(9),
        ("late failure", 1) => {
            client.finalize().unwrap();
            std::process::exit(6);
        }
        ("late failure", _) => client.finalize().unwrap(),
        ("absent", _) => client.barrier().unwrap(),
        _ => {
            late();
            client.finalize().unwrap();
        }
    }
}

fn exchange(client: &mut Client) {
    let (rank, size) = (client.rank(), client.size());
    for round in 0..3 {
        client.put(&format!("key-{rank}-{round}"), &format!("card of {rank} in {round}")).unwrap();
        client.barrier().unwrap();
        for other in 0..size {
            let value = client.get(&format!("key-{other}-{round}")).unwrap();
            assert_eq!(value.unwrap(), format!("card of {other} in {round}"));
        }
    }
    let mapping = client.get("PMI_process_mapping").unwrap().unwrap();
    assert_eq!(mapping, format!("(vector,(0,1,{size}))"));
    assert_eq!(client.appnum().unwrap(), 0);
    assert!(client.universe_size().unwrap().unwrap() >= size);
    client.finalize().unwrap();
}

#[test]
fn ranks_exchange_their_cards() {
    let outcome = play(8, "exchange");
    assert_eq!(outcome.code, 0, "{}{}", outcome.text(), outcome.stderr);
    assert!(!outcome.stderr.contains("starling:"), "{}", outcome.stderr);
}

/// The one line that the launcher says.
fn said(outcome: &Outcome) -> &str {
    let mut lines = outcome.stderr.lines().filter(|line| line.starts_with("starling: "));
    let line = lines.next().unwrap_or_else(|| panic!("nothing was said: {}", outcome.stderr));
    assert_eq!(lines.next(), None, "{}", outcome.stderr);
    line
}

#[test]
fn abort_ends_everybody_with_its_code() {
    let outcome = play(4, "abort");
    assert_eq!(outcome.code, 17);
    let line = said(&outcome);
    assert!(line.contains("rank 2") && line.contains("MPI_Abort, code 17: I have seen"), "{line}");
}

#[test]
fn to_exit_without_finalize_is_an_error() {
    let outcome = play(3, "fail");
    assert_eq!(outcome.code, 9);
    let line = said(&outcome);
    assert!(line.contains("rank 1") && line.contains("without calling MPI_Finalize"), "{line}");
    assert_eq!(play(3, "forget").code, 1);
}

#[test]
fn a_code_after_finalize_is_propagated() {
    let outcome = play(3, "late failure");
    assert_eq!(outcome.code, 6);
    assert!(!outcome.stderr.contains("starling:"), "{}", outcome.stderr);
}

#[test]
fn nobody_waits_for_a_rank_that_is_gone() {
    let outcome = play(3, "absent");
    assert_eq!(outcome.code, 1);
    let line = said(&outcome);
    assert!(line.contains("rank 1") && line.contains("before MPI_Init"), "{line}");
}

#[test]
fn rubbish_over_pmi_ends_the_job() {
    let script = "import os; os.write(63, b'hello\\n'); import time; time.sleep(50)";
    if std::process::Command::new("python3").arg("-c").arg("").status().is_err() {
        println!("skipped: there is no python3");
        return;
    }
    let outcome = launched::run(&["-n", "2", "python3", "-c", script]);
    assert_eq!(outcome.code, 1);
    assert!(said(&outcome).contains("not a PMI-1 command: \"hello\""), "{}", outcome.stderr);
}
