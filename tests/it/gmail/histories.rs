//! A mailbox that lives while it is read: after any history, and one more sync, what is here is what Gmail has.
//! `MAILKEEP_TEST_HISTORIES` sets how many lives (8 unless told), `MAILKEEP_TEST_SEED` the first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Machine, filled, note, number};
use crate::world::gmail::{Fault, Mutator};
use crate::world::random::Random;

fn live(seed: u64) {
    let mut random = Random::new(seed * 77 + 5);
    let double = filled(random.below(25));
    let machine = Machine::new();
    for round in 0..3 {
        let stop = Arc::new(AtomicBool::new(false));
        let (google, stopped) = (double.share(), Arc::clone(&stop));
        let mut mutator = Mutator::new(seed * 10 + round + 1);
        let user = thread::spawn(move || {
            for _ in 0..40 {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                mutator.act(&mut google.lock().unwrap_or_else(PoisonError::into_inner).mailbox);
                thread::sleep(Duration::from_millis(2));
            }
        });
        if random.below(4) == 0 {
            double.google().mailbox.forget_history();
        }
        let fault = Fault::ALL[random.below(Fault::ALL.len())];
        if fault != Fault::Revoked {
            double.google().faults.plan_by(fault, &mut random);
        }
        machine.try_sync(&double);
        stop.store(true, Ordering::Relaxed);
        user.join().unwrap();
        double.google().faults.end();
    }

    machine.sync(&double);

    machine.assert_same(&double, &format!("seed {seed}"));
    let google = double.google();
    assert_eq!(google.quota.refused, 0, "seed {seed}: {:?}", google.quota);
    drop(google);
    machine.world.assert_sound();
}

#[test]
fn after_any_history_what_is_here_is_what_gmail_has() {
    let first = number("MAILKEEP_TEST_SEED", 1);
    let started = Instant::now();
    let lives = number("MAILKEEP_TEST_HISTORIES", 8);
    (first..first + lives).for_each(live);
    note(&json!({"histories": lives, "seconds": started.elapsed().as_secs_f64()}));
}
