//! What is changed here is changed on the server, once, in order, and with a word when it cannot be.

use mailkeep::model::{Flags, MailboxRole};
use mailkeep::store::{ChangeAction, Store};

use super::{assert_same, message};
use crate::world::World;
use crate::world::dovecot::Dovecot;

/// Changes a message here, by its subject, wherever it is.
pub(super) fn change(world: &World, subject: &str, action: &ChangeAction) {
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    let mut batch = store.begin().unwrap();
    let database = world.database();
    let (key, account) = database
        .query_row(
            "SELECT m.id, b.account FROM messages m JOIN placements p ON p.message = m.id
             JOIN mailboxes b ON b.id = p.mailbox WHERE m.subject = ?1",
            [subject],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let (key, account) = (mailkeep::model::MessageKey(key), mailkeep::model::AccountKey(account));
    for place in batch.placed(key, account).unwrap() {
        batch.change(&place, action, 0).unwrap();
    }
    batch.commit().unwrap();
}

pub(super) fn states(world: &World) -> Vec<(String, Option<String>)> {
    let database = world.database();
    let mut statement = database.prepare("SELECT state, reason FROM pending_changes ORDER BY id").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn three_letters(server: &Dovecot) -> World {
    let mut client = server.client("ada");
    for name in ["One", "Two", "Three"] {
        client.append("INBOX", "", &message(name));
    }
    let world = World::with_account(server.port, "ada");
    world.sync();
    world
}

#[test]
fn flags_labels_and_moves_reach_the_server() {
    let Some(server) = Dovecot::start("flags_labels_and_moves_reach") else { return };
    let world = three_letters(&server);
    change(&world, "One", &ChangeAction::SetFlag(Flags::SEEN));
    change(&world, "One", &ChangeAction::AddLabel("work".to_owned()));
    change(&world, "One", &ChangeAction::RemoveLabel("work".to_owned()));
    change(&world, "One", &ChangeAction::AddLabel("urgent".to_owned()));
    change(&world, "Two", &ChangeAction::SetFlag(Flags::FLAGGED));
    change(&world, "Three", &ChangeAction::Move(MailboxRole::Trash));

    let report = world.sync();

    assert_eq!(report["pushed"], 6, "{report}");
    assert_eq!((report["fetched"].as_u64(), report["placed"].as_u64()), (Some(0), Some(1)), "{report}");
    assert!(states(&world).iter().all(|(state, _)| state == "pushed"));
    assert_same(&world, &server, "ada");
    assert_eq!(world.found("in:Trash"), ["Three"]);
    assert_eq!((world.found("label:urgent is:read"), world.count("label:work")), (vec!["One".to_owned()], 0));
    assert_eq!(world.sync()["pushed"], 0);
    world.assert_sound();
}

#[test]
fn a_change_that_cannot_be_made_is_told_and_undone_here() {
    let Some(server) = Dovecot::start("a_change_that_cannot_be_made") else { return };
    let world = three_letters(&server);
    change(&world, "One", &ChangeAction::AddLabel("two words".to_owned()));
    change(&world, "Two", &ChangeAction::SetFlag(Flags::FLAGGED));
    change(&world, "Three", &ChangeAction::Move(MailboxRole::Spam));
    let mut client = server.client("ada");
    client.run("SELECT INBOX");
    client.run("UID STORE 2 +FLAGS (\\Deleted)");
    client.run("EXPUNGE");

    let report = world.sync();

    let states = states(&world);
    let reason = |place: usize| states[place].1.clone().unwrap_or_default();
    assert!(reason(0).contains("two words"), "{states:?}");
    assert_eq!(crate::world::list(&report["problems"]).len(), 3, "{report}");
    assert_same(&world, &server, "ada");
    assert_eq!(world.count("label:\"two words\""), 0);
    world.assert_sound();
}

#[test]
fn a_push_that_dies_anywhere_is_completed_once() {
    let Some(server) = Dovecot::start("a_push_that_dies") else { return };
    for point in 1..12 {
        let user = format!("u{point}");
        let mut client = server.client(&user);
        for name in ["One", "Two", "Three"] {
            client.append("INBOX", "", &message(name));
        }
        let world = World::with_account(server.port, &user);
        world.sync();
        change(&world, "One", &ChangeAction::SetFlag(Flags::SEEN));
        change(&world, "Two", &ChangeAction::Move(MailboxRole::Trash));
        let mut command = world.sync_command(&[]);
        let died =
            !command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap().status.success();

        world.sync();

        assert_same(&world, &server, &user);
        assert_eq!((world.found("in:Trash"), world.count("")), (vec!["Two".to_owned()], 3), "point {point}");
        world.assert_sound();
        if !died {
            assert!(point > 3, "only {point} points were found to die at");
            return;
        }
    }
}
