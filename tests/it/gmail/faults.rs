//! Whatever Google does: the next sync ends in the exact set, asks for no message that is here, stays within the
//! quota, and comes to an end. `MAILKEEP_TEST_GMAIL_SEEDS` sets how often each fault strikes (3 unless told),
//! `MAILKEEP_TEST_SEED` the first seed.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Machine, filled, note, number};
use crate::world::fault_proxy::{Fault as WireFault, FaultProxy};
use crate::world::gmail::{Fault, GmailDouble};
use crate::world::random::Random;

/// How it went with one fault.
struct Case {
    /// Whether the fault found its moment.
    was_struck: bool,
    /// How long the sync took that it struck.
    took: Duration,
    /// The most units in any minute.
    highest: u64,
    /// Messages whose bytes were sent more than once, because the first time they did not arrive.
    sent_twice: u64,
}

/// Syncs while a fault strikes, then without; checks all that must hold.
fn survives(fault: Fault, seed: u64) -> Case {
    let mut random = Random::new(seed * 1000 + 7);
    let double = filled(30 + random.below(12));
    let machine = Machine::new();
    if random.below(3) == 0 {
        machine.sync(&double);
        stir(&double, &mut random);
    }
    double.google().faults.plan_by(fault, &mut random);
    let started = Instant::now();

    let struck = machine.try_sync(&double);

    let took = started.elapsed();
    let story = format!("{fault:?}, seed {seed}: {struck:?}");
    assert!(took < Duration::from_secs(20), "{story} took {took:?}");
    let was_struck = double.google().faults.struck > 0;
    double.google().faults.end();
    double.google().tokens.revoked = false;
    machine.sign_in();
    let stored = machine.here();
    let given = double.google().raw_given.clone();
    let report = machine.sync(&double);
    machine.assert_same(&double, &story);
    let asked_again = double.google().raw_given.clone();
    for id in stored.keys() {
        assert_eq!(asked_again.get(id), given.get(id), "{story}: {id:x} was here and was fetched again");
    }
    assert_eq!(report.fetched, asked_again.values().sum::<u64>() - given.values().sum::<u64>(), "{story}");
    assert_eq!(double.google().quota.refused, 0, "{story}");
    if fault == Fault::Revoked && was_struck {
        assert_eq!(struck.error.as_ref().map(|error| error.code()), Some("sign_in_again"), "{story}");
    }
    let google = double.google();
    let sent_twice = google.raw_given.values().map(|count| count - 1).sum();
    Case { was_struck, took, highest: google.quota.highest, sent_twice }
}

/// A few changes, so that there is history to read.
fn stir(double: &GmailDouble, random: &mut Random) {
    let mut mutator = crate::world::gmail::Mutator::new(random.next() % 1000 + 1);
    let mut google = double.google();
    for _ in 0..10 {
        mutator.act(&mut google.mailbox);
    }
}

fn all_seeds(faults: &[Fault]) {
    let first = number("MAILKEEP_TEST_SEED", 1);
    for fault in faults {
        let seeds = first..first + number("MAILKEEP_TEST_GMAIL_SEEDS", 3);
        let cases: Vec<Case> = seeds.map(|seed| survives(*fault, seed)).collect();
        let struck = cases.iter().filter(|case| case.was_struck).count();
        assert!(struck > 0, "{fault:?} never struck");
        note(&json!({
            "fault": format!("{fault:?}"), "cases": cases.len(), "struck": struck,
            "slowest": cases.iter().map(|case| case.took.as_secs_f64()).fold(0.0, f64::max),
            "highest": cases.iter().map(|case| case.highest).max(),
            "sent_twice": cases.iter().map(|case| case.sent_twice).sum::<u64>(),
        }));
    }
}

#[test]
fn refusals_are_waited_out() {
    all_seeds(&Fault::ALL[..6]);
}

#[test]
fn waits_that_are_asked_for_are_kept_to() {
    all_seeds(&Fault::ALL[6..10]);
}

#[test]
fn answers_that_lie_or_contradict_each_other_are_seen_through() {
    all_seeds(&Fault::ALL[11..17]);
}

#[test]
fn answers_that_break_off_are_asked_for_again() {
    all_seeds(&Fault::ALL[17..]);
    all_seeds(&[Fault::Truncated]);
}

#[test]
fn a_wire_that_is_cut_anywhere_loses_nothing_and_repeats_nothing() {
    let offsets = number("MAILKEEP_TEST_OFFSETS", 5);
    let mut random = Random::new(31);
    for place in 0..offsets {
        let down = 1 + random.below(60_000);
        let up = 1 + random.below(5_000);
        for fault in [WireFault::CutDown(down), WireFault::Stall(down), WireFault::CutUp(up)] {
            let double = filled(40);
            let machine = Machine::new();
            let proxy = FaultProxy::start(double.port, fault);
            let broken = machine.sync_at(&double, proxy.port);
            let (stored, given) = (machine.here(), double.google().raw_given.clone());

            machine.sync(&double);

            let story = format!("place {place}, {fault:?}: {broken:?}");
            machine.assert_same(&double, &story);
            let again = double.google().raw_given.clone();
            assert!(stored.keys().all(|id| again.get(id) == given.get(id)), "{story}");
        }
    }
}

#[test]
fn a_permission_that_was_taken_back_is_told_and_not_asked_for_again() {
    let double = filled(10);
    let machine = Machine::new();
    double.google().tokens.revoked = true;

    let first = machine.try_sync(&double);
    let second = machine.try_sync(&double);

    for report in [&first, &second] {
        assert_eq!(report.error.as_ref().map(|error| error.code()), Some("sign_in_again"), "{report:?}");
    }
    assert_eq!(double.google().tokens.asked, 1);
    let problem = machine.world.problem();
    assert_eq!(problem["code"], "sign_in_again", "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("account login"), "{problem}");
}

#[test]
fn a_message_that_never_comes_is_named_and_the_rest_arrives() {
    let double = filled(30);
    let machine = Machine::new();
    let id = *double.google().mailbox.messages.keys().nth(11).unwrap();
    double.google().poisoned.insert(id);

    let report = machine.try_sync(&double);

    assert!(report.error.is_none(), "{report:?}");
    assert_eq!(report.problems.len(), 1, "{report:?}");
    assert!(report.problems[0].contains(&format!("{id:x}")), "{report:?}");
    assert_eq!(machine.here().len(), 29);
    double.google().poisoned.clear();
    assert_eq!(machine.sync(&double).fetched, 1);
    machine.assert_same(&double, "no longer poisoned");
}
