//! Servers of others than dovecot: the same mail is here after any history, by the means that each of them has, and
//! Gmail's extensions are used where they are offered.

use std::collections::BTreeSet;

use mailkeep::model::MailboxRole;
use mailkeep::store::ChangeAction;

use super::pushes::{change, states};
use super::{assert_same_as, message};
use crate::drafts::drafts;
use crate::world::dovecot::Imap;
use crate::world::other_servers::{OtherServer, USER};
use crate::world::random::Random;
use crate::world::{ACCOUNT, World};

const MAILBOXES: &str = r#"{ "INBOX": {}, "": { "separator": "/", "folders": {
    "Work": {}, "Old": {}, "Drafts": { "special-use": "\\Drafts" }, "Trash": { "special-use": "\\Trash" } } } }"#;

/// One life of the mailboxes of a server.
struct Life {
    client: Imap,
    random: Random,
    count: u32,
    story: String,
}

impl Life {
    fn mailbox(&mut self) -> String {
        // The one that pymap has by this name is read-only.
        let all: Vec<_> = self.client.mailboxes().into_iter().filter(|name| name != "Trash").collect();
        let place = self.random.below(all.len() + 2);
        all.get(place).cloned().unwrap_or_else(|| "INBOX".to_owned())
    }

    fn flags(&mut self) -> String {
        let all = ["\\Seen", "\\Flagged", "\\Answered", "\\Draft"];
        let chosen: Vec<_> = all.iter().filter(|_| self.random.below(3) == 0).copied().collect();
        chosen.join(" ")
    }

    /// A change in some mailbox. New names are never used twice: hoodiecrow gives every mailbox the UIDVALIDITY 1 and
    /// counts uids from 1, so that a mailbox that was deleted and made again could not be told from the one before.
    fn happen(&mut self, may_rename: bool) {
        let (mailbox, flags, to) = (self.mailbox(), self.flags(), self.mailbox());
        let what = self.random.below(16);
        self.story.push_str(&format!("{what} in {mailbox} to {to}\n"));
        self.count += 1;
        let name = format!("New{}", self.count);
        match what {
            0..=6 => self.client.append(&mailbox, &flags, &message(&format!("Letter {}", self.count))),
            7..=9 => self.on_some(&mailbox, &|uids| format!("UID STORE {uids} FLAGS ({flags})")),
            10 | 11 => {
                self.on_some(&mailbox, &|uids| format!("UID STORE {uids} +FLAGS (\\Deleted)"));
                self.client.run("EXPUNGE");
            }
            12 if mailbox != to => self.on_some(&mailbox, &|uids| format!("UID MOVE {uids} \"{to}\"")),
            13 if mailbox != to => self.on_some(&mailbox, &|uids| format!("UID COPY {uids} \"{to}\"")),
            14 => drop(self.client.run(&format!("CREATE \"{name}\""))),
            15 if may_rename && mailbox.starts_with("New") => {
                self.client.run("SELECT INBOX");
                self.client.run(&format!("RENAME \"{mailbox}\" \"{name}\""));
            }
            _ => {}
        }
    }

    fn on_some(&mut self, mailbox: &str, command: &dyn Fn(&str) -> String) {
        let uids = self.client.uids(mailbox);
        let chosen: Vec<_> = uids.iter().filter(|_| self.random.below(3) == 0).map(u32::to_string).collect();
        if !chosen.is_empty() {
            self.client.run(&command(&chosen.join(",")));
        }
    }
}

/// Lets a mailbox live, with syncs in between; what is here in the end must be what the server has.
fn live(server: &OtherServer, seed: u64, may_rename: bool) {
    let world = World::with_account(server.port, USER);
    let random = Random::new(seed);
    let mut life = Life { client: server.client(), random, count: 0, story: String::new() };
    for round in 0..4 {
        for _ in 0..life.random.below(20) {
            life.happen(may_rename);
        }
        let report = world.try_sync(&[]);
        assert!(
            report["error"].is_null() && report["problems"] == serde_json::json!([]),
            "{report}\n{}",
            life.story
        );
        life.story.push_str(&format!("-- sync {round}\n"));
        let same = std::panic::AssertUnwindSafe(|| assert_same_as(&world, &mut server.client()));
        assert!(std::panic::catch_unwind(same).is_ok(), "seed {seed}:\n{}", life.story);
    }
    world.assert_sound();
}

#[test]
fn after_any_history_on_pymap_what_is_here_is_what_it_has() {
    for seed in [11, 12] {
        let Some(server) = OtherServer::pymap("after_any_history_on_pymap") else { return };
        live(&server, seed, true);
    }
}

#[test]
fn after_any_history_on_hoodiecrow_what_is_here_is_what_it_has() {
    for (seed, plugins) in [(21, "ID,UIDPLUS,MOVE"), (22, "ENABLE,CONDSTORE,UIDPLUS,MOVE,SPECIAL-USE")] {
        let test = "after_any_history_on_hoodiecrow";
        let Some(server) = OtherServer::hoodiecrow(test, plugins, MAILBOXES) else { return };
        live(&server, seed, true);
    }
}

