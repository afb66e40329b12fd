//! What is written here stands on the server too: once, at its newest revision, and never over what somebody else made
//! of it.

use mailkeep::drafts::{NewDraft, ReplyTo};
use mailkeep::model::{Draft, dated};
use mailkeep::query::Page;
use mailkeep::store::Store;
use serde_json::json;

use super::{assert_same, message};
use crate::drafts::{archive, drafts, edited, written};
use crate::world::conversation::{ask, call};
use crate::world::dovecot::{Dovecot, Imap};
use crate::world::fault_proxy::{Fault, FaultProxy};
use crate::world::mail::with_crlf;
use crate::world::{ACCOUNT, Mail, World, list};

/// What stands in a mailbox of the server, in its order: flags and bytes.
fn there(client: &mut Imap, mailbox: &str) -> Vec<(String, String)> {
    let uids = client.uids(mailbox);
    let read = |uid| {
        let said = String::from_utf8(client.run(&format!("UID FETCH {uid} (FLAGS BODY.PEEK[])"))).unwrap();
        let (head, rest) = said.split_once("\r\n").unwrap();
        let flags = head.split_once("FLAGS (").unwrap().1.split_once(')').unwrap().0;
        let flags: Vec<_> = flags.split(' ').filter(|flag| *flag != "\\Recent").collect();
        (flags.join(" "), rest.to_owned())
    };
    uids.into_iter().map(read).collect()
}

/// How the copy of a draft fares, as the tools tell it.
fn state(world: &World, draft: &Draft) -> (String, String) {
    let item = archive(world).draft(&draft.id.to_string()).unwrap().unwrap();
    (item.server.unwrap_or_default(), item.problem.unwrap_or_default())
}

fn empty(server: &Dovecot, user: &str) -> World {
    let world = World::with_account(server.port, user);
    world.sync();
    world
}

#[test]
fn drafts_stand_on_the_server_in_order_and_once() {
    let Some(server) = Dovecot::start("drafts_stand_on_the_server") else { return };
    let world = empty(&server, "ada");
    let first = written(&world, "First");
    assert_eq!(state(&world, &first).0, "waiting");
    written(&world, "Second");

    let report = world.sync();

    assert_eq!(report["pushed"], 2, "{report}");
    let there = there(&mut server.client("ada"), "Drafts");
    let raw = String::from_utf8(dated(&drafts(&world).bytes(&first).unwrap(), first.updated)).unwrap();
    assert_eq!(there.len(), 2);
    assert_eq!(there[0].0, "\\Seen \\Draft");
    assert!(there[0].1.starts_with(&raw) && there[1].1.contains("Subject: Second"), "{there:?}");
    assert_eq!(state(&world, &first), ("on_server".to_owned(), String::new()));
    assert_eq!(world.sync()["pushed"], 0);
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn the_copy_that_comes_down_is_no_second_draft() {
    let Some(server) = Dovecot::start("the_copy_that_comes_down") else { return };
    let world = empty(&server, "ada");
    written(&world, "Only once");
    server.client("ada").append("Drafts", "\\Draft", &message("By another program"));
    world.sync();
    assert_eq!(world.count("in:Drafts"), 2);

    let answers = ask(
        &mut world.command(&["mcp"]),
        &[call(1, "list_drafts", &json!({})), call(2, "list_emails", &json!({ "folder": "drafts" }))],
    );

    let items = |id: u64| list(&answers[&id]["result"]["structuredContent"]["items"]).to_vec();
    assert_eq!(items(1).len(), 1, "{:?}", items(1));
    assert_eq!(items(1)[0]["server"], "on_server");
    let subjects: Vec<_> = items(2).iter().map(|item| item["subject"].clone()).collect();
    assert_eq!(subjects, ["Only once", "By another program"]);
}

#[test]
fn an_edit_replaces_the_copy_and_a_deletion_removes_it() {
    let Some(server) = Dovecot::start("an_edit_replaces_the_copy") else { return };
    let world = empty(&server, "ada");
    let mut client = server.client("ada");
    client.append("Drafts", "\\Draft", &message("By another program"));
    client.append("Drafts", "\\Draft \\Deleted", &message("Marked by another program"));
    let draft = written(&world, "Draft");
    world.sync();
    edited(&world, &draft, "Better words.");
    edited(&world, &draft, "The best words.");

    world.sync();

    let all = there(&mut client, "Drafts");
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[2].1.contains("The best words."), "{all:?}");
    assert_same(&world, &server, "ada");
    drafts(&world).delete(&draft.id.to_string()).unwrap();
    world.sync();
    let left = there(&mut client, "Drafts");
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(
        left.iter()
            .all(|(_, text)| text.contains("by another program") || text.contains("By another program"))
    );
    assert_same(&world, &server, "ada");
    world.assert_sound();
}

