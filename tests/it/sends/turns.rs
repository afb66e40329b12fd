//! Who sends, when, and when not: one worker at a time, not while it is paused, not beyond the owner's numbers.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use mailkeep::model::ItemState;
use mailkeep::outbox::approval::Proof;
use mailkeep::outbox::propose::Request;
use mailkeep::store::AttemptOutcome;

use crate::sends::Outgoing;
use crate::world::flaky_smtp::FlakySmtp;

#[test]
fn a_pause_holds_everything_back_and_nothing_is_lost() {
    let server = FlakySmtp::good();
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Later");
    outgoing.approvals().pause().unwrap();

    outgoing.send();
    assert_eq!((server.sessions(), outgoing.state(&item)), (0, ItemState::Approved));
    outgoing.change(|tx| tx.set_paused(None));
    outgoing.send();
    assert_eq!((server.sessions(), outgoing.state(&item)), (0, ItemState::Approved));
    outgoing.approvals().resume(&Proof::click()).unwrap();
    outgoing.send();

    assert_eq!((server.taken().len(), outgoing.state(&item)), (1, ItemState::Sent));
}

#[test]
fn a_pause_in_the_middle_of_an_attempt_stops_it_before_the_dot() {
    let server = FlakySmtp::with("slow_reply");
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Stop");

    thread::scope(|scope| {
        scope.spawn(|| outgoing.send());
        while outgoing.attempts(&item).is_empty() {
            thread::sleep(Duration::from_millis(2));
        }
        outgoing.approvals().pause().unwrap();
    });

    assert_eq!(outgoing.state(&item), ItemState::Approved);
    assert_eq!(outgoing.outcomes(&item), [Some(AttemptOutcome::Later)]);
    assert!(server.taken().is_empty());
}

#[test]
fn of_two_workers_one_sends_and_one_that_was_overtaken_goes_no_further() {
    let server = FlakySmtp::with("slow_reply");
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Mine");

    let report = thread::scope(|scope| {
        let first = scope.spawn(|| outgoing.send());
        while outgoing.attempts(&item).is_empty() {
            thread::sleep(Duration::from_millis(2));
        }
        assert!(outgoing.send().is_elsewhere);
        // What another worker does when the lock tells it that the first one is dead.
        outgoing.change(|tx| tx.take_turn(mailkeep::model::Lane::Mail).map(drop));
        first.join().unwrap()
    });

    assert_eq!(report.told[0].state, ItemState::Approved);
    assert!(server.taken().is_empty());
    assert_eq!(outgoing.attempts(&item)[0].dot_ms, None);
}

#[test]
fn being_told_to_stop_before_the_dot_sends_nothing_and_keeps_the_yes() {
    let server = FlakySmtp::with("slow_reply");
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Stop");

    thread::scope(|scope| {
        scope.spawn(|| outgoing.send());
        while outgoing.attempts(&item).is_empty() {
            thread::sleep(Duration::from_millis(2));
        }
        outgoing.stop.store(true, Ordering::Relaxed);
    });

    assert_eq!(outgoing.state(&item), ItemState::Approved);
    assert!(server.taken().is_empty());
}

#[test]
fn being_told_to_stop_after_the_dot_waits_for_the_answer() {
    let server = FlakySmtp::with("dot_hang");
    let outgoing = Outgoing::to(server.port);
    let item = outgoing.approved("Wait");

    thread::scope(|scope| {
        scope.spawn(|| outgoing.send());
        while outgoing.attempts(&item).first().is_none_or(|attempt| attempt.dot_ms.is_none()) {
            thread::sleep(Duration::from_millis(2));
        }
        outgoing.stop.store(true, Ordering::Relaxed);
    });

    assert_eq!(outgoing.state(&item), ItemState::Sent);
}

#[test]
fn being_told_to_stop_after_the_dot_ends_without_an_answer_and_says_that_nobody_knows() {
    let server = FlakySmtp::with("dot_silence");
    let mut outgoing = Outgoing::to(server.port);
    outgoing.grace = Duration::from_millis(200);
    let item = outgoing.approved("No answer");

    thread::scope(|scope| {
        scope.spawn(|| outgoing.send());
        while outgoing.attempts(&item).first().is_none_or(|attempt| attempt.dot_ms.is_none()) {
            thread::sleep(Duration::from_millis(2));
        }
        outgoing.stop.store(true, Ordering::Relaxed);
    });
    outgoing.stop.store(false, Ordering::Relaxed);
    outgoing.send();

    assert_eq!((outgoing.state(&item), server.taken().len()), (ItemState::Unknown, 1));
}

