//! The real program, ended at any moment, goes on where it was: nothing that was stored is fetched again.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{Machine, filled, message};
use crate::world::gmail::GmailDouble;
use crate::world::random::Random;
use crate::world::{read_json, told};

/// Syncs to the end with the real program; what it says about the account.
fn finish(machine: &Machine, double: &GmailDouble) -> serde_json::Value {
    let output = machine.command(double, 6_000).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    read_json(&output)["accounts"][0].clone()
}

#[test]
fn a_fill_that_is_killed_again_and_again_fetches_nothing_twice_that_was_stored() {
    let double = filled(160);
    double.google().quota.limit = 1_000;
    let machine = Machine::new();
    let mut random = Random::new(99);
    for round in 0..5 {
        let mut child = machine.command(&double, 1_000).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(150 + random.below(500) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        let (stored, given) = (machine.here(), double.google().raw_given.clone());

        if round == 4 {
            double.google().quota.limit = 6_000;
            finish(&machine, &double);
        } else {
            let mut child = machine.command(&double, 1_000).stdout(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(250));
            child.kill().unwrap();
            child.wait().unwrap();
        }

        let again = double.google().raw_given.clone();
        assert!(stored.keys().all(|id| again.get(id) == given.get(id)), "round {round}");
    }
    machine.assert_same(&double, "after kills");
    machine.world.assert_sound();
}

#[test]
fn a_sync_that_dies_around_any_commit_is_completed() {
    for point in 1..30 {
        let double = filled(20);
        let machine = Machine::new();
        let mut command = machine.command(&double, 6_000);
        let output = command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap();
        if output.status.success() {
            assert!(point > 4, "only {point} points were found to die at");
            return;
        }
        let (stored, given) = (machine.here(), double.google().raw_given.clone());

        finish(&machine, &double);

        let again = double.google().raw_given.clone();
        assert!(stored.keys().all(|id| again.get(id) == given.get(id)), "point {point}");
        machine.assert_same(&double, &format!("point {point}"));
        machine.world.assert_sound();
    }
}

#[test]
fn two_processes_do_not_sync_the_same_account_at_once() {
    let double = filled(60);
    let machine = Machine::new();
    // It waits for the next minute until it is told to stop.
    let mut first = machine
        .command(&double, 300)
        .env("MAILKEEP_TEST_MINUTE", "60000")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while double.google().raw_given.is_empty() && started.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(5));
    }

    let output = machine.command(&double, 6_000).output().unwrap();

    let report = read_json(&output)["accounts"][0].clone();
    assert_eq!(report["error"]["code"], "sync_busy", "{report}");
    first.kill().unwrap();
    first.wait().unwrap();
    finish(&machine, &double);
    machine.assert_same(&double, "one of two");
}

#[test]
fn whoever_watches_brings_in_news_as_they_come() {
    let double = filled(5);
    let machine = Machine::new();
    let mut command = machine.command(&double, 6_000);
    let mut child = command.args(["--watch", "--poll", "0.1"]).stdout(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(15);
    let holds = |count: usize| {
        while Instant::now() < until {
            if machine.world.home().join("mail.db").exists() && machine.here().len() == count {
                return true;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    };

    assert!(holds(5));
    double.deliver(&message("While watching"), &["INBOX"]);
    let came = holds(6);

    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(came);
    machine.assert_same(&double, "watched");
}

#[test]
fn ctrl_c_ends_a_wait_for_the_quota_at_once() {
    let double = filled(60);
    let machine = Machine::new();
    let mut command = machine.command(&double, 300);
    let mut child = command.env("MAILKEEP_TEST_MINUTE", "60000").stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while double.google().raw_given.is_empty() && started.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));

    let asked = Instant::now();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();

    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert!(!machine.here().is_empty());
    assert!(machine.world.problem().is_null());
    finish(&machine, &double);
    assert!(double.google().raw_given.values().all(|count| *count == 1));
    machine.assert_same(&double, "after Ctrl-C");
}
