//! What is changed here is changed in Gmail, once, in order, and with a word when it cannot be.

use mailkeep::clock::Clock;
use mailkeep::home::Home;
use mailkeep::labels::{LabelChange, change_labels};

use super::{Machine, message};
use crate::world::ACCOUNT;
use crate::world::gmail::GmailDouble;

fn change(machine: &Machine, subject: &str, add: &[&str], remove: &[&str]) {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let id = machine.world.json(&["search", &format!("subject:\"{subject}\"")])["results"][0]["id"].clone();
    let change = LabelChange {
        account: ACCOUNT.to_owned(),
        message: id.as_str().unwrap().to_owned(),
        add: owned(add),
        remove: owned(remove),
    };
    change_labels(&Home::at(machine.world.home().to_owned()), &Clock::system(), &change).unwrap();
}

fn states(machine: &Machine) -> Vec<(String, Option<String>)> {
    let database = machine.world.database();
    let mut statement = database.prepare("SELECT state, reason FROM pending_changes ORDER BY id").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn labels(double: &GmailDouble, id: u64) -> Vec<String> {
    double.everything()[&id].1.iter().cloned().collect()
}

fn letters(double: &GmailDouble) -> [u64; 3] {
    ["One", "Two", "Three"].map(|name| double.deliver(&message(name), &["INBOX", "UNREAD"]))
}

#[test]
fn labels_flags_and_moves_reach_gmail() {
    let double = super::filled(0);
    let [one, two, three] = letters(&double);
    let machine = Machine::new();
    machine.sync(&double);
    change(&machine, "One", &["STARRED", "work", "Brand new"], &["UNREAD"]);
    change(&machine, "Two", &[], &["INBOX"]);
    change(&machine, "Three", &["TRASH"], &[]);

    let report = machine.sync(&double);

    assert!(states(&machine).iter().all(|(state, _)| state == "pushed"), "{:?}", states(&machine));
    assert_eq!((report.fetched, report.pushed), (0, 6), "{report:?}");
    assert_eq!(labels(&double, one), ["Brand new", "INBOX", "STARRED", "Work"]);
    assert_eq!(labels(&double, two), ["UNREAD"]);
    assert_eq!(labels(&double, three), ["TRASH", "UNREAD"]);
    machine.assert_same(&double, "pushed");
    assert_eq!(machine.sync(&double).pushed, 0);
    machine.assert_same(&double, "again");
    machine.world.assert_sound();
}

#[test]
fn both_sides_may_change_a_message_at_once() {
    let double = super::filled(0);
    let [one, two, _] = letters(&double);
    let machine = Machine::new();
    machine.sync(&double);
    change(&machine, "One", &["STARRED"], &[]);
    change(&machine, "Two", &[], &["UNREAD"]);
    double.google().mailbox.modify(one, &["IMPORTANT".to_owned()], &["INBOX".to_owned()]);
    double.google().mailbox.modify(two, &["STARRED".to_owned()], &["UNREAD".to_owned()]);

    machine.sync(&double);

    assert_eq!(labels(&double, one), ["IMPORTANT", "STARRED", "UNREAD"]);
    assert_eq!(labels(&double, two), ["INBOX", "STARRED"]);
    machine.assert_same(&double, "both");
}

#[test]
fn a_change_that_cannot_be_made_is_told_and_undone_here() {
    let double = super::filled(0);
    let [one, two, _] = letters(&double);
    let machine = Machine::new();
    machine.sync(&double);
    change(&machine, "One", &["Work"], &[]);
    change(&machine, "Two", &["STARRED"], &[]);
    {
        let mut google = double.google();
        let work = google.mailbox.labels.iter().find(|(_, label)| label["name"] == "Work").unwrap().0.clone();
        google.mailbox.delete_label(&work);
        google.mailbox.delete(two);
    }

    let report = machine.sync(&double);

    let states = states(&machine);
    assert_eq!(report.problems.len(), 2, "{report:?}");
    assert!(states[0].1.as_deref().unwrap().contains("label `Work` is no longer"), "{states:?}");
    assert_eq!(labels(&double, one), ["INBOX", "UNREAD"]);
    machine.assert_same(&double, "conflicts");
    machine.world.assert_sound();
}

#[test]
fn many_alike_changes_are_one_call() {
    let double = super::filled(0);
    let ids: Vec<u64> =
        (0..25).map(|number| double.deliver(&message(&format!("Letter{number}x")), &["INBOX"])).collect();
    let machine = Machine::new();
    machine.sync(&double);
    for number in 0..25 {
        change(&machine, &format!("Letter{number}x"), &["STARRED"], &[]);
    }

    let report = machine.sync(&double);

    assert_eq!(report.pushed, 25);
    let calls = double.google().calls.clone();
    assert_eq!((calls.get("messages.batchModify"), calls.get("messages.modify")), (Some(&1), None));
    assert!(ids.iter().all(|id| labels(&double, *id).contains(&"STARRED".to_owned())));
    machine.assert_same(&double, "many");
}

#[test]
fn a_push_that_dies_anywhere_is_completed() {
    for point in 1..12 {
        let double = super::filled(0);
        let [one, two, _] = letters(&double);
        let machine = Machine::new();
        machine.sync(&double);
        change(&machine, "One", &["STARRED", "Fresh"], &[]);
        change(&machine, "Two", &["TRASH"], &[]);
        let mut command = machine.command(&double, 6_000);
        let died =
            !command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap().status.success();

        machine.sync(&double);

        assert_eq!(labels(&double, one), ["Fresh", "INBOX", "STARRED", "UNREAD"], "point {point}");
        assert_eq!(labels(&double, two), ["TRASH", "UNREAD"], "point {point}");
        machine.assert_same(&double, &format!("point {point}"));
        machine.world.assert_sound();
        if !died {
            assert!(point > 2, "only {point} points were found to die at");
            return;
        }
    }
}
