//! What Gmail has is here, and what changes there changes here.

use super::{Machine, filled, message};
use crate::world::gmail::GmailDouble;

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
fn nothing_new_costs_next_to_nothing() {
    let double = filled(20);
    let machine = Machine::new();
    machine.sync(&double);
    let before = double.google().quota.total;

    let report = machine.sync(&double);

    assert_eq!((report.fetched, report.changed, report.removed), (0, 0, 0));
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

    assert_eq!((report.fetched, report.removed, given(&double)), (1, 1, 25));
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

    assert_eq!((report.fetched, report.removed, given(&double)), (1, 1, 31));
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