#[test]
fn a_push_of_drafts_that_dies_anywhere_leaves_each_once() {
    let Some(server) = Dovecot::start("a_push_of_drafts_that_dies") else { return };
    for point in 1..40 {
        let user = format!("u{point}");
        let world = empty(&server, &user);
        let draft = written(&world, "Draft");
        world.sync();
        edited(&world, &draft, "Better words.");
        written(&world, "Other");
        let mut command = world.sync_command(&[]);
        let died =
            !command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap().status.success();

        world.sync();

        let all = there(&mut server.client(&user), "Drafts");
        assert_eq!(all.len(), 2, "point {point}: {all:?}");
        assert_eq!(all.iter().filter(|(_, text)| text.contains("Better words.")).count(), 1, "point {point}");
        assert_eq!(state(&world, &draft).0, "on_server", "point {point}");
        assert_same(&world, &server, &user);
        if !died {
            assert!(point > 6, "only {point} points were found to die at");
            return;
        }
    }
}

#[test]
fn an_answer_that_is_lost_makes_no_second_copy() {
    let Some(server) = Dovecot::start("an_answer_that_is_lost") else { return };
    let mut lost = 0;
    // The server's words before, in and behind the answer to APPEND.
    for limit in (1_000..2_600).step_by(160) {
        let user = format!("u{limit}");
        let world = empty(&server, &user);
        let draft = written(&world, "Draft");
        let proxy = FaultProxy::start(server.port, Fault::CutDown(limit));
        world.database().execute("UPDATE servers SET port = ?1", [proxy.port]).unwrap();
        world.try_sync(&["--tries", "0", "--timeout", "1"]);
        let is_there = !there(&mut server.client(&user), "Drafts").is_empty();
        lost += usize::from(is_there && state(&world, &draft).0 == "waiting");

        world.database().execute("UPDATE servers SET port = ?1", [server.port]).unwrap();
        world.sync();

        assert_eq!(there(&mut server.client(&user), "Drafts").len(), 1, "limit {limit}");
        assert_eq!(state(&world, &draft).0, "on_server", "limit {limit}");
    }
    assert!(lost > 0, "no answer to APPEND was lost");
}

#[test]
fn what_another_program_changed_is_never_overwritten() {
    let Some(server) = Dovecot::start("what_another_program_changed") else { return };
    let world = empty(&server, "ada");
    let mut client = server.client("ada");
    let draft = written(&world, "Draft");
    world.sync();
    let theirs = format!("Message-ID: <{}>\r\nSubject: Draft\r\n\r\nTheir words.\r\n", draft.message_id);
    client.run("SELECT Drafts");
    client.run("UID STORE 1:* +FLAGS (\\Deleted)");
    client.run("EXPUNGE");
    client.append("Drafts", "\\Draft", theirs.as_bytes());
    edited(&world, &draft, "Our words.");

    let report = world.sync();

    assert_eq!(list(&report["problems"]).len(), 1, "{report}");
    let (code, problem) = state(&world, &draft);
    assert_eq!(code, "changed_on_server");
    assert!(problem.contains("another program changed it"), "{problem}");
    let all = there(&mut client, "Drafts");
    assert_eq!(all.len(), 1);
    assert!(all[0].1.contains("Their words."), "{all:?}");
    assert!(drafts(&world).get(&draft.id.to_string()).unwrap().body.contains("Our words."));
    drafts(&world).delete(&draft.id.to_string()).unwrap();
    world.sync();
    assert_eq!(there(&mut client, "Drafts").len(), 1, "what they wrote is theirs");
    assert_same(&world, &server, "ada");
}

