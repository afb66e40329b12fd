//! Labels change here at once, everywhere the account holds the message, and are remembered for the server in order.

use mailkeep::labels::{LabelChange, LabelError, LabelsChanged, change_labels};
use mailkeep::model::{Flags, MailboxRole};
use mailkeep::store::{ChangeAction, PendingChange, Reader, Settled, Store};
use serde_json::Value;

use crate::drafts::{archive, clock, home};
use crate::world::mail::mboxrd;
use crate::world::{ACCOUNT, Mail, World, list};

const ID: &str = "Kitchen@test.example";

/// A message in two mailboxes, one more message, and another account that holds both.
fn world() -> World {
    let world = World::new();
    let kitchen = Mail::new("Kitchen").labelled("Inbox,Unread,Travel").bytes();
    let garden = Mail::new("Garden").labelled("Inbox,Größe").bytes();
    let file = world.write("some.mbox", mboxrd([&kitchen, &garden]));
    world.import(&file);
    let one = world.write("kitchen.mbox", mboxrd([&kitchen]));
    world.json(&["import", one.to_str().unwrap(), "--account", ACCOUNT, "--mailbox", "Lists"]);
    world.import_as(&file, "carl@x.example");
    world
}

fn change(world: &World, add: &[&str], remove: &[&str]) -> Result<LabelsChanged, LabelError> {
    change_of(world, ID, add, remove)
}

fn change_of(
    world: &World,
    message: &str,
    add: &[&str],
    remove: &[&str],
) -> Result<LabelsChanged, LabelError> {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
    let change = LabelChange {
        account: ACCOUNT.to_owned(),
        message: message.to_owned(),
        add: names(add),
        remove: names(remove),
    };
    change_labels(&home(world), &clock(), &change)
}

fn pending(world: &World) -> Vec<PendingChange> {
    let reader = Reader::open(&home(world).store()).unwrap();
    reader.pending_changes(reader.account(ACCOUNT).unwrap().unwrap()).unwrap()
}

fn actions(world: &World) -> Vec<ChangeAction> {
    pending(world).into_iter().map(|change| change.action).collect()
}

/// Mailbox, flags and labels of the account's copies.
fn places(world: &World) -> Vec<(String, Value, Value)> {
    let shown = world.json(&["show", ID]);
    let own = list(&shown["placements"]).iter().filter(|place| place["account"] == ACCOUNT);
    own.map(|place| {
        (place["mailbox"].as_str().unwrap().to_owned(), place["flags"].clone(), place["labels"].clone())
    })
    .collect()
}

fn put_on_server(world: &World) {
    world.database().execute("UPDATE accounts SET kind = 'imap' WHERE address = ?1", [ACCOUNT]).unwrap();
}