#[test]
fn what_is_too_much_for_an_hour_waits_until_there_is_room() {
    let server = FlakySmtp::good();
    let mut outgoing = Outgoing::to(server.port);
    let items: Vec<_> = (0..5).map(|number| outgoing.approved(&format!("Letter {number}"))).collect();
    outgoing.policy.per_hour = 3;

    outgoing.send();
    assert_eq!(server.taken().len(), 3);
    let waits = outgoing.again(&items[3]);
    assert_eq!(waits.error_code.as_deref(), Some("RATE_LIMIT_EXCEEDED"));
    outgoing.now = "2026-06-15T13:00:05Z".to_owned();
    outgoing.send();

    assert_eq!(server.taken().len(), 5);
}

#[test]
fn a_higher_number_that_nobody_confirmed_lets_no_more_leave() {
    let server = FlakySmtp::good();
    let mut outgoing = Outgoing::to(server.port);
    for number in 0..5 {
        outgoing.approved(&format!("Letter {number}"));
    }
    outgoing.policy.per_hour = 3;
    outgoing.approvals().settle().unwrap();

    outgoing.policy.per_hour = 1_000;
    outgoing.send();

    assert_eq!(server.taken().len(), 3);
}

#[test]
fn a_proposal_that_nobody_decided_about_expires() {
    let mut outgoing = Outgoing::to(9);
    let item = outgoing.proposed(&Outgoing::letter("Forgotten"), &Request::default());

    outgoing.now = "2026-06-18T11:59:59Z".to_owned();
    outgoing.send();
    assert_eq!(outgoing.state(&item), ItemState::PendingApproval);
    outgoing.now = "2026-06-18T12:00:00Z".to_owned();
    outgoing.send();

    assert_eq!(outgoing.state(&item), ItemState::Expired);
    assert_eq!(outgoing.audited(&item), ["proposed", "expired"]);
}

#[test]
fn what_can_still_be_taken_back_waits() {
    let server = FlakySmtp::good();
    let mut outgoing = Outgoing::to(server.port);
    outgoing.policy.undo = 10;
    let item = outgoing.approved("Undo");

    outgoing.send();
    assert_eq!(outgoing.state(&item), ItemState::Approved);
    outgoing.now = "2026-06-15T12:00:10Z".to_owned();
    outgoing.send();

    assert_eq!((outgoing.state(&item), server.taken().len()), (ItemState::Sent, 1));
}

#[test]
fn a_clock_that_jumps_neither_loses_nor_doubles_anything() {
    let server = FlakySmtp::by_session(|number| if number < 3 { "mail_451" } else { "none" });
    let mut outgoing = Outgoing::to(server.port);
    outgoing.now = "2031-01-01T00:00:00Z".to_owned();
    let item = outgoing.approved("From the future");
    outgoing.send();
    assert_eq!(outgoing.state(&item), ItemState::Approved);

    // The clock was wrong by years and is set right: the wait that it set is not waited for.
    outgoing.now = "2026-06-15T12:00:00Z".to_owned();
    outgoing.send();
    assert_eq!((outgoing.state(&item), server.taken().len()), (ItemState::Sent, 1));
    for now in ["2025-01-01T00:00:00Z", "2040-01-01T00:00:00Z"] {
        outgoing.now = now.to_owned();
        outgoing.send();
    }

    assert_eq!(server.taken().len(), 1);
}

#[test]
fn a_limit_that_something_left_under_is_raised_by_the_person_alone() {
    let server = FlakySmtp::good();
    let mut outgoing = Outgoing::to(server.port);
    let items = ["One", "Two", "Three"].map(|subject| outgoing.approved(subject));
    outgoing.policy.per_hour = 1;
    outgoing.send();
    assert_eq!(server.taken().len(), 1);

    // Below what counts where nothing was ever said.
    outgoing.policy.per_hour = 90;
    outgoing.now = "2026-06-15T12:30:00Z".to_owned();
    outgoing.change(|tx| items.iter().try_for_each(|item| tx.put_off(item.draft.key, 0, "", "")));
    outgoing.send();
    assert_eq!(server.taken().len(), 1, "nobody confirmed it");

    outgoing.approvals().confirm(&Proof::click()).unwrap();
    outgoing.change(|tx| items.iter().try_for_each(|item| tx.put_off(item.draft.key, 0, "", "")));
    outgoing.send();
    assert_eq!(server.taken().len(), 3);
}