#[test]
fn what_another_program_deleted_is_told_and_comes_back_with_the_next_edit() {
    let Some(server) = Dovecot::start("what_another_program_deleted") else { return };
    let world = empty(&server, "ada");
    let mut client = server.client("ada");
    let draft = written(&world, "Draft");
    world.sync();
    client.run("SELECT Drafts");
    client.run("UID STORE 1:* +FLAGS (\\Deleted)");
    client.run("EXPUNGE");

    world.sync();
    world.sync();

    assert_eq!(state(&world, &draft).0, "deleted_on_server");
    assert_eq!(there(&mut client, "Drafts").len(), 0);
    edited(&world, &draft, "Once more.");
    world.sync();
    assert_eq!(state(&world, &draft), ("on_server".to_owned(), String::new()));
    assert_eq!(there(&mut client, "Drafts").len(), 1);
}

#[test]
fn new_uids_in_drafts_are_no_conflict() {
    let Some(server) = Dovecot::start("new_uids_in_drafts") else { return };
    let world = empty(&server, "ada");
    let draft = written(&world, "Draft");
    world.sync();
    server.renumber("ada", "Drafts");
    world.sync();
    edited(&world, &draft, "Better words.");

    world.sync();

    let all = there(&mut server.client("ada"), "Drafts");
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].1.contains("Better words."));
    assert_eq!(state(&world, &draft).0, "on_server");
    assert_same(&world, &server, "ada");
}

/// A server without mailboxes for drafts and sent mail.
fn bare(test: &str, more: &str) -> Option<Dovecot> {
    let without = "namespace inbox {\n  mailbox Drafts {\n    auto = no\n  }\n  mailbox Sent {\n    auto = no\n  }\n}\n";
    Dovecot::with(test, &format!("{without}{more}"))
}

#[test]
fn a_server_without_a_mailbox_for_drafts_gets_one() {
    let Some(server) = bare("a_server_without_a_mailbox_for_drafts", "") else { return };
    let world = empty(&server, "ada");
    let draft = written(&world, "Draft");
    assert!(!server.client("ada").mailboxes().contains(&"Drafts".to_owned()));

    world.sync();

    assert_eq!(there(&mut server.client("ada"), "Drafts").len(), 1);
    assert_eq!(state(&world, &draft).0, "on_server");
    assert_same(&world, &server, "ada");
}

#[test]
fn a_folder_that_is_only_called_drafts_is_left_alone() {
    let Some(server) = Dovecot::start("a_folder_that_is_only_called_drafts") else { return };
    let mut client = server.client("ada");
    client.run("CREATE \"A/Drafts\"");
    let world = empty(&server, "ada");
    written(&world, "Draft");

    world.sync();

    assert_eq!((there(&mut client, "A/Drafts").len(), there(&mut client, "Drafts").len()), (0, 1));
}

#[test]
fn a_server_that_takes_no_drafts_is_told_on_the_draft() {
    let limit = "protocol imap {\n  mail_plugins = quota\n}\nplugin {\n  quota = maildir:User\n  quota_rule = *:storage=1\n}\n";
    let Some(server) = Dovecot::with("a_server_that_takes_no_drafts", limit) else { return };
    let world = empty(&server, "ada");
    let change = NewDraft {
        account: ACCOUNT.to_owned(),
        to: vec!["bob@stone.example".to_owned()],
        subject: "Too large".to_owned(),
        body: "many words ".repeat(1000),
        ..NewDraft::default()
    };
    let draft = drafts(&world).create(&change).unwrap();
    let small = written(&world, "Small");

    let report = world.sync();

    let (code, problem) = state(&world, &draft);
    assert_eq!(code, "refused", "{report}");
    assert!(problem.to_lowercase().contains("quota"), "{problem}");
    assert_eq!(state(&world, &small).0, "on_server");
}