#[test]
fn drafts_and_flags_reach_pymap() {
    let Some(server) = OtherServer::pymap("drafts_and_flags_reach_pymap") else { return };
    let world = World::with_account(server.port, USER);
    server.client().append("INBOX", "", &message("Letter"));
    world.sync();
    change(&world, "Letter", &ChangeAction::SetFlag(mailkeep::model::Flags::FLAGGED));
    change(&world, "Letter", &ChangeAction::Move(MailboxRole::Sent));
    writes_and_rewrites(&world, &server);
    assert!(states(&world).iter().all(|(state, _)| state == "pushed"), "{:?}", states(&world));
}

#[test]
fn drafts_are_replaced_where_the_server_does_not_say_where_it_put_them() {
    let test = "drafts_are_replaced_where_the_server_does_not_say";
    let Some(server) = OtherServer::hoodiecrow(test, "ID", MAILBOXES) else { return };
    let world = World::with_account(server.port, USER);
    world.sync();
    writes_and_rewrites(&world, &server);
}

/// A draft that is written, synced, edited and synced is on the server once, at its newest.
fn writes_and_rewrites(world: &World, server: &OtherServer) {
    let new = mailkeep::drafts::NewDraft {
        account: ACCOUNT.to_owned(),
        to: vec!["bob@stone.example".to_owned()],
        subject: "Draft".to_owned(),
        body: "First words.".to_owned(),
        ..Default::default()
    };
    let draft = drafts(world).create(&new).unwrap();
    world.sync();
    let edit = mailkeep::drafts::DraftChange { body: Some("Last words.".to_owned()), ..Default::default() };
    drafts(world).update(&draft.id.to_string(), &edit).unwrap();
    let report = world.sync();
    assert_eq!(report["problems"], serde_json::json!([]), "{report}");
    let uids = server.client().uids("Drafts");
    assert_eq!(uids.len(), 1, "{uids:?}");
    assert_same_as(world, &mut server.client());
    assert_eq!((world.count("in:Drafts first"), world.count("in:Drafts last")), (0, 1));
}

/// The labels of a message here, by its subject.
fn labels_here(world: &World, subject: &str) -> BTreeSet<String> {
    const SELECT: &str = "
        SELECT DISTINCT l.name FROM messages m JOIN placements p ON p.message = m.id
        JOIN placement_labels pl ON pl.placement = p.id JOIN label_names l ON l.id = pl.label WHERE m.subject = ?1";
    let database = world.database();
    let mut statement = database.prepare(SELECT).unwrap();
    statement.query_map([subject], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

/// Gmail as far as hoodiecrow can be it: one message in two mailboxes has one number and is not fetched twice. Its
/// labels do not move the MODSEQ, so it must go without CONDSTORE; threads have no numbers; of several messages asked
/// for in pieces with one command, all but the first come empty, so that each of them is asked for again.
#[test]
fn gmails_labels_go_both_ways_and_its_numbers_save_bodies() {
    let raw = |subject: &str| {
        format!("Message-ID: <{subject}@x>\\r\\nSubject: {subject}\\r\\n\\r\\nText of {subject}.\\r\\n")
    };
    let mail = |number: u32, subject: &str, labels: &str| {
        format!(r#"{{ "raw": "{}", "X-GM-MSGID": "{number}", "X-GM-LABELS": [{labels}] }}"#, raw(subject))
    };
    let mailboxes = format!(
        r#"{{ "INBOX": {{ "messages": [{}, {}] }}, "": {{ "separator": "/", "folders": {{ "[Gmail]": {{ "flags": ["\\Noselect"],
            "folders": {{ "All Mail": {{ "special-use": "\\All", "messages": [{}, {}, {}] }},
                          "Trash": {{ "special-use": "\\Trash" }} }} }} }} }} }}"#,
        mail(7001, "One", r#""Travel", "\\Important""#),
        mail(7002, "Two", ""),
        mail(7001, "One", r#""Travel""#),
        mail(7002, "Two", ""),
        mail(7003, "Three", r#""two words""#),
    );
    let plugins = "UIDPLUS,MOVE,SPECIAL-USE,X-GM-EXT-1";
    let Some(server) = OtherServer::hoodiecrow("gmails_labels", plugins, &mailboxes) else { return };
    let world = World::with_account(server.port, USER);

    let first = world.sync();

    assert_eq!((first["fetched"].as_u64(), first["placed"].as_u64()), (Some(3), Some(2)), "{first}");
    assert_eq!(world.count(""), 3);
    assert_eq!(labels_here(&world, "One"), names(&["Travel", "Important"]));
    assert_eq!(labels_here(&world, "Three"), names(&["two words"]));
    change(&world, "Two", &ChangeAction::AddLabel("Größe".to_owned()));
    change(&world, "Three", &ChangeAction::RemoveLabel("two words".to_owned()));
    let second = world.sync();
    assert_eq!(second["problems"], serde_json::json!([]), "{second}");
    let mut client = server.client();
    client.run("SELECT \"[Gmail]/All Mail\"");
    let said = String::from_utf8(client.run("UID FETCH 1:* (X-GM-LABELS)")).unwrap();
    assert!(said.contains("Gr&APYA3w-e") && !said.contains("two words"), "{said}");
    client.run("UID STORE 1 +X-GM-LABELS (Later)");
    world.sync();
    assert!(labels_here(&world, "One").contains("Later"));
    assert_eq!(world.count("label:Größe"), 1);
    world.assert_sound();
}