#[test]
fn a_label_is_added_everywhere_the_account_holds_the_message_and_nowhere_else() {
    let world = world();

    let changed = change(&world, &["Trips"], &[]).unwrap();

    assert_eq!(
        (changed.added.as_slice(), changed.created.as_slice()),
        (&["Trips".to_owned()][..], &["Trips".to_owned()][..])
    );
    assert!(
        places(&world).iter().all(|(_, _, labels)| list(labels).contains(&"Trips".into())),
        "{:?}",
        places(&world)
    );
    assert_eq!(world.found("label:trips"), ["Kitchen"]);
    assert_eq!(world.found("label:trips account:carl@x.example"), ["Kitchen"]);
    let carls: i64 = world
        .database()
        .query_row(
            "SELECT count(*) FROM label_names l JOIN accounts a ON a.id = l.account
                    WHERE a.address = 'carl@x.example' AND l.name = 'Trips'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(carls, 0);
    assert_eq!(actions(&world), vec![ChangeAction::AddLabel("Trips".to_owned()); 2]);
    world.assert_sound();
}

#[test]
fn case_does_not_matter_and_nothing_happens_twice() {
    let world = world();

    let first = change(&world, &["tRAVEL", "GRÖßE"], &[]).unwrap();
    let again = change(&world, &["Größe", "travel"], &[]).unwrap();
    let away = change(&world, &[], &["größe"]).unwrap();
    let still_away = change(&world, &[], &["GRÖßE"]).unwrap();

    assert_eq!(
        (first.added, first.created.len(), first.unchanged),
        (vec!["Travel".to_owned(), "Größe".to_owned()], 0, vec!["Travel".to_owned()])
    );
    assert_eq!(again.unchanged.len(), 2);
    assert_eq!((away.removed, away.unchanged.len()), (vec!["Größe".to_owned()], 0));
    assert_eq!(still_away.unchanged, ["Größe"]);
    let label = "Größe".to_owned();
    let expected = [ChangeAction::AddLabel(label.clone()), ChangeAction::RemoveLabel(label)];
    assert_eq!(
        actions(&world),
        [[expected[0].clone(), expected[0].clone()], [expected[1].clone(), expected[1].clone()]].concat()
    );
    world.assert_sound();
}

#[test]
fn unread_and_starred_change_flags_and_counts_at_once() {
    let world = world();
    let mut reading = archive(&world);
    let mut found = |query: &str| reading.count(query, Some(ACCOUNT)).unwrap();
    assert_eq!((found("is:unread"), found("is:starred")), (1, 0));

    change(&world, &["starred"], &["UNREAD"]).unwrap();
    assert_eq!((found("is:unread"), found("is:starred")), (1, 1), "carl has not read it");
    assert!(places(&world).iter().all(|(_, flags, _)| *flags == serde_json::json!(["seen", "flagged"])));
    world.assert_sound();

    change(&world, &["UNREAD"], &["STARRED"]).unwrap();
    assert_eq!((found("is:unread"), found("is:starred")), (1, 0));
    world.assert_sound();

    let expected = [
        ChangeAction::SetFlag(Flags::FLAGGED),
        ChangeAction::SetFlag(Flags::SEEN),
        ChangeAction::ClearFlag(Flags::SEEN),
        ChangeAction::ClearFlag(Flags::FLAGGED),
    ];
    let mut once = actions(&world);
    once.dedup();
    assert_eq!(once, expected);
}

#[test]
fn a_change_reaches_a_reader_that_is_open_already() {
    let world = world();
    let mut reading = archive(&world);
    assert_eq!(reading.count("label:trips", None).unwrap(), 0);

    change(&world, &["Trips"], &[]).unwrap();

    assert_eq!(reading.count("label:trips", None).unwrap(), 1);
}

#[test]
fn a_label_that_nobody_knows_cannot_be_removed_and_then_nothing_happens() {
    let world = world();
    let before = places(&world);

    let error = change(&world, &["New"], &["Travle"]).unwrap_err();

    assert_eq!(error.code(), "unknown_label");
    assert_eq!(error.to_string(), "there is no label `Travle`");
    assert!(
        error.hint().starts_with("did you mean `Travel`? the labels are: Größe, Inbox, Travel"),
        "{}",
        error.hint()
    );
    assert_eq!(places(&world), before);
    assert_eq!(actions(&world), []);
    assert_eq!(world.count("label:new"), 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let world = world();
    let code = |result: Result<LabelsChanged, LabelError>| result.unwrap_err().code();

    assert_eq!(code(change(&world, &[], &[])), "no_labels");
    assert_eq!(code(change(&world, &["Work"], &["WORK"])), "contradiction");
    assert_eq!(code(change(&world, &["TRASH", "SPAM"], &[])), "contradiction");
    assert_eq!(code(change(&world, &["a\nb"], &[])), "bad_label");
    assert_eq!(code(change(&world, &["SENT"], &[])), "bad_label");
    assert_eq!(code(change_of(&world, "m000000000000", &["x"], &[])), "unknown_message");
    let nobody = LabelChange {
        account: "eve@x.example".to_owned(),
        message: ID.to_owned(),
        add: vec!["x".to_owned()],
        remove: Vec::new(),
    };
    let error = change_labels(&home(&world), &clock(), &nobody).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().as_str()),
        ("unknown_account", "the accounts are: ada@example.org, carl@x.example")
    );
}