#[test]
fn without_a_server_a_draft_is_nowhere_else() {
    let world = World::new();
    let file = world.write("a.eml", message("Hello"));
    world.import(&file);
    let draft = written(&world, "Draft");

    assert_eq!(state(&world, &draft), (String::new(), String::new()));
    assert_eq!(archive(&world).drafts(None, Page { limit: 5, offset: 0 }).unwrap().total, 1);
}

#[test]
fn what_was_sent_is_kept_in_sent_once_and_in_order() {
    let Some(server) = Dovecot::start("what_was_sent_is_kept") else { return };
    let world = empty(&server, "ada");
    let sent: Vec<_> = ["One", "Two", "Three"].iter().map(|subject| written(&world, subject)).collect();
    world.sync();
    let mut store = Store::open(&world.home().join("mail.db")).unwrap();
    let batch = store.begin().unwrap();
    sent.iter().for_each(|draft| batch.keep_in_sent(draft.key, draft.revision).unwrap());
    batch.commit().unwrap();
    drop(store);
    // The provider had put one of them there by itself.
    let raw = dated(&drafts(&world).bytes(&sent[1]).unwrap(), sent[1].updated);
    server.client("ada").append("Sent", "", &raw);
    world.database().execute("UPDATE drafts SET state = 'sent'", []).unwrap();

    world.sync();
    world.sync();

    let mut client = server.client("ada");
    let kept = there(&mut client, "Sent");
    let subject =
        |text: &str| text.lines().find_map(|line| line.strip_prefix("Subject: ").map(str::to_owned));
    let subjects: Vec<_> = kept.iter().filter_map(|(_, text)| subject(text)).collect();
    assert_eq!(subjects, ["Two", "One", "Three"]);
    assert_eq!(kept[1].0, "\\Seen");
    assert_eq!(there(&mut client, "Drafts").len(), 0, "what was sent is no draft any more");
    assert_same(&world, &server, "ada");
}

#[test]
fn a_draft_moves_with_its_account_to_another_server_and_is_known_on_the_old_one() {
    let Some(server) = Dovecot::start("a_draft_moves_with_its_account") else { return };
    let Some(other) = Dovecot::start("a_draft_moves_with_its_account") else { return };
    let world = empty(&server, "ada");
    let draft = written(&world, "Draft");
    world.sync();

    for place in [&other, &server] {
        world.json(&["account", "remove", ACCOUNT]);
        world.add_account(ACCOUNT, &format!("127.0.0.1:{}", place.port), &["--user", "ada"]);
        world.sync();

        assert_eq!(state(&world, &draft), ("on_server".to_owned(), String::new()));
        assert_eq!(there(&mut place.client("ada"), "Drafts").len(), 1);
    }
}

#[test]
fn an_answer_that_was_not_sent_leaves_the_other_waiting() {
    let Some(server) = Dovecot::start("an_answer_that_was_not_sent") else { return };
    let question = Mail::new("Question").date("Mon, 1 Jun 2026 10:00:00 +0000").bytes();
    server.client("ada").append("INBOX", "", &with_crlf(&question));
    let world = empty(&server, "ada");
    let reply = ReplyTo { message: "Question@test.example".to_owned(), all: false };
    let new = NewDraft {
        account: ACCOUNT.to_owned(),
        body: "An answer.".to_owned(),
        reply: Some(reply),
        ..Default::default()
    };
    drafts(&world).create(&new).unwrap();
    world.sync();
    assert_eq!(world.count("in:Drafts"), 1);

    let asked = [call(1, "awaiting_reply", &json!({ "waiting_for": "me" }))];
    let answers = ask(&mut world.command(&["mcp"]), &asked);

    let items = list(&answers[&1]["result"]["structuredContent"]["items"]).to_vec();
    let subjects: Vec<_> = items.iter().map(|item| item["subject"].clone()).collect();
    assert_eq!(subjects, ["Question"], "{answers:?}");
}
