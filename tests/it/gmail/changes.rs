//! What Gmail has is here, and what changes there changes here.

use std::sync::Arc;

use mailkeep::model::{AccountSettings, Via};
use mailkeep::source::gmail::Quota;
use mailkeep::store::Store;

use super::{Machine, filled, message};
use crate::world::gmail::GmailDouble;
use crate::world::{ACCOUNT, World};

/// How often the bytes of messages were given.
fn given(double: &GmailDouble) -> u64 {
    double.google().raw_given.values().sum()
}

#[test]
fn everything_is_brought_in_once_with_its_labels() {
    let double = filled(60);
    let machine = Machine::new();

    let report = machine.sync(&double);

    assert_eq!((report.fetched, given(&double)), (60, 60));
    machine.assert_same(&double, "first");
    let google = double.google();
    assert_eq!(google.quota.refused, 0, "{:?}", google.quota);
    assert!(google.requests < 20, "{} requests", google.requests);
    drop(google);
    machine.world.assert_sound();
}

#[test]
fn what_google_allows_in_a_minute_is_used_and_never_exceeded() {
    let double = filled(90);
    double.google().quota.limit = 500;
    let quota = Arc::new(Quota::new(500, super::MINUTE));
    let machine = Machine { quota, ..Machine::new() };

    machine.sync(&double);

    let google = double.google();
    assert_eq!(google.quota.refused, 0, "{:?}", google.quota);
    assert!((400..=500).contains(&google.quota.highest), "{:?}", google.quota);
    assert!(google.quota.total > 1_800, "{:?}", google.quota);
    drop(google);
    machine.assert_same(&double, "a small quota");
}

#[test]
fn nothing_new_costs_next_to_nothing() {
    let double = filled(20);
    let machine = Machine::new();
    machine.sync(&double);
    let before = double.google().quota.total;

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.changed, report.gone.count()), (0, 0, 0));
    assert_eq!(double.google().quota.total - before, 3);
    machine.assert_same(&double, "again");
}

#[test]
fn history_brings_changes_and_only_what_is_new_is_fetched() {
    let double = filled(24);
    let machine = Machine::new();
    machine.sync(&double);
    {
        let mut google = double.google();
        let ids: Vec<u64> = google.mailbox.messages.keys().copied().collect();
        let mailbox = &mut google.mailbox;
        mailbox.add(&message("New"), &["INBOX", "UNREAD"], None);
        mailbox.modify(ids[0], &["STARRED".to_owned()], &["UNREAD".to_owned()]);
        mailbox.modify(ids[1], &[], &["INBOX".to_owned()]);
        mailbox.trash(ids[2]);
        mailbox.delete(ids[3]);
        let label = mailbox.labels.keys().next().unwrap().clone();
        mailbox.rename_label(&label, "Renamed");
        let other = mailbox.labels.keys().last().unwrap().clone();
        mailbox.delete_label(&other);
    }

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.gone.count(), given(&double)), (1, 1, 25));
    machine.assert_same(&double, "after changes");
    assert!(machine.world.count("label:Renamed") > 0);
    machine.world.assert_sound();
}

#[test]
fn a_forgotten_history_is_made_up_for_without_fetching_what_is_here() {
    let double = filled(30);
    let machine = Machine::new();
    machine.sync(&double);
    {
        let mut google = double.google();
        let ids: Vec<u64> = google.mailbox.messages.keys().copied().collect();
        google.mailbox.add(&message("Late"), &["INBOX"], None);
        google.mailbox.modify(ids[4], &["STARRED".to_owned(), "INBOX".to_owned()], &["TRASH".to_owned()]);
        google.mailbox.delete(ids[5]);
        google.mailbox.forget_history();
    }

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.gone.count(), given(&double)), (1, 1, 31));
    machine.assert_same(&double, "history gone");
    machine.world.assert_sound();
}

#[test]
fn two_messages_with_the_same_bytes_keep_their_own_labels() {
    let double = filled(0);
    let twins = [double.deliver(&message("Twin"), &["INBOX"]), double.deliver(&message("Twin"), &["TRASH"])];
    let machine = Machine::new();
    machine.sync(&double);
    machine.assert_same(&double, "twins");
    double.google().mailbox.delete(twins[0]);

    machine.sync(&double);

    machine.assert_same(&double, "one twin");
    assert_eq!(machine.world.count(""), 1);
    machine.world.assert_sound();
}

#[test]
fn two_accounts_whose_messages_have_the_same_numbers_are_two() {
    let (first, second) = (filled(12), GmailDouble::start("bob@example.org", super::MINUTE));
    for number in 0..5 {
        second.deliver(&message(&format!("Bob's {number}")), &["INBOX"]);
    }
    let ada = Machine::new();
    ada.sync(&first);
    let bob = Machine::of(World::with_home(ada.world.home()), "bob@example.org");

    bob.sync(&second);
    ada.sync(&first);

    ada.assert_same(&first, "Ada's");
    bob.assert_same(&second, "Bob's");
    assert_eq!((given(&first), given(&second)), (12, 5));
    ada.world.assert_sound();
}

#[test]
fn an_account_that_was_reached_in_another_way_in_between_fetches_nothing_again() {
    let double = filled(16);
    let machine = Machine::new();
    machine.sync(&double);
    let set = |via: Via| {
        let mut store = Store::open(&machine.world.home().join("mail.db")).unwrap();
        let batch = store.begin().unwrap();
        batch.set_account(ACCOUNT, &AccountSettings { via, ..super::settings(ACCOUNT) }, 0).unwrap();
        batch.commit().unwrap();
    };
    set(Via::Imap);
    set(Via::Gmail);

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.placed, given(&double)), (0, 16, 16), "{report:?}");
    machine.assert_same(&double, "and back");
    machine.world.assert_sound();
}

#[test]
fn tokens_that_last_for_a_few_calls_are_enough() {
    let double = filled(50);
    double.google().tokens_end_every = Some(3);
    let machine = Machine::new();

    machine.sync(&double);
    machine.sync(&double);

    assert!(double.google().tokens.asked > 2);
    machine.assert_same(&double, "short tokens");
}

#[test]
fn a_message_that_is_too_large_is_named_and_asked_for_once() {
    let double = filled(6);
    let giant = double.deliver(
        &crate::world::mail::with_crlf(&[b"Subject: giant\n\n", &b"x".repeat(500_000)[..]].concat()),
        &["INBOX"],
    );
    let machine = Machine::new();

    let first = machine.sync(&double);
    let before = given(&double);
    let second = machine.sync(&double);

    assert_eq!((first.fetched, first.problems.len()), (6, 1), "{first:?}");
    assert!(first.problems[0].contains(&format!("{giant:x}: it is larger")), "{first:?}");
    assert_eq!((second.problems.len(), given(&double)), (0, before), "{second:?}");
    double.google().mailbox.delete(giant);
    machine.sync(&double);
    machine.assert_same(&double, "without the giant");
}

#[test]
fn without_permission_nothing_is_given_up_for_good() {
    let double = filled(12);
    let machine = Machine::new();
    double.google().forbidden = true;

    let refused = machine.try_sync(&double);

    assert_eq!(refused.error.as_ref().map(|error| error.code()), Some("refused"), "{refused:?}");
    double.google().forbidden = false;
    machine.sync(&double);
    machine.assert_same(&double, "permitted");
}