#[test]
fn a_message_of_another_account_is_left_alone() {
    let world = world();
    let file = world.write("carls.eml", Mail::new("Private").bytes());
    world.import_as(&file, "carl@x.example");

    let error = change_of(&world, "Private@test.example", &["Mine"], &[]).unwrap_err();

    assert_eq!((error.code(), error.hint().as_str()), ("not_in_account", "it is held by: carl@x.example"));
    assert_eq!(world.count("label:mine"), 0);
}

#[test]
fn without_a_server_a_message_is_archived_trashed_and_brought_back_here() {
    let world = world();
    let mailboxes = || places(&world).into_iter().map(|(mailbox, ..)| mailbox).collect::<Vec<_>>();

    change(&world, &[], &["INBOX"]).unwrap();
    assert_eq!(mailboxes(), ["Archive", "Lists"]);
    world.assert_sound();

    change(&world, &["TRASH"], &["UNREAD"]).unwrap();
    assert_eq!(mailboxes(), ["Trash"], "two copies became one");
    world.assert_sound();

    let back = change(&world, &["INBOX"], &["TRASH"]).unwrap();
    assert_eq!(mailboxes(), ["INBOX"]);
    assert_eq!((back.waiting.len(), back.unchanged.len()), (0, 0));
    assert_eq!(change(&world, &["INBOX"], &[]).unwrap().unchanged, ["INBOX"]);
    assert_eq!(world.found("in:inbox account:ada@example.org").len(), 2);
    world.assert_sound();
}

#[test]
fn on_a_server_a_move_waits_for_the_next_sync_and_is_remembered_once() {
    let world = world();
    put_on_server(&world);
    let before: Vec<_> = places(&world).into_iter().map(|(mailbox, ..)| mailbox).collect();

    let first = change(&world, &["TRASH"], &["INBOX"]).unwrap();
    let again = change(&world, &["TRASH"], &[]).unwrap();

    let after: Vec<_> = places(&world).into_iter().map(|(mailbox, ..)| mailbox).collect();
    assert_eq!(after, before);
    assert_eq!((first.waiting, again.unchanged), (vec!["TRASH".to_owned()], vec!["TRASH".to_owned()]));
    let moves: Vec<_> =
        pending(&world).into_iter().filter(|c| c.action == ChangeAction::Move(MailboxRole::Trash)).collect();
    assert_eq!(moves.len(), 2, "one for each mailbox that holds it");
    assert!(!actions(&world).contains(&ChangeAction::Move(MailboxRole::Archive)));
    world.assert_sound();
}

#[test]
fn what_the_server_was_told_waits_no_more() {
    let world = world();
    change(&world, &["One", "Two"], &[]).unwrap();
    let waiting = pending(&world);

    let mut store = Store::open_existing(&home(&world).store()).unwrap();
    let batch = store.begin().unwrap();
    batch.settle(waiting[0].number, Settled::Pushed).unwrap();
    batch.settle(waiting[1].number, Settled::Failed("no such keyword")).unwrap();
    batch.commit().unwrap();

    assert_eq!(pending(&world), waiting[2..]);
    world.assert_sound();
}

#[test]
fn a_labelled_message_keeps_its_labels_when_it_is_imported_again() {
    let world = world();
    change(&world, &["Trips"], &["UNREAD"]).unwrap();
    let before = places(&world);

    world.import(&world.path("some.mbox"));

    assert_eq!(places(&world), before);
}

#[test]
fn verify_finds_a_change_for_a_mailbox_of_another_account() {
    let world = world();
    change(&world, &["Trips"], &[]).unwrap();
    let database = world.database();
    database
        .execute(
            "UPDATE pending_changes SET account = (SELECT id FROM accounts WHERE address = 'carl@x.example')",
            [],
        )
        .unwrap();

    let report = world.command(&["--json", "verify"]).output().unwrap();

    assert_eq!(report.status.code(), Some(1));
}
