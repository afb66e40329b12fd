//! Ways round the promise that somebody who read the code would try: other servers, namesakes, reused numbers, drafts.

use serde_json::json;

use super::forgets::{assert_no_trace, canary, frames, traces};
use super::{expunge, letter, synced, tool};
use crate::world::dovecot::Dovecot;
use crate::world::mail::{Mail, mboxrd, with_crlf};
use crate::world::{ACCOUNT, World, list, told};

#[test]
fn an_account_that_moves_to_another_mailbox_gets_its_mail_and_keeps_what_was_here() {
    let Some(server) = Dovecot::start("an_account_that_moves") else { return };
    (1..4).for_each(|n| server.client("ada").append("INBOX", "", &letter(&format!("old{n}"))));
    (1..4).for_each(|n| server.client("bob").append("INBOX", "", &letter(&format!("new{n}"))));
    let world = World::with_account(server.port, "ada");
    world.sync();
    // Numbers that mean the same on both sides are the hardest case.
    let validity =
        "UPDATE mailboxes SET uidvalidity = (SELECT uidvalidity FROM mailboxes WHERE name = 'INBOX')";
    world.database().execute(validity, []).unwrap();

    world.add_account(ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "bob"]);
    world.sync();

    assert_eq!(world.count("subject:letter"), 6);
    assert_eq!((world.count("in:inbox"), world.count("is:gone")), (3, 3));
    world.assert_sound();
}

#[test]
fn a_mailbox_that_is_called_like_ours_is_a_mailbox_of_its_own() {
    let Some((server, world)) =
        synced("a_mailbox_that_is_called", &[("gone", 3), ("(gone)", 4), ("INBOX", 1)])
    else {
        return;
    };
    assert_eq!((world.count("letter"), world.count("is:gone")), (8, 0));

    let again = world.sync();
    expunge(&mut server.client("ada"), "INBOX", "1");
    world.sync();

    assert_eq!((&again["fetched"], &again["gone"]), (&json!(0), &json!(0)), "{again}");
    assert_eq!((world.count("letter"), world.count("is:gone")), (8, 1));
    world.assert_sound();
}

#[test]
fn a_number_that_was_a_forgotten_messages_is_never_another_ones() {
    let world = World::new();
    world.import(&world.write("first.mbox", mboxrd(&[canary(0)])));
    let newest = || -> (i64, i64) {
        let select = "SELECT (SELECT max(id) FROM messages), (SELECT max(id) FROM placements)";
        world.database().query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    };
    let before = newest();

    world.json(&["forget", "--yes", "zyqsubject"]);
    world.import(&world.write("second.mbox", mboxrd(&[letter("contract")])));

    let after = newest();
    assert!(after.0 > before.0 && after.1 > before.1, "{before:?} {after:?}");
    world.assert_sound();
}

#[test]
fn a_forget_that_was_cut_off_is_finished_by_the_next_one() {
    let world = World::new();
    let letters: Vec<Vec<u8>> = (0..60).map(|n| letter(&n.to_string())).chain([canary(0)]).collect();
    world.import(&world.write("all.mbox", mboxrd(&letters)));
    let traces = traces(&[canary(0)], &frames(&world, "zyqsubject"));
    let mut killed = world.command(&["forget", "--yes", "zyqsubject"]);
    let killed = killed.env("MAILKEEP_TEST_CRASH_AT", "2").output().unwrap();
    assert!(!killed.status.success() && world.count("zyqsubject") == 0, "{}", told(&killed));

    world.json(&["forget", "--yes", "nothing that is here"]);

    assert_no_trace(&world, &traces);
    assert_eq!(world.count("letter"), 60);
    world.assert_sound();
}

#[test]
fn mail_of_a_forgotten_account_comes_with_another_account_that_has_it() {
    let Some(server) = Dovecot::start("mail_of_a_forgotten_account") else { return };
    server.client("ada").append("INBOX", "", &letter("both"));
    server.client("bob").append("INBOX", "", &letter("both"));
    let world = World::with_account(server.port, "ada");
    world.sync();
    world.json(&["account", "remove", ACCOUNT, "--forget", "--yes"]);
    assert_eq!(world.count("letter"), 0);

    world.add_account(ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "bob"]);
    world.sync();

    assert_eq!(world.count("letter"), 1);
}

#[test]
fn what_was_sent_with_a_drafts_message_id_stays_when_it_leaves_the_server() {
    let Some((server, world)) = synced("what_was_sent_with_a_drafts", &[("INBOX", 1)]) else { return };
    let draft =
        json!({"account": ACCOUNT, "to": ["bob@stone.example"], "subject": "Plan", "body": "First words."});
    tool(&world, "create_draft", &draft);
    world.sync();
    let id: String =
        world.database().query_row("SELECT message_id FROM drafts", [], |row| row.get(0)).unwrap();
    let sent =
        Mail::new("Plan").with("Message-ID", &format!("<{id}>")).body("Words that were changed elsewhere.");
    let mut client = server.client("ada");
    client.append("Sent", "\\Seen", &with_crlf(&sent.bytes()));
    world.sync();

    expunge(&mut client, "Sent", "1");
    world.sync();

    assert_eq!(world.count("\"changed elsewhere\" is:gone"), 1);
    assert_eq!(world.json(&["forget", "--yes", "\"changed elsewhere\""])["forgotten"], 1);
    let left: i64 =
        world.database().query_row("SELECT count(*) FROM draft_revisions", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "what is forgotten is forgotten as a draft, too");
}

#[test]
fn an_account_with_mail_from_files_can_be_removed_and_added_again() {
    let Some((server, world)) = synced("an_account_with_mail_from_files", &[("INBOX", 2)]) else { return };
    world.import(&world.write("file.mbox", mboxrd(&[letter("from a file")])));
    world.json(&["account", "remove", ACCOUNT]);

    world.add_account(ACCOUNT, &format!("127.0.0.1:{}", server.port), &["--user", "ada"]);
    let report = world.sync();

    assert_eq!((&report["fetched"], world.count("letter")), (&json!(0), 3), "{report}");
    world.assert_sound();
}

#[test]
fn what_is_gone_and_put_into_a_mailbox_by_its_owner_is_not_gone() {
    let Some((server, world)) = synced("what_is_gone_and_put_into", &[("Trash", 1), ("INBOX", 1)]) else {
        return;
    };
    expunge(&mut server.client("ada"), "Trash", "1");
    world.sync();
    world.json(&["account", "remove", ACCOUNT]);
    let found = world.json(&["search", "is:gone"]);
    let id = list(&found["results"])[0]["id"].as_str().unwrap().to_owned();

    tool(&world, "manage_labels", &json!({"account": ACCOUNT, "email_id": id, "add_labels": ["INBOX"]}));

    assert_eq!((world.count("is:gone"), world.count("in:inbox")), (0, 2));
    world.assert_sound();
}
