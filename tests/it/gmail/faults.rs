//! Whatever Google does: the next sync ends in the exact set, asks for no message that is here, stays within the
//! quota, and comes to an end. `MAILKEEP_TEST_GMAIL_SEEDS` sets how often each fault strikes (3 unless told),
//! `MAILKEEP_TEST_SEED` the first seed.

use std::time::{Duration, Instant};

use super::{Machine, count_case, filled, number};
use crate::world::gmail::{Fault, GmailDouble};
use crate::world::random::Random;

/// Syncs while a fault strikes, then without; checks all that must hold.
fn survives(fault: Fault, seed: u64) {
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

    let story = format!("{fault:?}, seed {seed}: {struck:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{story} took {:?}", started.elapsed());
    let was_struck = double.google().faults.struck > 0;
    double.google().faults.end();
    double.google().tokens.revoked = false;
    machine.sign_in();
    let stored = machine.here().len() as u64;
    let given: u64 = double.google().raw_given.values().sum();
    let report = machine.sync(&double);
    let again = double.google().raw_given.values().sum::<u64>() - given;
    machine.assert_same(&double, &story);
    assert_eq!(report.fetched, again, "{story}");
    assert!(report.fetched <= machine.here().len() as u64 + 1 - stored.min(machine.here().len() as u64), "{story}");
    assert_eq!(double.google().quota.refused, 0, "{story}");
    if fault == Fault::Revoked && was_struck {
        assert_eq!(struck.error.as_ref().map(|error| error.code()), Some("sign_in_again"), "{story}");
    }
    count_case();
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
        for seed in first..first + number("MAILKEEP_TEST_GMAIL_SEEDS", 3) {
            survives(*fault, seed);
        }
    }
}

#[test]
fn refusals_are_waited_out() {
    all_seeds(&Fault::ALL[..10]);
}

#[test]
fn answers_that_lie_or_break_off_are_asked_for_again() {
    all_seeds(&Fault::ALL[10..]);
}
