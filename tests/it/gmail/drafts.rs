//! What is written here stands among Gmail's drafts too: once, at its newest revision, and never over what somebody
//! else made of it. Nothing is sent.

use mailkeep::drafts::{NewDraft, ReplyTo};
use mailkeep::model::Draft;

use serde_json::json;

use super::{ACCOUNT, Machine, filled, message};
use crate::drafts::{archive, drafts, edited, written};
use crate::speaks_mcp::client::Client;
use crate::world::gmail::GmailDouble;

/// The drafts of the double, as text.
fn there(double: &GmailDouble) -> Vec<String> {
    let google = double.google();
    let raw = |id: &u64| String::from_utf8(google.mailbox.messages[id].raw.clone()).unwrap();
    google.mailbox.drafts.values().map(raw).collect()
}

fn state(machine: &Machine, draft: &Draft) -> String {
    archive(&machine.world).draft(&draft.id.to_string()).unwrap().unwrap().server.unwrap_or_default()
}

#[test]
fn a_draft_is_kept_once_edited_in_place_and_removed_with_its_own() {
    let double = filled(3);
    let machine = Machine::new();
    machine.sync(&double);
    let draft = written(&machine.world, "Plans");
    assert_eq!(state(&machine, &draft), "waiting");

    machine.sync(&double);
    let first = there(&double);
    assert_eq!((first.len(), state(&machine, &draft).as_str()), (1, "on_server"));
    assert!(first[0].contains("The text of Plans."), "{first:?}");
    machine.assert_same(&double, "kept");
    edited(&machine.world, &draft, "Better words.");
    machine.sync(&double);

    let second = there(&double);
    assert_eq!(second.len(), 1, "{second:?}");
    assert!(second[0].contains("Better words."), "{second:?}");
    assert_eq!(machine.sync(&double).pushed, 0);
    machine.assert_same(&double, "edited");
    drafts(&machine.world).delete(&draft.id.to_string()).unwrap();
    machine.sync(&double);
    assert!(there(&double).is_empty());
    machine.assert_same(&double, "deleted");
    assert!(double.google().calls.keys().all(|method| !method.contains("send")));
}

#[test]
fn a_reply_joins_its_thread() {
    let double = filled(0);
    let asked = double.deliver(&message("Question"), &["INBOX"]);
    let machine = Machine::new();
    machine.sync(&double);
    let id = machine.world.json(&["search", "subject:question"])["results"][0]["id"].clone();
    let new = NewDraft {
        account: ACCOUNT.to_owned(),
        reply: Some(ReplyTo { message: id.as_str().unwrap().to_owned(), all: false }),
        body: "An answer.".to_owned(),
        ..NewDraft::default()
    };
    drafts(&machine.world).create(&new).unwrap();

    machine.sync(&double);

    let google = double.google();
    let kept = *google.mailbox.drafts.values().next().unwrap();
    assert_eq!(google.mailbox.messages[&kept].thread, google.mailbox.messages[&asked].thread);
}

#[test]
fn what_another_program_made_of_a_draft_is_never_overwritten() {
    let double = filled(0);
    let machine = Machine::new();
    machine.sync(&double);
    let (changed, deleted) = (written(&machine.world, "Changed"), written(&machine.world, "Deleted"));
    machine.sync(&double);
    {
        let mut google = double.google();
        let ids: Vec<(String, u64)> = google.mailbox.drafts.iter().map(|(id, m)| (id.clone(), *m)).collect();
        for (id, message) in ids {
            let raw = String::from_utf8(google.mailbox.messages[&message].raw.clone()).unwrap();
            if raw.contains("Subject: Changed") {
                google.mailbox.draft(Some(&id), raw.replace("The text", "Their text").as_bytes(), None);
            } else {
                google.mailbox.delete(message);
            }
        }
    }
    machine.sync(&double);
    edited(&machine.world, &changed, "Our words.");

    machine.sync(&double);

    assert_eq!(state(&machine, &changed), "changed_on_server");
    assert_eq!(state(&machine, &deleted), "deleted_on_server");
    let there = there(&double);
    assert_eq!(there.len(), 1, "{there:?}");
    assert!(there[0].contains("Their text"), "{there:?}");
    machine.assert_same(&double, "conflicts");
}

#[test]
fn a_draft_whose_sync_dies_anywhere_is_kept_once() {
    for point in 1..16 {
        let double = filled(0);
        let machine = Machine::new();
        machine.sync(&double);
        let draft = written(&machine.world, "Once");
        machine.sync(&double);
        edited(&machine.world, &draft, "The newest words.");
        written(&machine.world, "Another");
        let mut command = machine.command(&double, 6_000);
        let died =
            !command.env("MAILKEEP_TEST_CRASH_AT", point.to_string()).output().unwrap().status.success();

        machine.sync(&double);

        let there = there(&double);
        assert_eq!(there.len(), 2, "point {point}: {there:?}");
        assert!(there.iter().any(|text| text.contains("The newest words.")), "point {point}: {there:?}");
        machine.assert_same(&double, &format!("point {point}"));
        if !died {
            assert!(point > 4, "only {point} points were found to die at");
            return;
        }
    }
}

#[test]
fn what_tools_change_is_in_gmail_a_moment_later() {
    let double = filled(3);
    let machine = Machine::new();
    machine.sync(&double);
    let id = machine.world.json(&["search", "subject:letter in:inbox is:unread"])["results"][0]["id"].clone();
    let mut client = Client::run(&mut machine.serving(&double));

    let written = client.call(
        "create_draft",
        &json!({ "to": ["bob@stone.example"], "subject": "Plans", "body": "The text of Plans." }),
    );
    let labelled =
        client.call("manage_labels", &json!({ "email_id": id, "add_labels": ["STARRED", "New one"] }));

    assert_eq!(written["result"]["structuredContent"]["server"], "on_server", "{written}");
    assert_eq!(labelled["result"]["structuredContent"]["items"][0]["server"], "on_server", "{labelled}");
    assert_eq!(there(&double).len(), 1);
    let starred = double
        .everything()
        .into_values()
        .filter(|(_, labels)| labels.contains("STARRED") && labels.contains("New one"));
    assert_eq!(starred.count(), 1);
    client.finish();
    assert_eq!(machine.sync(&double).pushed, 0);
    machine.assert_same(&double, "pushed at once");
}

#[test]
fn a_gmail_that_fails_keeps_nobody_waiting_and_gets_everything_with_the_next_sync() {
    let double = filled(3);
    let machine = Machine::new();
    machine.sync(&double);
    let draft = json!({ "to": ["bob@stone.example"], "subject": "Plans", "body": "The text of Plans." });
    let mut command = machine.serving(&double);
    let nobody = "[gmail]\nbase_url = \"http://127.0.0.1:9/\"\n[secrets]\nstore = \"file\"\n[sync]\npush_wait = 3000\n";
    let config = machine.world.write("nobody.toml", nobody);
    let mut client = Client::run(command.env("MAILKEEP_CONFIG", config));

    for _ in 0..3 {
        let answer = client.call("create_draft", &draft);
        assert_eq!(answer["result"]["structuredContent"]["server"], "waiting", "{answer}");
    }

    client.finish();
    assert!(there(&double).is_empty());
    machine.sync(&double);
    assert_eq!(there(&double).len(), 3);
    machine.assert_same(&double, "offline first");
}
